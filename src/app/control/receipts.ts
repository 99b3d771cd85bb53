/** 👀: the receipt that a command was heard. Each is a content write at GitHub, so nobody gets more than a person needs. */

import { commentName, isToUntrusted } from '../../domain/answer-key.ts';
import type { ReconcileRequest } from '../../domain/reconcile-request.ts';
import { fromRfc3339 } from '../../domain/time.ts';
import { JOURNAL } from '../../logbook/rules.ts';
import type { Lab } from '../lab.ts';
import type { Record } from '../record-files.ts';
import { contained, type Trouble } from '../trouble.ts';
import { performReaction } from './perform.ts';

/** Receipts are counted over an hour, as GitHub counts its 500 content writes. */
const RECEIPT_PERIOD_MS = 60 * 60 * 1_000;
/** Nobody types a command a minute for an hour. */
const RECEIPTS_PER_PERSON_MAX = 60;
/** A stranger who asks ten times an hour has been heard. */
const RECEIPTS_PER_UNTRUSTED_MAX = 10;
/** All strangers together: an eighth of the installation's content writes. */
const RECEIPTS_TO_UNTRUSTED_MAX = 60;
/** Comments whose receipt this process remembers to have given. */
const ACKNOWLEDGED_MAX = 500;

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
        given = given.filter((one) => atMs - one.atMs < RECEIPT_PERIOD_MS);
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
  if (done.size > ACKNOWLEDGED_MAX && oldest.done !== true) done.delete(oldest.value);
}

function mayHave(trigger: Heard, given: readonly Given[], record: Record | null, nowMs: number): boolean {
  const author = trigger.from?.id ?? 0;
  const own = given.filter((one) => one.author === author).length;
  if (!isFromOutside(trigger)) return own < RECEIPTS_PER_PERSON_MAX;
  const recorded = record === null ? [] : untrustedIn(record, nowMs);
  const ofAuthor = Math.max(own, recorded.filter((id) => id === author).length);
  const ofAll = Math.max(given.filter((one) => one.isOutsider).length, recorded.length);
  return ofAuthor < RECEIPTS_PER_UNTRUSTED_MAX && ofAll < RECEIPTS_TO_UNTRUSTED_MAX;
}

/** The authors of what strangers were answered within the hour, aloud or not. */
function untrustedIn({ runs, journal }: Record, nowMs: number): readonly number[] {
  const commands = [...runs.flatMap((run) => [...run.commands.values()]), ...journal.commands.values()];
  const isRecent = (at: string): boolean => nowMs - (fromRfc3339(at) ?? 0) < RECEIPT_PERIOD_MS;
  return commands.flatMap((one) =>
    isToUntrusted(one) && isRecent(one.answer?.at ?? '') ? [one.actor.id] : [],
  );
}

/** A receipt that fails is no reason not to answer: `perform` logs what came of it. */
async function react(lab: Lab, { surface, comment }: Heard): Promise<void> {
  await performReaction(lab, { kind: 'react', surface, comment, content: 'eyes' });
}
