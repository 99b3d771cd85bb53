/**
 * What this process must not tell, by value: the variables whose names say that they are secrets, and those that the
 * lab's config passes to its jobs, whatever they are called (architecture, D5: a job gets no token of ours).
 */

import { traitsOf } from '../config/engine-traits.ts';
import { withheldText } from '../domain/withheld.ts';
import { SECRET_NAME } from '../host/private-environment.ts';
import { redact } from '../host/redactor.ts';
import type { LabConfig } from '../run/lane-scope.ts';

export type SecretRegistry = {
  /** Takes in the values behind `passSecrets` of every lane; gives the names that this process has no value for. */
  readonly learn: (config: LabConfig) => readonly string[];
  /** The text without any secret that was learnt. */
  readonly clean: (text: string) => string;
  /**
   * For what a job wrote. The job has every passed secret, this process perhaps not: then nobody here can tell which
   * words of it are secret, and none of it is told.
   */
  readonly cleanJobText: (text: string) => string;
};

/** `mask` hears each value of the config once, so that the runner hides it in its own log too. */
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

/** What the registries of containers are asked with. */
function registryKeys({ containers }: LabConfig): readonly string[] {
  return Object.values(containers.registries).flatMap(({ keyFrom }) => keyFrom ?? []);
}

/** What a watch asks the trackers with. */
function trackerKeys(config: LabConfig): readonly string[] {
  return Object.values(config.lanes).flatMap(({ tracker }) => tracker.keyFrom ?? []);
}

/** The variables whose values the lanes pass to their jobs, each once. */
export function passedSecretsOf({ lanes }: Pick<LabConfig, 'lanes'>): readonly string[] {
  return [...new Set(Object.values(lanes).flatMap(({ passSecrets }) => passSecrets))];
}

/** What opens a cluster to this process: no job gets it, whatever it is called. */
export function clusterSecretsOf(config: LabConfig): readonly string[] {
  return Object.keys(config.clusters).flatMap((cluster) => traitsOf(config, cluster)?.secretVariables ?? []);
}

/** A shorter line of a key file (a brace, a header) says nothing, and stands in ordinary text too. */
const SECRET_LINE_CHARACTERS_MIN = 12;

/** A secret of several lines, and each of them: logs are read line by line. */
function withLines(value: string): readonly string[] {
  if (value === '') return [];
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  return [value, ...lines.filter((line) => line !== value && line.length >= SECRET_LINE_CHARACTERS_MIN)];
}
