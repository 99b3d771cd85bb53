/** The question about a ferry's objective, where the lab wants it asked: what can be answered, and what each answer brings. */

import type { Instant } from '../../../domain/ids.ts';
import { timeOf } from '../../../domain/time.ts';
import { code } from '../../../render/words.ts';
import type { Unanswered } from '../../../run/proposing.ts';
import type { GivenFerry, LastFerry } from '../interval.ts';
import { referencesText } from './proposal-context.ts';

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
