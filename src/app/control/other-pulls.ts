/** What concerns pull requests without a run that is under way: labels that ask for one, reviews with commands, and files of a fork to be checked. */

import type { Instant, Sha } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import type { ReconcileRequest } from '../../domain/reconcile-request.ts';
import { after } from '../../domain/time.ts';
import { changedFiles, listMovedPulls, type MovedPull } from '../../github/moved-pulls.ts';
import { listNewReviews } from '../../github/new-comments.ts';
import { readFileText } from '../../github/repository-files.ts';
import { JOURNAL } from '../../logbook/rules.ts';
import { lanesOf } from '../../run/lane-scope.ts';
import { askedLabels } from '../../run/own-pull.ts';
import { CONFIG_PATH } from '../config-source.ts';
import type { OpenLab } from '../open-lab.ts';
import { labelledIn, laneLabels, waitingFor } from '../propose/own-pulls.ts';
import { contained, type Trouble } from '../trouble.ts';
import { putConfigCheck } from './config-check.ts';
import { INFRA_FILES_MAX, type InfraText, isInfraFile, putInfraCheck } from './infra-check.ts';
import { pullsOf, SWEEP_PAGES_MAX, triggerOf, wantedOf } from './sweep.ts';

/** How often a sweep looks at pull requests without a run of their own; each look is a request, and one for each that moved. */
const OTHER_PULLS_PERIOD_MS = 2 * 60 * 60 * 1_000;
/** How soon after a look the next event of a fork may ask for another one; the sweep makes up for it. */
const FORK_LOOK_PERIOD_MS = 60_000;

/**
 * One that a look has still to read: its reviews since a moment, after so many looks that came to nothing. It is never given
 * up, because a command may stand in it; after some tries in a row it is `restingUntil` the next full look.
 */
type Left = {
  readonly pull: MovedPull;
  readonly since: Instant;
  readonly tries: number;
  readonly restingUntil: Instant;
};

/** What was looked at, and when; `since` null = not yet. `isOwed`: a fork moved right after a look. */
export type OtherPulls = {
  readonly since: Instant | null;
  readonly isOwed: boolean;
  /** What moved beyond what one look reads, or could not be read: the next looks begin with it. */
  readonly left: readonly Left[];
  /** Heads of forks whose files were looked at. */
  readonly heads: Set<Sha>;
};

/** Nothing was looked at. */
export function noOthers(): OtherPulls {
  return { since: null, isOwed: false, left: [], heads: new Set() };
}

/** Whether a trigger tells of a fork's pull request. */
export function tellsOfFork(triggers: readonly ReconcileRequest[]): boolean {
  return triggers.some((trigger) => trigger.kind === 'thread' && trigger.isFork === true);
}

/** Whether others are looked at now: each look is a request, and whoever has a fork can push to it all day. */
export function isLookDue(
  { since, isOwed, left }: OtherPulls,
  triggers: readonly ReconcileRequest[],
  now: Instant,
): boolean {
  const ageMs = since === null ? Number.POSITIVE_INFINITY : now - since;
  if (tellsOfFork(triggers)) return ageMs >= FORK_LOOK_PERIOD_MS;
  const isSweep = triggers.some((trigger) => trigger.kind === 'sweep');
  const isWaiting = left.some(({ restingUntil }) => restingUntil <= now);
  return isSweep && (isOwed || isWaiting || ageMs >= OTHER_PULLS_PERIOD_MS);
}

/** What a look found, and what it left to the next one. */
export type Looked = { readonly triggers: readonly ReconcileRequest[]; readonly left: readonly Left[] };

/** Puts the checks on forks' configs and cluster files and gives triggers for the commands in reviews; null where the list could not be read. */
export async function lookAtOthers(
  open: OpenLab,
  others: OtherPulls,
  troubles: Trouble[],
): Promise<Looked | null> {
  const { lab } = open;
  const since =
    others.since === null
      ? after(lab.now(), -limits.sweepLookbackMs)
      : after(others.since, -limits.sweepSlackMs);
  const listed = await listMovedPulls(lab.client, since, SWEEP_PAGES_MAX);
  if (listed.kind === 'unknown') {
    lab.log(`sweep: ${listed.why}`);
    return null;
  }
  if (!listed.value.isWhole) lab.log('sweep: more pull requests moved than one look lists');
  const concerns = concernsOf(open, others, since);
  const now = lab.now();
  const all = waitingOf(others.left, listed.value.moved, since).filter(
    ({ pull }) => concerns.asFork(pull) || concerns.asReviewed(pull),
  );
  const [due, resting] = [
    all.filter((one) => one.restingUntil <= now),
    all.filter((one) => one.restingUntil > now),
  ];
  const triggers: ReconcileRequest[] = await labelledPulls(open, listed.value.moved);
  const again: Left[] = [];
  for (const one of due.slice(0, limits.otherPullsMax)) {
    const where = { run: JOURNAL, thread: one.pull.number };
    const isDone = await contained(open, troubles, where, async () => {
      const isChecked = !concerns.asFork(one.pull) || (await checkFork(open, one.pull, others.heads));
      const found = concerns.asReviewed(one.pull) ? await reviewsOf(open, one, troubles) : [];
      if (found !== null) triggers.push(...found);
      return isChecked && found !== null;
    });
    if (isDone !== true) again.push(triedAgain(one, now));
  }
  return { triggers, left: [...due.slice(limits.otherPullsMax), ...resting, ...again] };
}

/** Those that ask for a run by their label: what moved, and what waits in a lane that has room by now. */
async function labelledPulls(open: OpenLab, moved: readonly MovedPull[]): Promise<ReconcileRequest[]> {
  const found = moved.flatMap(({ number, isOpen, labels }): ReconcileRequest[] =>
    isOpen ? [{ kind: 'thread', thread: number, labels }] : [],
  );
  for (const config of lanesOf(open.config))
    for (const thread of await waitingFor({ ...open, config }))
      found.push({ kind: 'thread', thread, labels: askedLabels(config) });
  return labelledIn(open, found).map((thread) => ({ kind: 'thread', thread, labels: laneLabels(open) }));
}

/** A moment's trouble is over at the next sweep; what is not is asked for as rarely as anything else here. */
function triedAgain(one: Left, now: Instant): Left {
  const tries = one.tries + 1;
  const restMs = tries < limits.effectTriesMax ? 0 : OTHER_PULLS_PERIOD_MS;
  return { ...one, tries, restingUntil: after(now, restMs) };
}

/** What was left before comes first, as it is now if it moved again; then what moved, oldest first. */
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

type Concerns = {
  /** A head of a fork that was not looked at yet. */
  readonly asFork: (pull: MovedPull) => boolean;
  /** Answers at all (a run's, or labelled as an experiment), and no other sweep reads its reviews. */
  readonly asReviewed: (pull: MovedPull) => boolean;
};

function concernsOf({ store }: OpenLab, { heads }: OtherPulls, since: Instant): Concerns {
  const { runs } = store.current();
  const swept = new Set(pullsOf(store.current(), since));
  const ours = new Set(runs.map(({ proposal }) => proposal.pull));
  return {
    asFork: ({ isFork, isOpen, headSha }) => isFork && isOpen && !heads.has(headSha),
    asReviewed: ({ number, labels }) =>
      !swept.has(number) && (ours.has(number) || labels.includes('experiment')),
  };
}

/** Null where they could not be read. */
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

/** A fork pushes nothing here, and its commits are in no mirror: GitHub itself is asked for the few files. */
async function checkFork(open: OpenLab, { number, headSha }: MovedPull, heads: Set<Sha>): Promise<boolean> {
  const changes = await changedFiles(open.lab.client, number, SWEEP_PAGES_MAX);
  if (changes.kind === 'unknown') {
    open.lab.log(`#${number} of a fork is not checked: ${changes.why}`);
    return false;
  }
  const isDone = [
    await checkForkConfig(open, headSha, changes.value),
    await checkForkInfra(open, headSha, changes.value),
  ];
  if (isDone.includes(false)) return false;
  heads.add(headSha);
  return true;
}

/** Whether nothing is left to do: the check stands there, or there is nothing to check. */
async function checkForkConfig(open: OpenLab, head: Sha, changed: readonly string[]): Promise<boolean> {
  if (!changed.includes(CONFIG_PATH)) return true;
  const text = await readOf(open, CONFIG_PATH, head);
  return text !== null && (await putConfigCheck(open, head, text));
}

async function checkForkInfra(open: OpenLab, head: Sha, changed: readonly string[]): Promise<boolean> {
  const paths = changed.filter((path) => isInfraFile(open.config, path));
  const files: InfraText[] = [];
  for (const path of paths.slice(0, INFRA_FILES_MAX)) {
    const text = await readOf(open, path, head);
    if (text === null) return false;
    files.push({ path, text });
  }
  return (await putInfraCheck(open, head, files, paths.length - files.length)) !== 'not-put';
}

async function readOf({ lab }: OpenLab, path: string, head: Sha): Promise<string | null> {
  const text = await readFileText(lab.client, path, head);
  if (text.kind === 'known') return text.value;
  lab.log(`${path} at ${head} of a fork is not checked: ${text.why}`);
  return null;
}
