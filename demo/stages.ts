/** The stages of a ferry, derived from its logbook, in the order in which they are reached. */

import type { LogbookEntry } from './logbook-events.ts';

export const STAGES = ['proposed', 'gated', 'approved', 'ordered', 'submitted', 'stepping', 'ended', 'sealed'] as const;
export type Stage = (typeof STAGES)[number];

/** Stages that a run has reached. `gated` = every gate passed; `stepping` = a training step was made. */
export function reachedStages(events: readonly LogbookEntry[]): ReadonlySet<Stage> {
  return new Set(STAGES.filter((stage) => events.some((event) => reachesStage(event, stage))));
}

function reachesStage(event: LogbookEntry, stage: Stage): boolean {
  if (stage === 'gated') return event.type === 'gated' && isGreen(event.data['verdicts']);
  if (stage === 'stepping') return event.type === 'observed' && Number(event.data['step'] ?? 0) > 0;
  return event.type === stage;
}

function isGreen(verdicts: unknown): boolean {
  return (
    Array.isArray(verdicts) &&
    verdicts.length > 0 &&
    verdicts.every((v: { readonly outcome?: string }) => v.outcome === 'pass' || v.outcome === 'warn')
  );
}

/** Why the run cannot reach its seal any more (it ended otherwise, or was closed), or null. */
export function findDeadEnd(events: readonly LogbookEntry[]): string | null {
  const closed = events.find((event) => event.type === 'closed');
  if (closed !== undefined) return `closed-${String(closed.data['outcome'])}`;
  const ended = events.find((event) => event.type === 'ended');
  if (ended !== undefined && ended.data['status'] !== 'SUCCEEDED')
    return `ended-${String(ended.data['status']).toLowerCase()}`;
  const incident = events.find((event) => event.type === 'incident' && ENDING.has(String(event.data['code'])));
  return incident === undefined ? null : `incident-${String(incident.data['code'])}`;
}

const ENDING: ReadonlySet<string> = new Set([
  'submit-rejected',
  'submit-conflict',
  'runner-refused',
  'dispatch-failed',
  'seal-failed',
]);

/** The unanswered issue that asks for the purpose of a lane's run, or null. */
export function findOpenQuestion(journal: readonly LogbookEntry[], lane: string): number | null {
  const question = journal.findLast(({ type, data }) => type === 'objective-asked' && data['lane'] === lane);
  return question?.data['state'] === 'open' ? Number(question.data['issue']) : null;
}
