/** Finds the config in force (the last valid `.github/ferrybot.yml` of the default branch) and the problems of the newest file. */

import { COMMAND_DEFINITIONS } from '../commands/registry.ts';
import type { KnownNames } from '../config/lane-schema.ts';
import { type ConfigReading, readConfig } from '../config/read-config.ts';
import type { ConfigHealth } from '../domain/facts.ts';
import type { GitReader } from '../domain/git.ts';
import { type Instant, memoize, type Sha } from '../domain/values.ts';
import { KINDS } from '../kinds/registry.ts';
import type { Kind } from '../run/kind.ts';
import type { LabConfig } from '../run/lane.ts';
import type { ConfigProblem } from '../settings/problem.ts';

/** Maximum number of earlier versions to try. */
const CONFIG_HISTORY_COMMITS = 20;

export const CONFIG_PATH = '.github/ferrybot.yml';

const KNOWN: KnownNames<Kind> = { kinds: KINDS, ownCommands: COMMAND_DEFINITIONS.map(({ name }) => name) };

/** Reads a lab config with all kinds and engines; `now` also checks that keys are in force. */
export function readLabConfig(text: string, now: Instant | null = null): ConfigReading<Kind> {
  return readConfig(text, KNOWN, now);
}

type ConfigBreak = { readonly commit: Sha; readonly atMs: number };

/** `problems` describe the newest file; `config` is the last valid one. */
export type EffectiveConfig =
  | {
      readonly kind: 'in-force';
      readonly config: LabConfig;
      readonly commit: Sha;
      readonly problems: readonly ConfigProblem[];
      /** Null if the newest config is valid. */
      readonly brokenSince: ConfigBreak | null;
    }
  | {
      readonly kind: 'none';
      readonly problems: readonly ConfigProblem[];
      readonly why: 'no-branch' | 'no-file' | 'invalid';
    };

/** Reads the config at the tip of a branch, or the last valid version in its history. */
export async function readEffectiveConfig(git: GitReader, branch: string): Promise<EffectiveConfig> {
  const tip = await git.resolve(`refs/heads/${branch}`);
  if (tip === null) return { kind: 'none', problems: [], why: 'no-branch' };
  const newest = await git.readText(tip, CONFIG_PATH);
  if (newest === null) return { kind: 'none', problems: [], why: 'no-file' };
  const reading = readConfigOnce(newest);
  if (reading.kind === 'valid')
    return {
      kind: 'in-force',
      config: reading.config,
      commit: tip,
      problems: reading.warnings,
      brokenSince: null,
    };
  const found = await findLastValidConfig(git, tip);
  return found === null
    ? { kind: 'none', problems: reading.problems, why: 'invalid' }
    : { kind: 'in-force', ...found, problems: reading.problems };
}

/** Summarizes the config in force for the gates. */
export function configHealth(found: Extract<EffectiveConfig, { readonly kind: 'in-force' }>): ConfigHealth {
  const errors = found.problems.filter(({ severity }) => severity === 'error');
  return {
    isValid: found.brokenSince === null,
    problems: errors.length,
    first: errors[0] === undefined ? '' : [errors[0].path, errors[0].message].filter(Boolean).join(': '),
    line: errors[0]?.line ?? 0,
    inForce: found.commit,
    since: found.brokenSince === null ? null : new Date(found.brokenSince.atMs).toISOString(),
    missingLane: null,
  };
}

type LastValid = Pick<Extract<EffectiveConfig, { readonly kind: 'in-force' }>, 'config' | 'commit'> & {
  readonly brokenSince: ConfigBreak;
};

async function findLastValidConfig(git: GitReader, tip: Sha): Promise<LastValid | null> {
  const commits = await git.log({
    from: tip,
    not: null,
    sinceMs: null,
    paths: [CONFIG_PATH],
    limit: CONFIG_HISTORY_COMMITS,
  });
  const [first, ...earlier] = commits;
  if (first === undefined) return null;
  let broken = first;
  for (const commit of earlier) {
    const text = await git.readText(commit.sha, CONFIG_PATH);
    const past = text === null ? null : readConfigOnce(text);
    if (past?.kind === 'valid')
      return {
        config: past.config,
        commit: commit.sha,
        brokenSince: { commit: broken.sha, atMs: broken.atMs },
      };
    broken = commit;
  }
  return null;
}

const readConfigOnce = memoize(
  (text: string) => readLabConfig(text),
  (text) => text,
);
