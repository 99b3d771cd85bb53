/** A `/stop` or `/teardown` on a run whose record does not verify: the record is put back with it, and it goes its usual way from there. */

import { namesOther } from '../../commands/named-run.ts';
import { stop } from '../../commands/stop.ts';
import { teardown } from '../../commands/teardown.ts';
import { permits } from '../../domain/actor.ts';
import { limits } from '../../domain/limits.ts';
import { isOver, type RunState } from '../../domain/logbook/run-state.ts';
import type { ReconcileRequest } from '../../domain/reconcile-request.ts';
import { readPermission } from '../../github/permission.ts';
import { readThread } from '../../github/thread.ts';
import { seenDraft } from '../../run/command-events.ts';
import { commandsSince, type PendingItem, pendingItems, threadsSince } from '../../run/pending-commands.ts';
import { quietFirst } from '../../run/untrusted.ts';
import { brokenStates } from '../broken-states.ts';
import type { OpenLab } from '../open-lab.ts';
import { readingOf } from '../reading.ts';
import { apartFromComments, contained, type Trouble } from '../trouble.ts';
import type { WithoutText } from './gather.ts';

/** Looks at the threads of live runs that are broken, where a trigger may be about them. */
export async function restoreForStop(
  open: OpenLab,
  triggers: readonly ReconcileRequest[],
  troubles: Trouble[],
): Promise<void> {
  for (const state of brokenStates(open.store.current())) {
    if (isOver(state) || !triggers.some((trigger) => isAbout(trigger, state))) continue;
    await contained(open, troubles, { run: state.run, thread: null }, async () => {
      const item = await apartFromComments(open, troubles, (withoutText) => stopIn(open, state, withoutText));
      if (item === null) return;
      const result = await open.store.append(state.run, [seenDraft(item)], open.lab.now());
      open.lab.log(`the record was put back for a stop: ${result.kind}`, { run: state.run });
      if (result.kind === 'conflict') await open.store.load();
    });
  }
}

function isAbout(trigger: ReconcileRequest, { proposal }: RunState): boolean {
  if (trigger.kind === 'comment')
    return trigger.hasSlash && (trigger.thread === proposal.pull || trigger.thread === proposal.issue);
  return trigger.kind === 'sweep' || trigger.kind === 'push';
}

/** Commands that end what runs. */
const ENDING: readonly string[] = [stop.name, teardown.name];

function isStop({ said }: PendingItem, run: string): boolean {
  return said.kind === 'command' && ENDING.includes(said.name) && !namesOther(said, run);
}

/** The first unanswered one of somebody who may stop. */
async function stopIn(open: OpenLab, state: RunState, withoutText: WithoutText): Promise<PendingItem | null> {
  const { lab, config } = open;
  const { pull, issue } = state.proposal;
  for (const thread of new Set([pull, issue])) {
    const read = await readThread(lab.client, thread, readingOf(lab, config), threadsSince(state));
    if (read.kind === 'unknown') {
      lab.log(`thread ${thread}: ${read.why}`);
      continue;
    }
    const asked = { since: commandsSince(state), otherBots: config.otherBots };
    const comments = withoutText(read.value.comments);
    const waiting = pendingItems(state.commands, comments, { ...asked, permissions: new Map() });
    const people = quietFirst(
      waiting.filter((item) => item.said.kind === 'unread' || isStop(item, state.run)),
    );
    for (const person of people.slice(0, limits.permissionsPerTriggerMax)) {
      const permission = await readPermission(lab.client, person);
      if (permission.kind !== 'known' || !permits(permission.value, config.permissions.stop)) continue;
      const permissions = new Map([[person.id, permission]]);
      const found = pendingItems(state.commands, comments, { ...asked, permissions }).find(
        (item) => item.comment.author.id === person.id && isStop(item, state.run),
      );
      if (found !== undefined) return found;
    }
  }
  return null;
}
