/** Handles `/stop` and `/teardown` for runs with a broken record: reads the commands from the threads and stops the job by its id. */

import { stop } from '../commands/brakes.ts';
import { namesOtherRun, runArgument } from '../commands/registry.ts';
import { teardown } from '../commands/requests.ts';
import { permits } from '../domain/actor.ts';
import type { CommentFacts } from '../domain/facts.ts';
import { limits } from '../domain/limits.ts';
import { rentalTerms } from '../domain/logbook/holdings.ts';
import { isBilled } from '../domain/logbook/job-state.ts';
import { isOver, type RunState } from '../domain/logbook/run-state.ts';
import type { ReconcileRequest } from '../domain/reconcile-request.ts';
import { addMs, type Instant, toRfc3339 } from '../domain/values.ts';
import { readPermission } from '../github/settings.ts';
import { readThread } from '../github/threads.ts';
import { JOURNAL } from '../logbook/chain.ts';
import { configForRun } from '../run/lane.ts';
import { listPendingItems, type PendingItem, sortAuthors } from '../run/pending-commands.ts';
import { listBrakesInOtherThreads } from './brakes-elsewhere.ts';
import { foldState, WHOLE_BRANCH } from './broken-run.ts';
import { guard, skipBadComments, type Trouble } from './contained-errors.ts';
import { performEffect } from './control/perform.ts';
import { threadReading } from './markers.ts';
import type { OpenLab } from './open-lab.ts';
import type { Record } from './record-files.ts';

/** Retry interval while the record is broken. */
export const STOP_AGAIN_MS = 10 * 60 * 1_000;

/** Dispatch reason for stopping a job. */
export function stopDispatchReason(run: string): string {
  return `${run} stop`;
}

/** `asked`: when this process last started the stop workflow, by run and reason. */
export async function dispatchStopsById(
  open: OpenLab,
  triggers: readonly ReconcileRequest[],
  asked: Map<string, Instant>,
  troubles: Trouble[],
): Promise<void> {
  const { config, lab, store } = open;
  const isTriggeredBy = (...kinds: readonly ReconcileRequest['kind'][]): boolean =>
    triggers.some(({ kind }) => kinds.includes(kind));
  const stoppable = isTriggeredBy('comment', 'sweep', 'push') ? listRunsToStopById(store.current()) : [];
  const rentals = isTriggeredBy('sweep', 'workflow-ended') ? listBrokenRentals(store.current()) : [];
  const all = [
    stoppable.map((state) => ({ state, isRental: false })),
    rentals.map((state) => ({ state, isRental: true })),
  ];
  for (const { state, isRental } of all.flat()) {
    const { run } = state;
    const reason = isRental ? `${run} rents` : stopDispatchReason(run);
    if (lab.now() - (asked.get(reason) ?? 0) < STOP_AGAIN_MS) continue;
    await guard(open, troubles, { run, thread: null }, async () => {
      const stop = await skipBadComments(open, troubles, async (withoutText) =>
        isRental ? null : findStop(open, state, withoutText),
      );
      if (stop === null && !isRental) return;
      asked.set(reason, lab.now());
      lab.log('the record is broken: the stop workflow is started', { run });
      await performEffect(open, {
        kind: 'dispatch-workflow',
        workflow: config.workflows.stop,
        ref: configForRun(config, state).lane.targetBranch,
        inputs: { run },
      });
    });
  }
}

/** Maximum age of a stop request. */
const STOP_REACH_MS = 90 * 60 * 1_000;
/** Commands that end a run. */
export const ENDING_TRIGGERS: readonly string[] = [stop.name, teardown.name];

/** Live runs with a broken record, each in its last good state. */
export function listBrokenRuns({ broken, goodFiles }: Record): readonly RunState[] {
  return [...goodFiles].flatMap(([run, { events }]) => {
    const state = run !== JOURNAL && isBroken(broken, run) ? foldState(events) : null;
    return state === null || isOver(state) ? [] : [state];
  });
}

/** Broken runs that may have a rented machine; they cannot start a watch. */
export function listBrokenRentals(record: Record): readonly RunState[] {
  return listBrokenRuns(record).filter((state) => rentalTerms(state) !== null && isBilled(state));
}

/** Live runs with a job or a machine, if the record may be unable to store a stop. */
export function listRunsToStopById(record: Record): readonly RunState[] {
  // A run with a good record stops itself, unless its stop is recorded in a broken journal.
  const unheard = isBroken(record.broken, JOURNAL) ? record.runs.filter(({ stop }) => stop === null) : [];
  return [...unheard, ...listBrokenRuns(record)].filter(
    (state) => !isOver(state) && state.submission !== null && isBilled(state),
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
  const comments = withoutText(await readRunComments(open, state));
  const look = { since: addMs(lab.now(), -STOP_REACH_MS), otherBots: config.otherBots };
  const unasked = listPendingItems(state.commands, comments, { ...look, permissions: new Map() });
  const people = sortAuthors(unasked.filter((item) => item.parsed.kind === 'unread' || isStopCommand(item, state)));
  for (const person of people.slice(0, limits.permissionsPerTriggerMax)) {
    const permission = await readPermission(lab.client, person);
    if (permission.kind !== 'known' || !permits(permission.value, config.permissions.stop)) continue;
    const permissions = new Map([[person.id, permission]]);
    const found = listPendingItems(state.commands, comments, { ...look, permissions }).find(
      (item) => item.comment.author.id === person.id && isStopCommand(item, state),
    );
    if (found === undefined) continue;
    const { id: comment, author: actor, createdAt } = found.comment;
    return { actor, comment, at: toRfc3339(createdAt), seq: state.head.seq };
  }
  return null;
}

/** Comments in the run's threads, and in other threads if they name the run. Failed reads are retried at the next trigger. */
async function readRunComments(open: OpenLab, { run, proposal }: RunState): Promise<readonly CommentFacts[]> {
  const { lab, config } = open;
  const since = addMs(lab.now(), -STOP_REACH_MS);
  const own: CommentFacts[] = [];
  for (const thread of new Set([proposal.pull, proposal.issue])) {
    const read = await readThread(lab.client, thread, threadReading(lab, config), since);
    if (read.kind === 'known') own.push(...read.value.comments);
    else lab.log(`thread ${thread}: ${read.why}`);
  }
  const others = await listBrakesInOtherThreads(lab, since, own);
  if (others.kind === 'known') return [...own, ...others.value];
  lab.log(`what was said elsewhere of ${run}: ${others.why}`);
  return own;
}

function isStopCommand({ parsed, comment }: PendingItem, { run, proposal }: RunState): boolean {
  if (parsed.kind !== 'command' || !ENDING_TRIGGERS.includes(parsed.name)) return false;
  const isOwn = comment.thread === proposal.pull || comment.thread === proposal.issue;
  return isOwn ? !namesOtherRun(parsed, run) : runArgument(parsed) === run;
}
