/** Keeps the file of a kind that shows how a run stands: a projection, pushed to a branch of its own after every action. */

import { cutText } from '../../domain/cut-text.ts';
import { GitError } from '../../domain/git.ts';
import { limits } from '../../domain/limits.ts';
import { runsOfLane } from '../../domain/logbook/run-state.ts';
import { fromRfc3339 } from '../../domain/time.ts';
import { renderStatusFile } from '../../render/status-file.ts';
import { configFor } from '../../run/run-config.ts';
import type { RunContext } from './reconcile-run.ts';

type Place = Pick<RunContext, 'lab' | 'git' | 'labConfig' | 'store'>;

/** Writes it where it says something else than the record. A race, or a GitHub that is away, is left to the next look. */
export async function keepStatusFile({ lab, git, labConfig, store }: Place, run: string): Promise<void> {
  const { runs } = store.current();
  const state = runs.find((one) => one.run === run);
  if (state === undefined || state.gate === null) return;
  const config = configFor(labConfig, state);
  const file = config.kind.contracts?.statusFile?.(config.lane, state.contract ?? {}) ?? null;
  if (file === null || file.branch === labConfig.logbookBranch) return;
  const newer = runsOfLane(runs, state.proposal.lane).some(({ proposedAt }) => proposedAt > state.proposedAt);
  if (newer) return;
  const text = renderStatusFile(state, file.says);
  const ref = `refs/heads/${file.branch}`;
  try {
    const tip = await git.resolve(ref);
    // rule VA-08
    if (tip !== null && (await git.readText(tip, file.path)) === text) return;
    const outcome = await git.commitAndPush({
      ref,
      expected: tip,
      parent: 'expected',
      files: { [file.path]: text },
      message: `${file.path}: ${run}, entry ${state.head.seq}\n`,
      atMs: fromRfc3339(state.head.at) ?? lab.now(),
    });
    if (outcome.kind !== 'pushed') lab.log(`the status of ${run} was not written`, { why: outcome.kind });
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    lab.log(cutText(`the status of ${run} was not written: ${error.message}`, limits.messageCharactersMax));
  }
}
