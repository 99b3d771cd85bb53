/** Turns the API's answer into what the person is told. */
import type { Answer } from '../api/api.ts';
import type { Outcome } from '../visit.ts';

/** `to` is where the result can be seen. */
export function outcomeOf(answer: Answer<unknown>, to: string): Outcome {
  return answer.kind === 'found'
    ? { kind: 'done', to }
    : { kind: 'refused', status: answer.status, message: answer.message };
}

export function refuse(message: string): Outcome {
  return { kind: 'refused', status: 422, message };
}
