/** The config in force: the last valid `.github/ferrybot.yml` of the default branch, and what is wrong with the newest. */

import type { ConfigProblem } from '../config/config-problem.ts';
import { readConfig } from '../config/read-config.ts';
import type { LabConfig } from '../config/schema.ts';
import type { GitReader } from '../domain/git.ts';
import type { Sha } from '../domain/ids.ts';
import { limits } from '../domain/limits.ts';
import { remembered } from './remembered.ts';

export const CONFIG_PATH = '.github/ferrybot.yml';

/** `problems` belong to the newest text; where it is invalid the config is the last valid one of the branch, if there is one. */
export type ConfigInForce =
  | {
      readonly kind: 'in-force';
      readonly config: LabConfig;
      readonly commit: Sha;
      readonly problems: readonly ConfigProblem[];
    }
  | {
      readonly kind: 'none';
      readonly problems: readonly ConfigProblem[];
      readonly why: 'no-branch' | 'no-file' | 'invalid';
    };

/** Reads the config at the tip of a branch; falls back on earlier commits that changed it, a bounded number of them. */
export async function configInForce(git: GitReader, branch: string): Promise<ConfigInForce> {
  const tip = await git.resolve(`refs/heads/${branch}`);
  if (tip === null) return { kind: 'none', problems: [], why: 'no-branch' };
  const newest = await git.readText(tip, CONFIG_PATH);
  if (newest === null) return { kind: 'none', problems: [], why: 'no-file' };
  const reading = readOnce(newest);
  if (reading.kind === 'valid')
    return { kind: 'in-force', config: reading.config, commit: tip, problems: reading.warnings };
  const earlier = await git.log({
    from: tip,
    not: null,
    sinceMs: null,
    paths: [CONFIG_PATH],
    limit: limits.configHistoryCommits,
  });
  for (const { sha } of earlier.slice(1)) {
    const text = await git.readText(sha, CONFIG_PATH);
    const past = text === null ? null : readConfig(text);
    if (past?.kind === 'valid')
      return { kind: 'in-force', config: past.config, commit: sha, problems: reading.problems };
  }
  return { kind: 'none', problems: reading.problems, why: 'invalid' };
}

const readOnce = remembered(readConfig, (text) => text);
