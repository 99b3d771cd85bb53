/** `/skip reason="…"`: no ferry on this day; the day after is proposed as usual. */

import { isLive } from '../domain/logbook/liveness.ts';
import { isOver, type RunState, runsOfLane } from '../domain/logbook/run-state.ts';
import { dateOf } from '../domain/time.ts';
import { type AnswerDecision, answering, type CommandContext, type PlaceContext } from './decision.ts';
import type { CommandDefinition } from './definition.ts';
import { dropByBrake } from './drop-of.ts';
import { laneUnclear, meantLane, severally } from './meant-lane.ts';
import { laneWord, reasonText } from './values.ts';

const answer = answering({
  skipped: { date: 'text', lane: 'text?', reason: 'text' },
  'skip-too-late': { run: 'text', live: 'integer' },
});

export const skip = {
  name: 'skip',
  answers: answer.vocabulary,
  keys: {
    reason: { required: true, value: reasonText },
    lane: { required: false, value: laneWord },
  },
  who: (policy) => policy.permissions.skip,
  summary: 'No ferry today: none is proposed, and one that is proposed is not launched.',
  example: '/skip reason="the cluster is down for maintenance"',
  holdsBack: true,
  decide: (context) =>
    decide(context, (lane) =>
      lane === context.state.proposal.lane ? context.state : runOfToday(context, lane),
    ),
  decideWithoutRun: (context) => decide(context, (lane) => runOfToday(context, lane)),
} as const satisfies CommandDefinition;

/** The run that a skip of today would concern; none where the record cannot say so, and then its own gate holds it back. */
function runOfToday({ recordedRuns, now }: PlaceContext, lane: string): RunState | null {
  const today = dateOf(now);
  return recordedRuns.kind === 'unknown'
    ? null
    : (runsOfLane(recordedRuns.value, lane).find((run) => run.proposal.date === today && !isOver(run)) ??
        null);
}

function decide(
  context: PlaceContext | CommandContext,
  runOf: (lane: string) => RunState | null,
): AnswerDecision {
  const { now, actor, args, journalHolds, comment } = context;
  if (journalHolds.kind === 'unknown') return answer('logbook-broken');
  const meant = meantLane(args['lane'], context);
  if (meant.kind !== 'lane') return laneUnclear(meant);
  const { lane } = meant;
  const run = runOf(lane);
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
    data: { kind: 'skip', scope: 'lane', lane, reason, date },
  } as const;
  return answer('skipped', { date, ...severally(context, lane), reason }, drop === null ? [] : [drop], [
    held,
  ]);
}
