/**
 * The secret values of this process: variables with secret-like names, and secrets that the config passes to jobs. Jobs get none of
 * ferrybot's tokens (architecture, D5).
 */

import { traitsFor } from '../config/lane-of-file.ts';
import { textForWithheld } from '../domain/written-secrets.ts';
import { SECRET_NAME } from '../host/private-environment.ts';
import { redact } from '../host/redactor.ts';
import type { LabConfig } from '../run/lane.ts';
import { CONTROL_ENVIRONMENT, LAUNCH_ENVIRONMENT, WATCH_ENVIRONMENT } from './signers.ts';

export type SecretRegistry = {
  /** Adds the config's secrets. Returns the names of passed secrets that have no value in this process. */
  readonly addSecretsOf: (config: LabConfig) => readonly string[];
  readonly redact: (text: string) => string;
  /** Redacts text from a job. Withholds the whole text if this process lacks one of the job's secrets. */
  readonly cleanJobText: (text: string) => string;
};

/** Calls `mask` for each new value, so that the Actions runner hides it in its log. */
export function createSecretRegistry(
  environment: Readonly<Record<string, string | undefined>>,
  mask: (value: string) => void,
): SecretRegistry {
  const values = new Set(
    Object.entries(environment).flatMap(([name, value]) =>
      SECRET_NAME.test(name) && value !== undefined ? splitSecretLines(value) : [],
    ),
  );
  let missing: readonly string[] = [];
  const clean = (text: string): string => redact(text, [...values]);
  return {
    addSecretsOf: (config) => {
      const needs = listConfigSecrets(config);
      for (const value of needs.flatMap(({ secret }) => splitSecretLines(environment[secret] ?? ''))) {
        if (!values.has(value)) mask(value);
        values.add(value);
      }
      const passed = needs.filter(({ mayBeOpen }) => mayBeOpen).map(({ secret }) => secret);
      missing = passed.filter((name) => (environment[name] ?? '') === '');
      return missing;
    },
    redact: clean,
    cleanJobText: (text) => (missing.length === 0 || text === '' ? clean(text) : textForWithheld(missing)),
  };
}

type SecretNeed = {
  readonly secret: string;
  /** `mode:` of the action in those jobs. */
  readonly modes: readonly string[];
  readonly environments: readonly string[];
  /** Purpose of the secret, as the end of a sentence. */
  readonly purpose: string;
  /** The lab passes it to its jobs. A repository secret is enough, although branches can read it. */
  readonly mayBeOpen: boolean;
};

/** Lists every secret that the config names, once per use. */
export function listConfigSecrets(config: LabConfig): readonly SecretNeed[] {
  const { containers, lanes, onCall } = config;
  const LAUNCH_AND_WATCH = {
    modes: ['launch', 'watch', 'stop'],
    environments: [LAUNCH_ENVIRONMENT, WATCH_ENVIRONMENT],
  };
  const trackers = Object.values(lanes).filter(({ tracker }) => tracker.kind !== 'none');
  const rows = [
    {
      names: Object.values(lanes).flatMap(({ passSecrets }) => passSecrets),
      ...LAUNCH_AND_WATCH,
      purpose: 'which jobs get and logs must not show',
    },
    {
      names: Object.keys(config.clusters).flatMap((cluster) => traitsFor(config, cluster)?.secretVariables ?? []),
      ...LAUNCH_AND_WATCH,
      purpose: 'which opens a cluster',
    },
    {
      names: Object.values(onCall.channels).map(({ address }) => address),
      modes: ['chat', 'watch'],
      environments: [CONTROL_ENVIRONMENT, WATCH_ENVIRONMENT],
      purpose: 'the address of a channel',
    },
    {
      names: Object.values(containers.registries).flatMap(({ keyFrom }) => keyFrom ?? []),
      modes: ['chat', 'launch'],
      environments: [CONTROL_ENVIRONMENT, LAUNCH_ENVIRONMENT],
      purpose: 'the key of a container registry',
    },
    {
      names: trackers.flatMap(({ tracker }) => tracker.keyFrom ?? []),
      modes: ['watch'],
      environments: [WATCH_ENVIRONMENT],
      purpose: 'the key of a tracker',
    },
  ];
  return rows.flatMap(({ names, ...row }, at) =>
    [...new Set(names)].map((secret) => ({ secret, ...row, mayBeOpen: at === 0 })),
  );
}

/** Shorter lines of a key file, such as a header, also occur in normal text. */
const SECRET_LINE_CHARACTERS_MIN = 12;

/** A multi-line secret and each of its lines, because logs are read line by line. */
function splitSecretLines(value: string): readonly string[] {
  if (value === '') return [];
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  return [value, ...lines.filter((line) => line !== value && line.length >= SECRET_LINE_CHARACTERS_MIN)];
}
