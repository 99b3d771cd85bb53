/** `/skip reason="…"`: no ferry on this day; the day after is proposed as usual. */

import { isLive, isOver, type RunState } from '../domain/logbook/run-state.ts';
import { dateOf } from '../domain/time.ts';
import { answer, type CommandContext, type PlaceContext } from './decision.ts';
import type { CommandDefinition } from './definition.ts';
import { dropByBrake } from './drop-of.ts';
import { reasonText } from './values.ts';

export const skip: CommandDefinition = {
  name: 'skip',
  keys: { reason: { required: true, value: reasonText } },
  who: (policy) => policy.skipPermission,
  summary: 'No ferry today: none is proposed, and one that is proposed is not launched.',
  example: '/skip reason="the cluster is down for maintenance"',
  holdsBack: true,
  decide: (context) => decide(context, context.state),
  decideWithoutRun: (context) => decide(context, runOfToday(context)),
};

/** The run that a skip of today would concern; none where the record cannot say so, and then its own gate holds it back. */
function runOfToday({ laneRuns, now }: PlaceContext): RunState | null {
  const today = dateOf(now);
  return laneRuns.kind === 'unknown'
    ? null
    : (laneRuns.value.find((run) => run.proposal.date === today && !isOver(run)) ?? null);
}

function decide(
  { now, actor, args, laneHolds, comment }: PlaceContext | CommandContext,
  run: RunState | null,
): ReturnType<typeof answer> {
  if (laneHolds.kind === 'unknown') return answer('logbook-broken');
  const isStarted = run !== null && (run.submission !== null || run.order?.status === 'claimed');
  if (isStarted) return answer('skip-too-late', { run: run.run, live: isLive(run) ? 1 : 0 });
  const date = run?.proposal.date ?? dateOf(now);
  const reason = args['reason'] ?? '';
  const isHere =
    run !== null && (run.proposal.pull === comment.thread || run.proposal.issue === comment.thread);
  const drop = isHere ? dropByBrake(run) : null;
  const held = {
    type: 'held',
    role: 'control',
    actor,
    data: { kind: 'skip', scope: 'lane', reason, date },
  } as const;
  return answer('skipped', { date, reason }, drop === null ? [] : [drop], [held]);
}
