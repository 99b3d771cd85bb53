/** What a person's answered command says of the attempt that comes next: the same again, or from an earlier checkpoint. */

import { unfollowedAttempt } from '../launch/next-attempt.ts';
import { readFacts } from '../payload.ts';
import type { EventOf } from './event.ts';
import type { RunState, SeenCommand } from './run-state.ts';

/** Null where the answer says nothing of it. */
export function nextAsked(
  state: RunState,
  seen: SeenCommand,
  { seq, data: { code, detail } }: EventOf<'command-answered'>,
): Pick<RunState, 'relaunchAsked'> | Pick<RunState, 'rollback'> | null {
  const last = unfollowedAttempt(state);
  if (last === null) return null;
  const { attempt } = last.submission;
  const { actor, comment, surface, bodyDigest } = seen;
  if (code === 'relaunch-asked' && state.submission !== null && surface !== 'review-comment')
    return { relaunchAsked: { attempt, actor, comment, surface, bodyDigest, seq } };
  const back = code === 'rolled-back' ? readFacts({ step: 'integer', path: 'text?' }, detail) : null;
  if (back === null) return null;
  const checkpoint = back.path === undefined ? null : { path: back.path, step: back.step };
  return { rollback: { attempt, checkpoint, actor, seq } };
}
