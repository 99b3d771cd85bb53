/** Goes on reading a log where the last recorded observation stopped, also in another process. */

import type { RunState } from '../domain/run-state.ts';
import { type LogFacts, NO_LOG_FACTS } from './log-facts.ts';

/** The log facts that the newest observation recorded; reading goes on at its offset, so that no byte is judged twice. */
export function logFactsFrom(state: RunState): { readonly facts: LogFacts; readonly offset: number } {
  const last = state.observation;
  if (last === null) return { facts: NO_LOG_FACTS, offset: 0 };
  const facts: LogFacts = {
    ...NO_LOG_FACTS,
    step: last.step === null ? null : { value: last.step, exact: last.stepIsExact },
    exactTotal: last.totalSteps,
    loss: last.loss,
    firstStepCompleted: last.firstStepCompleted,
    evals: last.evals,
    trackers: last.trackers.map(({ id, url }) => ({ id, url, entity: '', project: '' })),
    checkpointStep: last.checkpointStep,
    failures: last.signatures.map((id) => ({ id, line: '', lineNumber: 0, count: 1, workers: [] })),
  };
  return { facts, offset: last.logOffset };
}
