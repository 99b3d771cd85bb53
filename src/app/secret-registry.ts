/**
 * The secrets of this process, by value: variables with the name of a secret, and those that the lab's config passes to its jobs
 * (architecture, D5: jobs get none of ferrybot's tokens).
 */

import { traitsOf } from '../config/engine-traits.ts';
import { withheldText } from '../domain/withheld.ts';
import { SECRET_NAME } from '../host/private-environment.ts';
import { redact } from '../host/redactor.ts';
import type { LabConfig } from '../run/lane-scope.ts';

export type SecretRegistry = {
  /** Adds the config's secrets. Returns the names of passed secrets without a value here. */
  readonly learn: (config: LabConfig) => readonly string[];
  /** Redacts known secrets. */
  readonly clean: (text: string) => string;
  /** Redacts text of a job. If this process lacks one of the job's secrets, it withholds the whole text. */
  readonly cleanJobText: (text: string) => string;
};

/** `mask` gets each new value, so that the runner hides it in its own log. */
export function createSecretRegistry(
  environment: Readonly<Record<string, string | undefined>>,
  mask: (value: string) => void,
): SecretRegistry {
  const values = new Set(
    Object.entries(environment).flatMap(([name, value]) =>
      SECRET_NAME.test(name) && value !== undefined ? withLines(value) : [],
    ),
  );
  let missing: readonly string[] = [];
  const clean = (text: string): string => redact(text, [...values]);
  return {
    learn: (config) => {
      const names = passedSecretsOf(config);
      const addresses = Object.values(config.onCall.channels).map(({ address }) => address);
      for (const value of [
        ...names,
        ...clusterSecretsOf(config),
        ...addresses,
        ...trackerKeys(config),
        ...registryKeys(config),
      ].flatMap((name) => withLines(environment[name] ?? ''))) {
        if (!values.has(value)) mask(value);
        values.add(value);
      }
      missing = names.filter((name) => (environment[name] ?? '') === '');
      return missing;
    },
    clean,
    cleanJobText: (text) => (missing.length === 0 || text === '' ? clean(text) : withheldText(missing)),
  };
}

function registryKeys({ containers }: LabConfig): readonly string[] {
  return Object.values(containers.registries).flatMap(({ keyFrom }) => keyFrom ?? []);
}

function trackerKeys(config: LabConfig): readonly string[] {
  return Object.values(config.lanes).flatMap(({ tracker }) => tracker.keyFrom ?? []);
}

/** Names of the secrets that any lane passes to its jobs. */
export function passedSecretsOf({ lanes }: Pick<LabConfig, 'lanes'>): readonly string[] {
  return [...new Set(Object.values(lanes).flatMap(({ passSecrets }) => passSecrets))];
}

/** Secrets that open clusters; jobs never get them. */
export function clusterSecretsOf(config: LabConfig): readonly string[] {
  return Object.keys(config.clusters).flatMap((cluster) => traitsOf(config, cluster)?.secretVariables ?? []);
}

/** Shorter lines of a key file, such as a header, also occur in normal text. */
const SECRET_LINE_CHARACTERS_MIN = 12;

/** A multi-line secret and each of its lines, because logs are read line by line. */
function withLines(value: string): readonly string[] {
  if (value === '') return [];
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  return [value, ...lines.filter((line) => line !== value && line.length >= SECRET_LINE_CHARACTERS_MIN)];
}
