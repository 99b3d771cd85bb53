/** Handles `/stop` and `/teardown` for runs with a broken record: reads the commands from the threads and stops the job by its id. */

import { stop } from '../commands/brakes.ts';
import { namedRun, namesOther } from '../commands/registry.ts';
import { teardown } from '../commands/requests.ts';
import { permits } from '../domain/actor.ts';
import type { CommentFacts } from '../domain/facts.ts';
import { limits } from '../domain/limits.ts';
import { rentalTerms } from '../domain/logbook/holdings.ts';
import { isHolding } from '../domain/logbook/job-state.ts';
import { isOver, type RunState } from '../domain/logbook/run-state.ts';
import type { ReconcileRequest } from '../domain/reconcile-request.ts';
import { after, type Instant, toRfc3339 } from '../domain/values.ts';
import { readPermission } from '../github/settings.ts';
import { readThread } from '../github/threads.ts';
import { JOURNAL } from '../logbook/chain.ts';
import { configFor } from '../run/lane.ts';
import { type PendingItem, pendingItems, quietFirst } from '../run/pending-commands.ts';
import { commentsElsewhere } from './brakes-elsewhere.ts';
import { stateAfter, WHOLE_BRANCH } from './broken-run.ts';
import { perform } from './control/perform.ts';
import { readingOf } from './markers.ts';
import type { OpenLab } from './open-lab.ts';
import type { Record } from './record-files.ts';
import { apartFromComments, contained, type Trouble } from './trouble.ts';

/** Retry interval while the record is broken. */
export const STOP_AGAIN_MS = 10 * 60 * 1_000;

/** Dispatch reason for stopping a job. */
export function stopByJobId(run: string): string {
  return `${run} stop`;
}

/** `asked`: when this process last started the stop workflow, by run and reason. */
export async function dispatchStops(
  open: OpenLab,
  triggers: readonly ReconcileRequest[],
  asked: Map<string, Instant>,
  troubles: Trouble[],
): Promise<void> {
  const { config, lab, store } = open;
  const isWokenBy = (...kinds: readonly ReconcileRequest['kind'][]): boolean =>
    triggers.some(({ kind }) => kinds.includes(kind));
  const stoppable = isWokenBy('comment', 'sweep', 'push') ? runsToStopById(store.current()) : [];
  const rentals = isWokenBy('sweep', 'workflow-ended') ? brokenRentals(store.current()) : [];
  const all = [
    stoppable.map((state) => ({ state, isRental: false })),
    rentals.map((state) => ({ state, isRental: true })),
  ];
  for (const { state, isRental } of all.flat()) {
    const { run } = state;
    const reason = isRental ? `${run} rents` : stopByJobId(run);
    if (lab.now() - (asked.get(reason) ?? 0) < STOP_AGAIN_MS) continue;
    await contained(open, troubles, { run, thread: null }, async () => {
      const stop = await apartFromComments(open, troubles, async (withoutText) =>
        isRental ? null : findStop(open, state, withoutText),
      );
      if (stop === null && !isRental) return;
      asked.set(reason, lab.now());
      lab.log('the record is broken: the stop workflow is started', { run });
      await perform(open, {
        kind: 'dispatch-workflow',
        workflow: config.workflows.stop,
        ref: configFor(config, state).lane.targetBranch,
        inputs: { run },
      });
    });
  }
}

/** Maximum age of a stop request. */
const STOP_REACH_MS = 90 * 60 * 1_000;
/** Commands that end a run. */
export const ENDING: readonly string[] = [stop.name, teardown.name];

/** Live runs with a broken record, each in its last good state. */
export function brokenRuns({ broken, good }: Record): readonly RunState[] {
  return [...good].flatMap(([run, { events }]) => {
    const state = run !== JOURNAL && isBroken(broken, run) ? stateAfter(events) : null;
    return state === null || isOver(state) ? [] : [state];
  });
}

/** Broken runs that may have a rented machine; they cannot start a watch. */
export function brokenRentals(record: Record): readonly RunState[] {
  return brokenRuns(record).filter((state) => rentalTerms(state) !== null && isHolding(state));
}

/** Live runs with a job or a machine, if the record may be unable to store a stop. */
export function runsToStopById(record: Record): readonly RunState[] {
  // A run with a good record stops itself, unless its stop is recorded in a broken journal.
  const unheard = isBroken(record.broken, JOURNAL) ? record.runs.filter(({ stop }) => stop === null) : [];
  return [...unheard, ...brokenRuns(record)].filter(
    (state) => !isOver(state) && state.submission !== null && isHolding(state),
  );
}

function isBroken(broken: Record['broken'], name: string): boolean {
  return broken.some(({ run }) => run === name || run === WHOLE_BRANCH);
}

/** Finds a stop by a person with permission, in the form that the record uses; null if there is none. */
export async function findStop(
  open: OpenLab,
  state: RunState,
  withoutText: (comments: readonly CommentFacts[]) => readonly CommentFacts[],
): Promise<RunState['stop']> {
  const { lab, config } = open;
  if (state.stop !== null) return state.stop;
  const comments = withoutText(await commentsFor(open, state));
  const look = { since: after(lab.now(), -STOP_REACH_MS), otherBots: config.otherBots };
  const unasked = pendingItems(state.commands, comments, { ...look, permissions: new Map() });
  const people = quietFirst(unasked.filter((item) => item.said.kind === 'unread' || isStopOf(item, state)));
  for (const person of people.slice(0, limits.permissionsPerTriggerMax)) {
    const permission = await readPermission(lab.client, person);
    if (permission.kind !== 'known' || !permits(permission.value, config.permissions.stop)) continue;
    const permissions = new Map([[person.id, permission]]);
    const found = pendingItems(state.commands, comments, { ...look, permissions }).find(
      (item) => item.comment.author.id === person.id && isStopOf(item, state),
    );
    if (found === undefined) continue;
    const { id: comment, author: actor, createdAt } = found.comment;
    return { actor, comment, at: toRfc3339(createdAt), seq: state.head.seq };
  }
  return null;
}

/** Comments in the run's threads, and in other threads if they name the run. Failed reads are retried at the next trigger. */
async function commentsFor(open: OpenLab, { run, proposal }: RunState): Promise<readonly CommentFacts[]> {
  const { lab, config } = open;
  const since = after(lab.now(), -STOP_REACH_MS);
  const own: CommentFacts[] = [];
  for (const thread of new Set([proposal.pull, proposal.issue])) {
    const read = await readThread(lab.client, thread, readingOf(lab, config), since);
    if (read.kind === 'known') own.push(...read.value.comments);
    else lab.log(`thread ${thread}: ${read.why}`);
  }
  const others = await commentsElsewhere(lab, since, own);
  if (others.kind === 'known') return [...own, ...others.value];
  lab.log(`what was said elsewhere of ${run}: ${others.why}`);
  return own;
}

function isStopOf({ said, comment }: PendingItem, { run, proposal }: RunState): boolean {
  if (said.kind !== 'command' || !ENDING.includes(said.name)) return false;
  const isOwn = comment.thread === proposal.pull || comment.thread === proposal.issue;
  return isOwn ? !namesOther(said, run) : namedRun(said) === run;
}
