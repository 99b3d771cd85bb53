/** Converts the API's answer to a message for the person. */
import type { Answer } from '../api/api.ts';
import type { Outcome } from '../visit.ts';

/** `to` is the page that shows the result. */
export function toOutcome(answer: Answer<unknown>, to: string): Outcome {
  return answer.kind === 'found'
    ? { kind: 'done', to }
    : { kind: 'refused', status: answer.status, message: answer.message };
}

export function refuseAct(message: string): Outcome {
  return { kind: 'refused', status: 422, message };
}
