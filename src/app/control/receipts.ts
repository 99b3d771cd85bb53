/** 👀: the receipt that a command was heard. Each is a content write at GitHub, so nobody gets more than a person needs. */

import { commentName, isToUntrusted } from '../../domain/answer-key.ts';
import { limits } from '../../domain/limits.ts';
import type { ReconcileRequest } from '../../domain/reconcile-request.ts';
import { fromRfc3339 } from '../../domain/time.ts';
import { JOURNAL } from '../../logbook/rules.ts';
import type { Lab } from '../lab.ts';
import type { Record } from '../record-files.ts';
import { contained, type Trouble } from '../trouble.ts';
import { performReaction } from './perform.ts';

type Heard = Extract<ReconcileRequest, { kind: 'comment' }>;

export type Receipts = {
  /**
   * Reacts to the comments of these triggers, once each. Strangers are counted against the record, which another process
   * may have written to: theirs wait for it (null = it was not read yet).
   */
  readonly give: (
    triggers: readonly ReconcileRequest[],
    record: Record | null,
    troubles: Trouble[],
  ) => Promise<void>;
};

type Given = { readonly author: number; readonly isOutsider: boolean; readonly atMs: number };

/** Receipts of one process, which remembers whom it gave how many within the hour. */
export function createReceipts(lab: Lab): Receipts {
  const done = new Set<string>();
  let given: readonly Given[] = [];
  return {
    give: async (triggers, record, troubles) => {
      for (const trigger of triggers) {
        if (trigger.kind !== 'comment' || !trigger.hasSlash) continue;
        const name = commentName({ surface: trigger.surface, id: trigger.comment });
        if (done.has(name) || (isFromOutside(trigger) && record === null)) continue;
        remember(done, name);
        const atMs = lab.now();
        given = given.filter((one) => atMs - one.atMs < limits.receiptPeriodMs);
        if (!mayHave(trigger, given, record, atMs)) continue;
        given = [...given, { author: trigger.from?.id ?? 0, isOutsider: isFromOutside(trigger), atMs }];
        await contained({ lab }, troubles, { run: JOURNAL, thread: trigger.thread }, () =>
          react(lab, trigger),
        );
      }
    },
  };
}

function isFromOutside(trigger: Heard): boolean {
  return trigger.from?.isOutsider === true;
}

function remember(done: Set<string>, name: string): void {
  done.add(name);
  const oldest = done.values().next();
  if (done.size > limits.acknowledgedMax && oldest.done !== true) done.delete(oldest.value);
}

function mayHave(trigger: Heard, given: readonly Given[], record: Record | null, nowMs: number): boolean {
  const author = trigger.from?.id ?? 0;
  const own = given.filter((one) => one.author === author).length;
  if (!isFromOutside(trigger)) return own < limits.receiptsPerPersonMax;
  const recorded = record === null ? [] : untrustedIn(record, nowMs);
  const ofAuthor = Math.max(own, recorded.filter((id) => id === author).length);
  const ofAll = Math.max(given.filter((one) => one.isOutsider).length, recorded.length);
  return ofAuthor < limits.receiptsPerUntrustedMax && ofAll < limits.receiptsToUntrustedMax;
}

/** The authors of what strangers were answered within the hour, aloud or not. */
function untrustedIn({ runs, journal }: Record, nowMs: number): readonly number[] {
  const commands = [...runs.flatMap((run) => [...run.commands.values()]), ...journal.commands.values()];
  const isRecent = (at: string): boolean => nowMs - (fromRfc3339(at) ?? 0) < limits.receiptPeriodMs;
  return commands.flatMap((one) =>
    isToUntrusted(one) && isRecent(one.answer?.at ?? '') ? [one.actor.id] : [],
  );
}

/** A receipt that fails is no reason not to answer: `perform` logs what came of it. */
async function react(lab: Lab, { surface, comment }: Heard): Promise<void> {
  await performReaction(lab, { kind: 'react', surface, comment, content: 'eyes' });
}
