/** Limits 👀 reactions, because each is a content write at GitHub. */

import { isToUntrusted } from '../domain/answer-key.ts';
import type { JournalState } from '../domain/logbook/journal-state.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import type { ReconcileRequest } from '../domain/reconcile-request.ts';
import { fromRfc3339 } from '../domain/time.ts';

/** The period of GitHub's limit of 500 content writes. */
const RECEIPT_PERIOD_MS = 60 * 60 * 1_000;
const RECEIPTS_PER_PERSON_MAX = 60;
const RECEIPTS_PER_UNTRUSTED_MAX = 10;
/** All outsiders together. */
const RECEIPTS_TO_UNTRUSTED_MAX = 60;

export type HeardComment = Extract<ReconcileRequest, { kind: 'comment' }>;

/** A receipt that this process gave. */
export type GivenReceipt = { readonly author: number; readonly isOutsider: boolean; readonly atMs: number };

/** Null: the record was not read. */
type Recorded = { readonly runs: readonly RunState[]; readonly journal: JournalState } | null;

export function withinPeriod(given: readonly GivenReceipt[], nowMs: number): readonly GivenReceipt[] {
  return given.filter((one) => nowMs - one.atMs < RECEIPT_PERIOD_MS);
}

/** According to GitHub's webhook. */
export function isFromOutside(trigger: HeardComment): boolean {
  return trigger.from?.isOutsider === true;
}

export function mayHaveReceipt(
  trigger: HeardComment,
  given: readonly GivenReceipt[],
  record: Recorded,
  nowMs: number,
): boolean {
  const author = trigger.from?.id ?? 0;
  const own = given.filter((one) => one.author === author).length;
  if (!isFromOutside(trigger)) return own < RECEIPTS_PER_PERSON_MAX;
  const recorded = record === null ? [] : untrustedIn(record, nowMs);
  const ofAuthor = Math.max(own, recorded.filter((id) => id === author).length);
  const ofAll = Math.max(given.filter((one) => one.isOutsider).length, recorded.length);
  return ofAuthor < RECEIPTS_PER_UNTRUSTED_MAX && ofAll < RECEIPTS_TO_UNTRUSTED_MAX;
}

/** Authors of outsiders' commands answered within the period. */
function untrustedIn({ runs, journal }: NonNullable<Recorded>, nowMs: number): readonly number[] {
  const commands = [...runs.flatMap((run) => [...run.commands.values()]), ...journal.commands.values()];
  const isRecent = (at: string): boolean => nowMs - (fromRfc3339(at) ?? 0) < RECEIPT_PERIOD_MS;
  return commands.flatMap((one) =>
    isToUntrusted(one) && isRecent(one.answer?.at ?? '') ? [one.actor.id] : [],
  );
}
