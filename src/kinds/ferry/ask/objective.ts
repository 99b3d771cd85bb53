/** What a ferry is for, read from a person's words: the policy knows two objectives, and words that name neither or both are a question. */

import type { LaneConfig } from '../../../config/lane-schema.ts';
import type { Instant } from '../../../domain/ids.ts';
import type { Objective } from '../../../domain/logbook/events/launch-events.ts';
import { after, dateAfter, fromRfc3339 } from '../../../domain/time.ts';
import type { AskedWhat, Asks, ObjectiveReading } from '../../../run/proposing.ts';
import { lastFerryOf } from '../interval.ts';
import { type FerryLane, ferryLane } from '../settings.ts';
import { renderObjectiveQuestion } from '../words/objective-question.ts';

/** What a ferry is for where the lab has a standing objective and nobody says anything else (policy DF-03). */
export const USUAL_OBJECTIVE: Objective = { kind: 'integration', text: 'normal daily integration check' };

/** Where nothing is said, the lab's standing objective counts, if it has one. */
export function ferryObjective(said: string | null, lane: LaneConfig): ObjectiveReading {
  if (said !== null) return readObjective(said);
  return ferryLane(lane).objective === 'integration'
    ? { kind: 'clear', objective: USUAL_OBJECTIVE }
    : // rule AG-15
      { kind: 'unclear', why: 'nothing-said' };
}

/** The question about a ferry, which a person answers who knows how the last one ended (policy DF-39). */
export function objectiveQuestion(asked: AskedWhat): ReturnType<Asks['question']> {
  const { date, laneName, runs } = asked;
  const until = answeredBy(ferryLane(asked.lane), asked);
  if (until === null) return null;
  const last = lastFerryOf(runs, `${date}~`);
  const given = ferryLane(asked.lane).lastFerry;
  return { ...renderObjectiveQuestion({ lane: laneName, date, until, last, given }), until };
}

/** The hour of the config, or some time after the question; never beyond the day, which would have no ferry. */
function answeredBy(
  { objectiveBy, objectiveWaitMinutes }: FerryLane,
  { date, now }: Pick<AskedWhat, 'date' | 'now'>,
): Instant | null {
  const hour = fromRfc3339(`${date}T${objectiveBy}:00Z`) ?? now;
  const until = after(now, Math.max(hour - now, objectiveWaitMinutes * MINUTE_MS));
  const end = fromRfc3339(`${dateAfter(date, 1)}T00:00:00Z`) ?? until;
  return until <= now || after(until, LATE_LOOK_MS) > end ? null : until;
}

const MINUTE_MS = 60_000;
/** A cron of GitHub's comes up to an hour late, and the look after the question still has to be on its day. */
const LATE_LOOK_MS = 60 * MINUTE_MS;

/**
 * `integration: …` and `regression: …` decide by their first word; other text decides by naming exactly one of the two,
 * without a *not* that could turn its meaning round. The text is kept as it was said.
 */
export function readObjective(text: string): ObjectiveReading {
  const said = text.trim();
  const declared = DECLARED.exec(said)?.[1]?.toLowerCase();
  if (declared === 'integration' || declared === 'regression')
    return { kind: 'clear', objective: { kind: declared, text: said } };
  const named = (['integration', 'regression'] as const).filter((kind) => NAMED[kind].test(said));
  const [kind] = named;
  if (kind === undefined) return { kind: 'unclear', why: 'names-neither' };
  if (named.length > 1) return { kind: 'unclear', why: 'names-both' };
  if (NEGATION.test(said)) return { kind: 'unclear', why: 'negated' };
  return { kind: 'clear', objective: { kind, text: said } };
}

const DECLARED = /^(integration|regression)(?:\s*:|$)/i;
const NAMED = { integration: /\bintegration\b/i, regression: /\bregressions?\b/i } as const;
const NEGATION = /\b(?:no|not|never|without|neither|nor|instead)\b|n['’]t\b/i;
