/** What concerns pull requests without a run that is under way: reviews with commands, and a config that comes from a fork. */

import type { Instant, Sha } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import { after } from '../../domain/time.ts';
import type { Wake } from '../../domain/wake.ts';
import { changesFile, listMovedPulls, type MovedPull } from '../../github/moved-pulls.ts';
import { listNewReviews } from '../../github/new-comments.ts';
import { readFileText } from '../../github/repository-files.ts';
import { CONFIG_PATH } from '../config-source.ts';
import type { OpenLab } from '../open-lab.ts';
import { putConfigCheck } from './config-check.ts';
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

/** Puts the check on forks' configs and gives wakes for the commands in reviews; null where the list could not be read. */
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

/** A fork pushes nothing here, and its commits are in no mirror: GitHub itself is asked for the one file. */
async function checkForks(open: OpenLab, moved: readonly MovedPull[], heads: Set<Sha>): Promise<void> {
  const fresh = moved.filter(({ isFork, isOpen, headSha }) => isFork && isOpen && !heads.has(headSha));
  for (const { number, headSha } of fresh.slice(0, limits.otherPullsMax)) {
    const { client } = open.lab;
    const changes = await changesFile(client, number, CONFIG_PATH, limits.sweepPagesMax);
    if (changes.kind === 'unknown') open.lab.log(`the config of #${number} is not checked: ${changes.why}`);
    else if (!changes.value) heads.add(headSha);
    else {
      const text = await readFileText(client, CONFIG_PATH, headSha);
      if (text.kind === 'unknown') open.lab.log(`the config of #${number} is not checked: ${text.why}`);
      else if (await putConfigCheck(open, headSha, text.value)) heads.add(headSha);
    }
  }
}
