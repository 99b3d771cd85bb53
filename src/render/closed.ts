/** A run that is over without a seal: why, and what stays of it. */

import { assertNever } from '../domain/assert.ts';
import { awaitsAdoption, isAdopted } from '../domain/logbook/adoption.ts';
import type { EventDataByType } from '../domain/logbook/event.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { headText } from './card.ts';
import { rentalCost } from './rental-words.ts';
import { code, paragraphs, text, utc } from './words.ts';

/** The run is closed; nothing more is recorded. */
export function renderClosed(state: RunState): string {
  const { closed } = state;
  if (closed === null) throw new Error('a closing comment without a close');
  const lines = [
    ...(closed.reason === '' ? [] : [`- Reason: ${text(closed.reason)}`]),
    ...(closed.closurePull === null ? [] : [`- Log-only pull request: #${closed.closurePull}, to be merged`]),
    `- Record: ${code(headText(state, 64))}`,
    ...(state.proposal.adopts === undefined && state.contract === null ? [TOMORROW] : []),
  ];
  return paragraphs(
    `**Closed** at ${utc(closed.at)}: ${outcomeWords(closed.outcome, state)}`,
    lines.join('\n'),
    rentalCost(state),
  );
}

const TOMORROW =
  '- Tomorrow: the next ferry can be proposed. It starts from the configuration of the last sealed pass, and its interval from the last ferry that was launched.';

function outcomeWords(outcome: EventDataByType['closed']['outcome'], state: RunState): string {
  const { end } = state;
  switch (outcome) {
    case 'failed':
      return 'the job FAILED. There is no tag.';
    case 'stopped':
      return 'the job was STOPPED and its result was not accepted. There is no tag.';
    case 'rejected':
      return end === null
        ? 'the proposal was rejected. Nothing was launched.'
        : `the job ${end.status} and its result was not accepted. There is no tag.`;
    case 'withdrawn':
      if (awaitsAdoption(state))
        return 'the job was not taken over. It goes on as it did, and nothing of its log was read.';
      return end === null
        ? 'the proposal was withdrawn. Nothing was launched.'
        : `the next attempt was withdrawn before it was launched; attempt ${end.attempt} ${end.status}. There is no tag.`;
    case 'lost':
      return 'nobody can say what became of the job, and a person gave it up. There is no tag.';
    case 'unsealed':
      if (isAdopted(state))
        return `the job that was taken over has ended ${end?.status ?? 'somehow'}. There is no tag.`;
      return 'nobody decided about it in the time that the lane gives, and it closed itself as not sealed. There is no tag.';
    default:
      return assertNever(outcome);
  }
}
