/** A proposal that nobody approved yet gives way to the one that was asked for in its thread (docs/decisions, *who replaces a proposal*). */

import { isIssueFirst } from '../../domain/issue-first.ts';
import { limits } from '../../domain/limits.ts';
import { commandKey, type RunState, type SeenCommand } from '../../domain/logbook/run-state.ts';
import { fromRfc3339 } from '../../domain/time.ts';
import { perform } from '../control/perform.ts';
import type { OpenLane } from '../open-lab.ts';

type Waiting = { readonly kind: 'wait'; readonly why: string };

/**
 * Records the end of the old run. The push is refused if anything was recorded meanwhile, an approval for example: then
 * everything is decided again.
 */
export async function withdrawn(
  { store, lab }: OpenLane,
  run: RunState,
  command: SeenCommand,
): Promise<'done' | { readonly kind: 'again' } | Waiting> {
  const data = { outcome: 'withdrawn', reason: replacedReason(command), closurePull: null } as const;
  const draft = { type: 'closed', role: 'control', actor: command.actor, data } as const;
  const result = await store.append(run.run, [draft], lab.now());
  if (result.kind === 'appended') return 'done';
  return result.kind === 'conflict' ? { kind: 'again' } : { kind: 'wait', why: result.message };
}

/** Closes the PR and the issue of what this command replaced, also where a crash came between. */
export async function clearedAway(open: OpenLane, command: SeenCommand): Promise<'done' | Waiting> {
  const { store } = open;
  const reason = replacedReason(command);
  const since = fromRfc3339(command.at) ?? 0;
  const replaced = store
    .current()
    .runs.filter(({ closed }) => closed?.reason === reason && (fromRfc3339(closed.at) ?? 0) >= since);
  for (const { proposal } of replaced.slice(0, limits.proposalsPerDayMax)) {
    if (!isIssueFirst(proposal)) {
      const pull = await perform(open, { kind: 'close-pull', pull: proposal.pull });
      if (pull.kind === 'unknown') return { kind: 'wait', why: pull.message };
    }
    const edit = {
      kind: 'edit-issue',
      issue: proposal.issue,
      expected: null,
      body: null,
      state: 'closed',
    } as const;
    const issue = await perform(open, edit);
    if (issue.kind === 'unknown') return { kind: 'wait', why: issue.message };
  }
  return 'done';
}

/** The reason in the record names the command, by which a crash between two steps is found again. */
function replacedReason(command: SeenCommand): string {
  return `replaced: ${command.actor.login} asked for another proposal (${commandKey(command)})`;
}
