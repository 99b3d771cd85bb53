/** `/status [lane=…]`: the state of a run or lane. */

import { strayOf } from '../config/left-behind.ts';
import { liftCommand } from '../domain/launch/hold.ts';
import { isLive } from '../domain/logbook/liveness.ts';
import { dateOf } from '../domain/time.ts';
import { type AnswerDecision, answering, type PlaceContext } from './decision.ts';
import type { CommandDefinition } from './definition.ts';
import { laneUnclear, meantLane } from './meant-lane.ts';
import { laneWord } from './values.ts';

const answerStatus = answering({
  'status-shown': {},
  'lane-past': { lane: 'text' },
  'lane-shown': { live: 'text?', last: 'text?', issue: 'integer', holds: 'list', stray: 'list' },
});

export const status = {
  name: 'status',
  answers: answerStatus.vocabulary,
  keys: { lane: { required: false, value: laneWord } },
  who: () => null,
  // rule AG-28
  summary:
    'Says where the run stands, on what evidence, and what is missing; with `lane=`, on any thread, what the last runs of that lane came to.',
  example: '/status',
  decide: (context) => lanePast(context) ?? answerStatus('status-shown'),
  decideWithoutRun,
} as const satisfies CommandDefinition;

/** Without a run, shows the lane's state. */
function decideWithoutRun(context: PlaceContext): AnswerDecision {
  const past = lanePast(context);
  if (past !== null) return past;
  const { journalHolds, recordedRuns, lanes, now } = context;
  if (journalHolds.kind === 'unknown' || recordedRuns.kind === 'unknown')
    return answerStatus('logbook-broken');
  const live = recordedRuns.value.filter(isLive);
  const newest = recordedRuns.value[0];
  const stray = strayOf(journalHolds.value, lanes, dateOf(now));
  return answerStatus('lane-shown', {
    live: live.map(({ run }) => run).join(', '),
    last: newest?.run ?? '',
    issue: newest?.proposal.issue ?? 0,
    holds: journalHolds.value
      .filter(({ lane }) => lane === null || lanes.includes(lane))
      .map((hold) => liftCommand(hold)),
    stray: stray.map((hold) => liftCommand(hold)),
  });
}

/** The rows are rendered later from the record. */
function lanePast(context: PlaceContext): AnswerDecision | null {
  const { args, recordedRuns } = context;
  if (args['lane'] === undefined) return null;
  const meant = meantLane(args['lane'], context);
  if (meant.kind !== 'lane') return laneUnclear(meant);
  return recordedRuns.kind === 'unknown'
    ? answerStatus('logbook-broken')
    : answerStatus('lane-past', { lane: meant.lane });
}
