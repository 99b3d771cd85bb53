/** What a ferry is for, read from a person's words: the policy knows two objectives, and words that name neither or both are a question. */

import type { LaneConfig } from '../../../config/lane-schema.ts';
import type { Instant } from '../../../domain/ids.ts';
import type { Objective } from '../../../domain/logbook/events/launch-events.ts';
import { after, dateAfter, fromRfc3339, timeOf } from '../../../domain/time.ts';
import { code } from '../../../render/words.ts';
import type { AskedWhat, Asks, ObjectiveReading, Unanswered } from '../../../run/proposing.ts';
import { type GivenFerry, type LastFerry, lastFerryOf } from '../interval.ts';
import { type FerryLane, ferryLane } from '../settings.ts';
import { referencesText } from '../words/proposal-context.ts';

/** Title and body of the issue that asks; `date` is the day of the ferry. */
export function renderObjectiveQuestion(asked: {
  readonly lane: string;
  readonly date: string;
  readonly until: Instant;
  readonly last: LastFerry | null;
  readonly given: GivenFerry | null;
}): { readonly title: string; readonly body: string } {
  const { lane, date, until, last, given } = asked;
  return {
    title: `What is the ${lane} ferry of ${date} for?`,
    body: `Nobody has said what the ferry of today is for, so nothing is edited yet. Answer here with one line until ${timeOf(until)} UTC; without an answer it is proposed then as the normal integration check of lane ${code(lane)}.

- \`/propose objective="integration"\` for the normal integration check now, with a candidate of the lab's list
- \`/propose objective="regression: …"\` to confirm or rule out a regression by running the same configuration again
- \`/propose learning_rate=4e-3 objective="integration: …"\` for a change of your own; the knobs are those of the experiment file
- \`/hold lane=${lane} date=${date} reason="…"\` for no ferry today

Whoever asks for a ferry here cannot approve its launch, unless the lab says that one person is enough.

### How the last one ended

${referencesText(last, given)}
`,
  };
}

/** That a proposal is the usual one because nobody said anything else. */
export function unansweredText(unanswered: Unanswered): string {
  return unanswered.issue === null
    ? 'Nobody was asked what it is for: there was no time left in the day to wait for an answer.'
    : `Nobody answered #${unanswered.issue} by ${unanswered.until.slice(11, 16)} UTC, so it is the normal check.`;
}

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
function readObjective(text: string): ObjectiveReading {
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
