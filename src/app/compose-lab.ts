/** Builds the Lab from its real parts. */

import { join } from 'node:path';
import { Octokit } from '@octokit/core';
import { brandAs, isDigest, isInstant } from '../domain/values.ts';
import { type AnswerCache, createClient } from '../github/call.ts';
import { createGitProgram } from '../host/git/git-program.ts';
import { parseSigningKey, sha256Hex, verifyEd25519 } from '../host/keys.ts';
import { readPythonVersion } from '../host/python-child.ts';
import type { SigningKeys } from '../logbook/append.ts';
import { openStore } from '../stores/open.ts';
import { createChannelSender } from './channels.ts';
import { createExperimentReader } from './control/change-facts.ts';
import { createImages } from './images.ts';
import type { Lab, Log } from './lab.ts';
import { createHelpers } from './propose/helpers.ts';
import { KEY_VARIABLES } from './signers.ts';
import { askPythonForFix } from './small-fix.ts';

export type LabParts = {
  /** `owner/name`. */
  readonly repository: string;
  /** REST base and web base, such as https://api.github.com and https://github.com. */
  readonly baseUrl: string;
  readonly serverUrl: string;
  readonly token: () => Promise<string>;
  /** Private folder of this process, for the mirror. */
  readonly workDirectory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
  readonly sleep: (durationMs: number) => Promise<void>;
  readonly log: Log;
  /** Of a process that works on many repositories: its requests to GitHub, and its saved answers. */
  readonly shared?: { readonly fetch: typeof fetch; readonly cache: AnswerCache };
};

/** The production Lab. */
export function composeLab(parts: LabParts): Lab {
  const { baseUrl, environment, now: nowMs, sleep } = parts;
  const path = environment['PATH'] ?? '';
  const [owner = '', repo = ''] = parts.repository.split('/');
  const mirror = {
    directory: join(parts.workDirectory, 'mirror.git'),
    remoteUrl: `${parts.serverUrl}/${owner}/${repo}.git`,
  };
  const request = parts.shared === undefined ? {} : { request: { fetch: parts.shared.fetch } };
  const octokit = new Octokit({ baseUrl, userAgent: 'ferrybot', ...request });
  octokit.hook.before('request', async (request) => {
    request.headers.authorization = `token ${await parts.token()}`;
  });
  const cache = parts.shared === undefined ? {} : { cache: parts.shared.cache };
  const client = createClient({ octokit, owner, repo, baseUrl, sleep, now: nowMs, ...cache });
  const now = (): ReturnType<Lab['now']> => brandAs(Math.trunc(nowMs() + client.clock.offsetMs), isInstant);
  const host = { fetch, sleep };
  return {
    repository: parts.repository,
    client,
    gitAs: createGitProgram({ ...mirror, token: parts.token, environment: environmentForPrograms(environment) }),
    signingKeys: readSigningKeys(environment),
    hash: sha256Hex,
    digestOf: (text) => brandAs(`sha256:${sha256Hex(text)}`, isDigest),
    verifySignature: verifyEd25519,
    readExperiment: createExperimentReader(path),
    pythonVersion: (python) => readPythonVersion(python, path),
    fixSmallMistake: (question, python) => askPythonForFix(question, python, path),
    helpers: createHelpers(path),
    sendToChannel: createChannelSender(environment, host),
    stores: (root) => openStore({ host, environment, now: nowMs }, root),
    images: createImages(environment, host),
    now,
    log: parts.log,
    boundary: () => undefined,
  };
}

const PROGRAM_VARIABLES = new Set([
  ...['PATH', 'LANG', 'TMPDIR', 'SystemRoot'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
]);

/** The environment of helper programs, without tokens and keys. */
function environmentForPrograms(environment: LabParts['environment']): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value !== undefined && PROGRAM_VARIABLES.has(name) ? [[name, value]] : [],
    ),
  );
}

/** Reads the private keys from the environment. The error for a malformed key names only its variable. */
export function readSigningKeys(environment: Readonly<Record<string, string | undefined>>): SigningKeys {
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
