/** No clear objective: the bot asks and edits nothing (policy DF-05), until an answer comes or its time is over (DF-39). */

import type { RunId } from '../../domain/ids.ts';
import type { EventDataByType } from '../../domain/logbook/event.ts';
import type { Objective } from '../../domain/logbook/events/launch-events.ts';
import { type RunState, runsOfLane } from '../../domain/logbook/run-state.ts';
import { markerIdentity, markerText } from '../../domain/marker.ts';
import { dateOf, fromRfc3339, toRfc3339 } from '../../domain/time.ts';
import { transactJournal } from '../../logbook/transact.ts';
import { proposalLabels } from '../../run/own-pull.ts';
import {
  type Failed,
  notDone,
  notRecorded,
  type ProposeOutcome,
  type Unanswered,
} from '../../run/proposing.ts';
import { perform } from '../control/perform.ts';
import type { OpenLane, ProposingLane } from '../open-lab.ts';

type Question = EventDataByType['objective-asked'];

/** What a ferry of the schedule is for. */
type TodaysObjective = {
  readonly kind: 'clear';
  readonly objective: Objective;
  readonly unanswered?: Unanswered;
};

/** The usual objective of a day, and that nobody said so, where it was to be asked. */
function usualObjective({ config, store }: ProposingLane, date: string): TodaysObjective {
  const { asks, usual } = config.kind.proposes;
  const reading = asks?.objective(null, config.lane) ?? { kind: 'clear', objective: usual };
  if (reading.kind === 'clear') return reading;
  const question = store.current().journal.questions.get(config.laneName);
  const unanswered =
    question?.date === date && question.state !== 'answered'
      ? { issue: question.issue, until: question.until }
      : { issue: null };
  return { kind: 'clear', objective: usual, unanswered };
}

/** What the run of today is for: as is usual where that is clear or nobody said it in time, else people are asked. */
export async function objectiveOfToday(
  open: ProposingLane,
  run: RunId,
  date: string,
): Promise<TodaysObjective | ProposeOutcome> {
  const { lab, config, store } = open;
  const { kind, lane, laneName } = config;
  const { asks } = kind.proposes;
  if (asks === undefined || asks.objective(null, lane).kind === 'clear') return usualObjective(open, date);
  const { runs, journal } = store.current();
  const asked = journal.questions.get(laneName);
  const now = lab.now();
  if (asked?.date === date && asked.state !== 'answered')
    return asked.state === 'open' && now < (fromRfc3339(asked.until) ?? 0)
      ? // rule DF-05
        { kind: 'asked', issue: asked.issue }
      : usualObjective(open, date);
  const question = asks.question({ lane, laneName, date, now, runs: runsOfLane(runs, laneName) });
  // rule DF-39
  if (question === null) return usualObjective(open, date);
  const { title, body } = question;
  const marker = { run, kind: 'issue', key: 'objective', fields: {} } as const;
  const outcome = await perform(open, {
    kind: 'open-issue',
    marker: markerIdentity(marker),
    title,
    body: `${markerText(marker)}\n${body}`,
    // Not `experiment`: it is none, and would be told as one in the next proposal.
    labels: proposalLabels(open.config),
  });
  if (outcome.kind !== 'done' || outcome.number === null)
    return notDone('the question about the objective', outcome);
  const until = toRfc3339(question.until);
  const data = { lane: laneName, date, issue: outcome.number, until, state: 'open' } as const;
  return (await recorded(open, data)) ?? { kind: 'asked', issue: outcome.number };
}

/**
 * Ends the question of a lane that somebody answered, and proposes as usual where nobody did in time; `propose` makes the
 * run of today. Safe to repeat: what is not recorded as ended is looked at again.
 */
export async function settleQuestion(
  open: ProposingLane,
  propose: (open: ProposingLane) => Promise<ProposeOutcome>,
): Promise<void> {
  const { lab, config, store } = open;
  const question = store.current().journal.questions.get(config.laneName);
  if (question?.state !== 'open') return;
  const since = ofToday(open, question);
  const isOver = lab.now() >= (fromRfc3339(question.until) ?? 0);
  if (since === undefined && !isOver) return;
  if (since === undefined && question.date === dateOf(lab.now())) {
    const outcome = await propose(open);
    lab.log(`nobody said what the ferry is for: ${outcome.kind}`, { lane: config.laneName });
    if (outcome.kind === 'failed') return;
  }
  const run = ofToday(open, question);
  const isAnswered =
    run !== undefined && (run.proposal.requestedBy !== null || run.proposal.own !== undefined);
  const { lane, date, issue, until } = question;
  const closed = await perform(open, {
    kind: 'edit-issue',
    issue,
    expected: null,
    body: null,
    state: 'closed',
  });
  if (closed.kind === 'unknown') return;
  await recorded(open, { lane, date, issue, until, state: isAnswered ? 'answered' : 'unanswered' });
}

/** The run that was proposed for this day since it was asked. */
function ofToday(
  { config, store }: OpenLane,
  { date, at }: Question & { readonly at: string },
): RunState | undefined {
  return runsOfLane(store.current().runs, config.laneName).find(
    (run) => run.proposal.date === date && run.proposedAt >= at,
  );
}

/** Null once the journal has it; somebody else may write at the same moment, and the same again does no harm. */
async function recorded(open: OpenLane, data: Question): Promise<Failed | null> {
  const outcome = await transactJournal(open, ({ questions }) => {
    const known = questions.get(data.lane);
    const isKnown = known?.issue === data.issue && known.state === data.state;
    return isKnown ? [] : [{ type: 'objective-asked', role: 'control', data }];
  });
  return outcome.kind === 'refused' ? notRecorded(outcome) : null;
}
