/** What concerns pull requests without a run that is under way: reviews with commands, and files to be checked that come from a fork. */

import type { Instant, Sha } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import { after } from '../../domain/time.ts';
import type { Wake } from '../../domain/wake.ts';
import { changedFiles, listMovedPulls, type MovedPull } from '../../github/moved-pulls.ts';
import { listNewReviews } from '../../github/new-comments.ts';
import { readFileText } from '../../github/repository-files.ts';
import { CONFIG_PATH } from '../config-source.ts';
import type { OpenLab } from '../open-lab.ts';
import { putConfigCheck } from './config-check.ts';
import { type InfraText, isInfraFile, putInfraCheck } from './infra-check.ts';
import { pullsOf, wakeOf, wantedOf } from './sweep.ts';

/** What was looked at, and when; `since` null = not yet. `isOwed`: a fork moved right after a look. */
export type OtherPulls = {
  readonly since: Instant | null;
  readonly isOwed: boolean;
  /** Heads of forks whose files were looked at. */
  readonly heads: Set<Sha>;
};

/** Nothing was looked at. */
export function noOthers(): OtherPulls {
  return { since: null, isOwed: false, heads: new Set() };
}

/** Whether a wake tells of a fork's pull request. */
export function tellsOfFork(wakes: readonly Wake[]): boolean {
  return wakes.some((wake) => wake.kind === 'thread' && wake.isFork === true);
}

/** Whether others are looked at now: each look is a request, and whoever has a fork can push to it all day. */
export function isLookDue({ since, isOwed }: OtherPulls, wakes: readonly Wake[], now: Instant): boolean {
  const ageMs = since === null ? Number.POSITIVE_INFINITY : now - since;
  if (tellsOfFork(wakes)) return ageMs >= limits.forkLookPeriodMs;
  const isSweep = wakes.some((wake) => wake.kind === 'sweep');
  return isSweep && (isOwed || ageMs >= limits.otherPullsPeriodMs);
}

/** Puts the checks on forks' configs and cluster files and gives wakes for the commands in reviews; null where the list could not be read. */
export async function lookAtOthers(open: OpenLab, others: OtherPulls): Promise<readonly Wake[] | null> {
  const { lab } = open;
  const since =
    others.since === null
      ? after(lab.now(), -limits.sweepLookbackMs)
      : after(others.since, -limits.sweepSlackMs);
  const moved = await listMovedPulls(lab.client, since);
  if (moved.kind === 'unknown') {
    lab.log(`sweep: ${moved.why}`);
    return null;
  }
  await checkForks(open, moved.value, others.heads);
  return reviewsIn(open, moved.value, since);
}

/** Reviews of pull requests that answer at all (a run's, or labelled as an experiment) and that no other sweep reads. */
async function reviewsIn(
  open: OpenLab,
  moved: readonly MovedPull[],
  since: Instant,
): Promise<readonly Wake[] | null> {
  const { runs } = open.keeper.current();
  const swept = new Set(pullsOf(open.keeper.current(), since));
  const ours = new Set(runs.map(({ proposal }) => proposal.pull));
  const concerned = moved.filter(
    ({ number, labels }) => !swept.has(number) && (ours.has(number) || labels.includes('experiment')),
  );
  const wakes: Wake[] = [];
  for (const { number } of concerned.slice(0, limits.otherPullsMax)) {
    const listed = await listNewReviews(open.lab.client, number, since, limits.sweepPagesMax);
    if (listed.kind === 'unknown') {
      open.lab.log(`sweep: ${listed.why}`);
      return null;
    }
    wakes.push(...wantedOf(open, listed.value).map(wakeOf));
  }
  return wakes;
}

/** A fork pushes nothing here, and its commits are in no mirror: GitHub itself is asked for the few files. */
async function checkForks(open: OpenLab, moved: readonly MovedPull[], heads: Set<Sha>): Promise<void> {
  const fresh = moved.filter(({ isFork, isOpen, headSha }) => isFork && isOpen && !heads.has(headSha));
  for (const { number, headSha } of fresh.slice(0, limits.otherPullsMax)) {
    const changes = await changedFiles(open.lab.client, number, limits.sweepPagesMax);
    if (changes.kind === 'unknown') {
      open.lab.log(`#${number} of a fork is not checked: ${changes.why}`);
      continue;
    }
    const isDone = [
      await checkForkConfig(open, headSha, changes.value),
      await checkForkInfra(open, headSha, changes.value),
    ];
    if (!isDone.includes(false)) heads.add(headSha);
  }
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
  for (const path of paths.slice(0, limits.infraFilesMax)) {
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
