/** Builds the Lab from its real parts. */

import { join } from 'node:path';
import { branded, isDigest, isInstant } from '../domain/ids.ts';
import { createClient, type Octokit } from '../github/call.ts';
import { createGitProgram } from '../host/git/git-program.ts';
import { sha256Hex } from '../host/hash.ts';
import { parseSigningKey, verifyEd25519 } from '../host/keys.ts';
import { pythonVersion } from '../host/python-child.ts';
import { createExperimentReader } from '../host/read-experiment.ts';
import { openStore, type StoreOpener } from '../stores/open.ts';
import { channelSender } from './channels.ts';
import { createImages } from './images.ts';
import type { Lab, Log } from './lab.ts';
import { createHelpers } from './propose/helpers.ts';
import { KEY_VARIABLES, type SigningKeys } from './signers.ts';
import { fixSmallMistake } from './small-fix.ts';

export type LabParts = {
  /** `owner/name`. */
  readonly repository: string;
  readonly octokit: Octokit;
  /** REST base and web base, such as https://api.github.com and https://github.com. */
  readonly baseUrl: string;
  readonly serverUrl: string;
  readonly token: () => Promise<string>;
  readonly signingKeys: SigningKeys;
  /** Private folder of this process, for the mirror. */
  readonly workDirectory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
  readonly sleep: (durationMs: number) => Promise<void>;
  readonly log: Log;
};

/** The production Lab. */
export function composeLab(parts: LabParts): Lab {
  const [owner = '', repo = ''] = parts.repository.split('/');
  const mirror = {
    directory: join(parts.workDirectory, 'mirror.git'),
    remoteUrl: `${parts.serverUrl}/${owner}/${repo}.git`,
  };
  const client = createClient({
    octokit: parts.octokit,
    owner,
    repo,
    baseUrl: parts.baseUrl,
    sleep: parts.sleep,
    now: parts.now,
  });
  const now = (): ReturnType<Lab['now']> =>
    branded(Math.trunc(parts.now() + client.clock.offsetMs), isInstant);
  return {
    repository: parts.repository,
    client,
    gitAs: createGitProgram({
      ...mirror,
      token: parts.token,
      environment: programEnvironment(parts.environment),
    }),
    signingKeys: parts.signingKeys,
    hash: sha256Hex,
    digestOf: (text) => branded(`sha256:${sha256Hex(text)}`, isDigest),
    verifySignature: verifyEd25519,
    readExperiment: createExperimentReader(parts.environment['PATH'] ?? ''),
    pythonVersion: (python) => pythonVersion(python, parts.environment['PATH'] ?? ''),
    fixSmallMistake: (question, python) => fixSmallMistake(question, python, parts.environment['PATH'] ?? ''),
    helpers: createHelpers(parts.environment['PATH'] ?? ''),
    sendToChannel: channelSender(parts.environment, { fetch, sleep: parts.sleep }),
    stores: (path) => openStore(storeOpener(parts), path),
    images: createImages(parts.environment, { fetch, sleep: parts.sleep }),
    now,
    log: parts.log,
    boundary: () => undefined,
  };
}

/** A store with this process's environment and clock. */
export function storeOpener({
  environment,
  now,
  sleep,
}: Pick<LabParts, 'environment' | 'now' | 'sleep'>): StoreOpener {
  return { host: { fetch, sleep }, environment, now };
}

/** The environment of helper programs, without tokens and keys. */
function programEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const names = [
    'PATH',
    'LANG',
    'TMPDIR',
    'HTTP_PROXY',
    'HTTPS_PROXY',
    'NO_PROXY',
    'SSL_CERT_FILE',
    'SSL_CERT_DIR',
    'SystemRoot',
  ];
  return Object.fromEntries(
    names.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name] ?? '']])),
  );
}

/** Reads the private keys from the environment. The error for a malformed key names only its variable. */
export function signingKeysFrom(environment: Readonly<Record<string, string | undefined>>): SigningKeys {
  const keys: { -readonly [Role in keyof SigningKeys]: SigningKeys[Role] } = {};
  for (const role of ['control', 'runner', 'watch'] as const) {
    const text = environment[KEY_VARIABLES[role]];
    if (text === undefined || text === '') continue;
    const parsed = parseSigningKey(text);
    if (!parsed.ok) throw new Error(`${KEY_VARIABLES[role]}: ${parsed.error}`);
    keys[role] = parsed.value;
  }
  return keys;
}
