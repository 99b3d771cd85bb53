/** `/stop run=…` and other brakes that name their run, while the journal cannot be trusted: they and their answers are kept in the run's own record. */

import { namedRun } from '../../commands/named-run.ts';
import { definitionOf } from '../../commands/registry.ts';
import { type Permission, permits } from '../../domain/actor.ts';
import { limits } from '../../domain/limits.ts';
import { commandKey, isOver, type SeenCommand } from '../../domain/logbook/run-state.ts';
import type { Observed } from '../../domain/observed.ts';
import type { ReconcileRequest } from '../../domain/reconcile-request.ts';
import { after } from '../../domain/time.ts';
import { readPermission } from '../../github/permission.ts';
import { readThread } from '../../github/thread.ts';
import { JOURNAL } from '../../logbook/rules.ts';
import { answerDraft, seenDraft } from '../../run/command-events.ts';
import { decideNamed } from '../../run/decide-named.ts';
import { type PendingItem, pendingItems } from '../../run/pending-commands.ts';
import { quietFirst } from '../../run/untrusted.ts';
import type { OpenLab } from '../open-lab.ts';
import { readingOf } from '../reading.ts';
import { apartFromComments, contained, type Trouble } from '../trouble.ts';

/**
 * Carries out the brakes of people with a role here. Gives the threads that hold something else of theirs, which only the journal could
 * answer: they are told of it.
 */
export async function brakesWithoutJournal(
  open: OpenLab,
  triggers: readonly ReconcileRequest[],
  troubles: Trouble[],
): Promise<readonly number[]> {
  if (!open.store.current().broken.some((broken) => broken.run === JOURNAL)) return [];
  const threads = new Set(
    triggers.flatMap((one) => (one.kind === 'comment' && one.hasSlash ? [one.thread] : [])),
  );
  const owed: number[] = [];
  for (const thread of [...threads].slice(0, limits.refusedToldInMax)) {
    const isOwed = await contained(open, troubles, { run: JOURNAL, thread }, () =>
      leavesOwed(open, thread, troubles),
    );
    if (isOwed === true) owed.push(thread);
  }
  return owed;
}

/** Whether something waits in this thread that only the journal could answer. */
async function leavesOwed(open: OpenLab, thread: number, troubles: Trouble[]): Promise<boolean> {
  const items = await namingIn(open, thread, troubles);
  let isOwed = false;
  for (const { item, permission } of items) {
    const isKept = isBrake(item) && (await isCarriedOut(open, item, permission));
    isOwed ||= !isKept;
  }
  return isOwed;
}

type Named = { readonly item: PendingItem; readonly permission: Observed<Permission> };

/** What names a run that is not the thread's, and has no answer in a record that is in order. */
async function namingIn(open: OpenLab, thread: number, troubles: Trouble[]): Promise<readonly Named[]> {
  const { lab, config, store } = open;
  const since = after(lab.now(), -limits.sweepLookbackMs);
  const read = await readThread(lab.client, thread, readingOf(lab, config), since);
  if (read.kind === 'unknown') {
    lab.log(`thread ${thread}: ${read.why}`);
    return [];
  }
  const { runs } = store.current();
  const here = runs.filter(({ proposal }) => proposal.pull === thread || proposal.issue === thread);
  const known = new Map<string, SeenCommand>(runs.flatMap(({ commands }) => [...commands]));
  const isOther = ({ said }: PendingItem): boolean => {
    const run = said.kind === 'command' ? namedRun(said) : null;
    return run !== null && !here.some((state) => state.run === run);
  };
  return apartFromComments(open, troubles, async (withoutText) => {
    const comments = withoutText(read.value.comments);
    const look = { since, otherBots: config.otherBots };
    const unasked = pendingItems(known, comments, { ...look, permissions: new Map() });
    const people = quietFirst(unasked.filter((item) => item.said.kind === 'unread' || isOther(item)));
    const permissions = new Map<number, Observed<Permission>>();
    for (const person of people.slice(0, limits.permissionsPerTriggerMax))
      permissions.set(person.id, await readPermission(lab.client, person));
    return pendingItems(known, comments, { ...look, permissions }).flatMap((item) => {
      const permission = permissions.get(item.comment.author.id);
      // Who may brake is the lab's setting; a stranger fills no thread with notices.
      const isColleague = permission?.kind === 'known' && permits(permission.value, 'triage');
      return isColleague && isOther(item) ? [{ item, permission }] : [];
    });
  });
}

/** What lifts a hold or changes anything else waits for the journal: it may hold what forbids that. */
function isBrake({ said }: PendingItem): boolean {
  return said.kind === 'command' && definitionOf(said.name)?.holdsBack === true;
}

async function isCarriedOut(
  open: OpenLab,
  item: PendingItem,
  permission: Observed<Permission>,
): Promise<boolean> {
  const { store, config, lab } = open;
  const { said, comment, index } = item;
  const run = said.kind === 'command' ? namedRun(said) : null;
  if (said.kind !== 'command' || run === null) return false;
  const state = store.current().runs.find((one) => one.run === run);
  if (state === undefined || isOver(state)) return false;
  const { id, surface, thread, bodyDigest } = comment;
  const command: SeenCommand = {
    ...{ comment: id, surface, index, thread, bodyDigest, actor: comment.author },
    ...{ name: said.name, args: said.args, seq: 0, at: '', answer: null },
  };
  const decided = decideNamed({ command, run, states: [state], permission, config, now: lab.now() });
  if (decided === null) return false;
  const drafts = [seenDraft(item), ...decided.drafts, answerDraft(item, decided)];
  const result = await store.append(run, drafts, lab.now());
  if (result.kind === 'failed')
    throw new Error(`${commandKey(command)} could not be written: ${result.message}`);
  if (result.kind === 'conflict') await store.load();
  return result.kind === 'appended';
}
