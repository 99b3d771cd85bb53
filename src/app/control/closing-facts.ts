/** What only the closing of a run looks at: the tag of its seal, and the file that its closure adds to. */

import type { ClosureLogFacts, RunFacts } from '../../domain/facts.ts';
import { GitError, type GitReader } from '../../domain/git.ts';
import type { Instant } from '../../domain/ids.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { known, type Observed, unknown } from '../../domain/observed.ts';
import { sealTagOf } from '../../run/begun-seal.ts';
import { unsealedClosing } from '../../run/decide-notices.ts';
import { NOT_ASKED } from '../../run/dispatch.ts';
import type { LaneScopedConfig } from '../../run/lane-scope.ts';

/** A seal or a close that was asked for and is not answered yet, or one because nobody decided. */
export function isClosing(state: RunState, config: LaneScopedConfig, now: Instant): boolean {
  const isAsked = [...state.commands.values()].some((command) => command.answer === null);
  return (state.order !== null && isAsked) || unsealedClosing(state, config, now) !== null;
}

/** What was fetched last: a tag that this process pushed is there too. */
export async function sealTagIn(git: GitReader, state: RunState): Promise<RunFacts['sealTag']> {
  try {
    return known(await git.resolve(`refs/tags/${sealTagOf(state)}`));
  } catch (error) {
    if (error instanceof GitError) return unknown(error.message);
    throw error;
  }
}

/** The file as the target branch has it; not asked for where the kind adds to none. */
export async function closureLogOf(
  git: GitReader,
  { kind, lane }: LaneScopedConfig,
): Promise<Observed<ClosureLogFacts>> {
  const { log } = kind.closing;
  if (log === null) return unknown(NOT_ASKED);
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
