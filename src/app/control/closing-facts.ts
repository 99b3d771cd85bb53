/** What only the closing of a run looks at: the tag of its seal, and the file that its closure adds to. */

import type { ClosureLogFacts, RunFacts } from '../../domain/facts.ts';
import { GitError, type GitReader } from '../../domain/git.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { known, type Observed, unknown } from '../../domain/observed.ts';
import { sealTagOf } from '../../run/begun-seal.ts';
import type { LaneScopedConfig } from '../../run/lane-scope.ts';

/** What was fetched last: a tag that this process pushed is there too. */
export async function sealTagIn(git: GitReader, state: RunState): Promise<RunFacts['sealTag']> {
  try {
    return known(await git.resolve(`refs/tags/${sealTagOf(state)}`));
  } catch (error) {
    if (error instanceof GitError) return unknown(error.message);
    throw error;
  }
}

/** The file as the target branch has it; asked for only where the kind adds to one. */
export async function closureLogOf(
  git: GitReader,
  { kind, lane }: LaneScopedConfig,
): Promise<Observed<ClosureLogFacts>> {
  const { log } = kind.closing;
  if (log === null) return unknown('the kind adds to no file');
  try {
    const base = await git.resolve(`refs/heads/${lane.targetBranch}`);
    return base === null
      ? unknown(`there is no branch ${lane.targetBranch}`)
      : known({ base, text: await git.readText(base, log.path(lane)) });
  } catch (error) {
    if (error instanceof GitError) return unknown(error.message);
    throw error;
  }
}
