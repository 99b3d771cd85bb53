/** Reacts with 👀 to a command, so that its author sees that it was received. */

import { permits } from '../../domain/actor.ts';
import { commentName } from '../../domain/answer-key.ts';
import type { ReconcileRequest } from '../../domain/reconcile-request.ts';
import { readPermission } from '../../github/permission.ts';
import { JOURNAL } from '../../logbook/rules.ts';
import type { Lab } from '../lab.ts';
import { contained, type Trouble } from '../trouble.ts';
import { performReaction } from './perform.ts';

/** Comments that this process remembers, so that it reacts to each of them once. */
const ACKNOWLEDGED_MAX = 500;

/** Reacts once to each comment with a command among the triggers. */
export type GiveReceipts = (triggers: readonly ReconcileRequest[], troubles: Trouble[]) => Promise<void>;

export function createReceipts(lab: Lab): GiveReceipts {
  const done = new Set<string>();
  return async (triggers, troubles) => {
    for (const trigger of triggers) {
      if (trigger.kind !== 'comment' || !trigger.hasSlash) continue;
      const { surface, comment, thread, from } = trigger;
      const name = commentName({ surface, id: comment });
      if (done.has(name)) continue;
      done.add(name);
      const oldest = done.values().next();
      if (done.size > ACKNOWLEDGED_MAX && oldest.done !== true) done.delete(oldest.value);
      await contained({ lab }, troubles, { run: JOURNAL, thread }, async () => {
        if (await isColleague(lab, from))
          await performReaction(lab, { kind: 'react', surface, comment, content: 'eyes' });
      });
    }
  };
}

/**
 * Strangers get no 👀: a reaction counts against the hourly limit of content writes. GitHub also reports private members
 * as outsiders, so their permission decides.
 */
async function isColleague(
  { client }: Lab,
  from: Extract<ReconcileRequest, { kind: 'comment' }>['from'],
): Promise<boolean> {
  if (from?.isOutsider !== true) return true;
  const permission = await readPermission(client, from);
  return permission.kind === 'known' && permits(permission.value, 'triage');
}
