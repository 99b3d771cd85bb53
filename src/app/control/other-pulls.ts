/** Finds what concerns pull requests without an active run: labels that ask for one, and reviews with commands. */

import type { Instant } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import type { ReconcileRequest } from '../../domain/reconcile-request.ts';
import { after } from '../../domain/time.ts';
import { listMovedPulls, type MovedPull } from '../../github/moved-pulls.ts';
import { listNewReviews } from '../../github/new-comments.ts';
import { JOURNAL } from '../../logbook/rules.ts';
import { lanesOf } from '../../run/lane-scope.ts';
import { askedLabels } from '../../run/own-pull.ts';
import type { OpenLab } from '../open-lab.ts';
import { labelledIn, laneLabels, waitingFor } from '../propose/own-pulls.ts';
import { contained, type Trouble } from '../trouble.ts';
import { pullsOf, SWEEP_PAGES_MAX, triggerOf, wantedOf } from './sweep.ts';

/** A search costs one request, and one more for each pull request that changed. */
const OTHER_PULLS_PERIOD_MS = 2 * 60 * 60 * 1_000;

/**
 * A pull request with unread reviews. It is never dropped, because a review may hold a command; after some
 * failures it rests until `restingUntil`.
 */
type Left = {
  readonly pull: MovedPull;
  readonly since: Instant;
  readonly tries: number;
  readonly restingUntil: Instant;
};

/** When pull requests were last searched (null: never), and which ones are still to be read. */
export type OtherPulls = { readonly since: Instant | null; readonly left: readonly Left[] };

/** Whether a sweep searches other pull requests now. */
export function areOthersDue({ since, left }: OtherPulls, now: Instant): boolean {
  const isWaiting = left.some(({ restingUntil }) => restingUntil <= now);
  const isPeriodOver = since === null || now - since >= OTHER_PULLS_PERIOD_MS;
  return isWaiting || isPeriodOver;
}

/** Triggers for labelled pull requests and for commands in reviews, and what is still to be read. Null if listing failed. */
export async function searchOthers(
  open: OpenLab,
  others: OtherPulls,
  troubles: Trouble[],
): Promise<{ readonly triggers: readonly ReconcileRequest[]; readonly left: readonly Left[] } | null> {
  const { lab } = open;
  const now = lab.now();
  const since =
    others.since === null ? after(now, -limits.sweepLookbackMs) : after(others.since, -limits.sweepSlackMs);
  const listed = await listMovedPulls(lab.client, since, SWEEP_PAGES_MAX);
  if (listed.kind === 'unknown') {
    lab.log(`sweep: ${listed.why}`);
    return null;
  }
  if (!listed.value.isWhole) lab.log('sweep: more pull requests moved than one search lists');
  const mayHoldCommands = reviewFilter(open, since);
  const all = waitingOf(others.left, listed.value.moved, since).filter(({ pull }) => mayHoldCommands(pull));
  const due = all.filter((one) => one.restingUntil <= now);
  const resting = all.filter((one) => one.restingUntil > now);
  const triggers: ReconcileRequest[] = await labelledPulls(open, listed.value.moved);
  const again: Left[] = [];
  for (const one of due.slice(0, limits.otherPullsMax)) {
    const where = { run: JOURNAL, thread: one.pull.number };
    const found = await contained(open, troubles, where, () => reviewsOf(open, one, troubles));
    if (found === null) again.push(triedAgain(one, now));
    else triggers.push(...found);
  }
  return { triggers, left: [...due.slice(limits.otherPullsMax), ...resting, ...again] };
}

/** Labelled pull requests that changed, and those that wait for their lane. */
async function labelledPulls(open: OpenLab, moved: readonly MovedPull[]): Promise<ReconcileRequest[]> {
  const found = moved.flatMap(({ number, isOpen, labels }): ReconcileRequest[] =>
    isOpen ? [{ kind: 'thread', thread: number, labels }] : [],
  );
  for (const config of lanesOf(open.config))
    for (const thread of await waitingFor({ ...open, config }))
      found.push({ kind: 'thread', thread, labels: askedLabels(config) });
  return labelledIn(open, found).map((thread) => ({ kind: 'thread', thread, labels: laneLabels(open) }));
}

/** Retries at the next sweep; after several failures, only once per period. */
function triedAgain(one: Left, now: Instant): Left {
  const tries = one.tries + 1;
  const restMs = tries < limits.effectTriesMax ? 0 : OTHER_PULLS_PERIOD_MS;
  return { ...one, tries, restingUntil: after(now, restMs) };
}

/** Earlier ones first, then what changed, oldest first. */
function waitingOf(left: readonly Left[], moved: readonly MovedPull[], since: Instant): readonly Left[] {
  const waiting = new Map(left.map((one) => [one.pull.number, one]));
  for (const pull of moved.toReversed())
    waiting.set(pull.number, {
      since: waiting.get(pull.number)?.since ?? since,
      pull,
      tries: 0,
      restingUntil: since,
    });
  return [...waiting.values()];
}

/** Pull requests that ferrybot answers in, except those that another sweep reads. */
function reviewFilter({ store }: OpenLab, since: Instant): (pull: MovedPull) => boolean {
  const record = store.current();
  const swept = new Set(pullsOf(record, since));
  const ours = new Set(record.runs.map(({ proposal }) => proposal.pull));
  return ({ number, labels }) => !swept.has(number) && (ours.has(number) || labels.includes('experiment'));
}

/** Null if the reviews could not be read. */
async function reviewsOf(
  open: OpenLab,
  { pull, since }: Left,
  troubles: Trouble[],
): Promise<readonly ReconcileRequest[] | null> {
  const listed = await listNewReviews(open.lab.client, pull.number, since, SWEEP_PAGES_MAX);
  if (listed.kind === 'known') return wantedOf(open, listed.value, troubles).map(triggerOf);
  open.lab.log(`sweep: ${listed.why}`);
  return null;
}
