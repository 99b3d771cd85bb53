/** 👀: the receipt that a command was heard. Each is a content write at GitHub, so nobody gets more than a person needs. */

import { commentName } from '../../domain/answer-key.ts';
import type { ReconcileRequest } from '../../domain/reconcile-request.ts';
import { JOURNAL } from '../../logbook/rules.ts';
import {
  type GivenReceipt,
  type HeardComment,
  isFromOutside,
  mayHaveReceipt,
  withinPeriod,
} from '../../run/receipts.ts';
import type { Lab } from '../lab.ts';
import type { Record } from '../record-files.ts';
import { contained, type Trouble } from '../trouble.ts';
import { performReaction } from './perform.ts';

/** Comments whose receipt this process remembers to have given. */
const ACKNOWLEDGED_MAX = 500;

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

/** Receipts of one process, which remembers whom it gave how many within the hour. */
export function createReceipts(lab: Lab): Receipts {
  const done = new Set<string>();
  let given: readonly GivenReceipt[] = [];
  return {
    give: async (triggers, record, troubles) => {
      for (const trigger of triggers) {
        if (trigger.kind !== 'comment' || !trigger.hasSlash) continue;
        const name = commentName({ surface: trigger.surface, id: trigger.comment });
        if (done.has(name) || (isFromOutside(trigger) && record === null)) continue;
        remember(done, name);
        const atMs = lab.now();
        given = withinPeriod(given, atMs);
        if (!mayHaveReceipt(trigger, given, record, atMs)) continue;
        given = [...given, { author: trigger.from?.id ?? 0, isOutsider: isFromOutside(trigger), atMs }];
        await contained({ lab }, troubles, { run: JOURNAL, thread: trigger.thread }, () =>
          react(lab, trigger),
        );
      }
    },
  };
}

function remember(done: Set<string>, name: string): void {
  done.add(name);
  const oldest = done.values().next();
  if (done.size > ACKNOWLEDGED_MAX && oldest.done !== true) done.delete(oldest.value);
}

/** A receipt that fails is no reason not to answer: `perform` logs what came of it. */
async function react(lab: Lab, { surface, comment }: HeardComment): Promise<void> {
  await performReaction(lab, { kind: 'react', surface, comment, content: 'eyes' });
}
