/** The check run on a head commit: one per commit and name, found again by name, with annotations in GitHub's batches of 50. */

import { z } from 'zod';
import type { Effect, EffectOutcome } from '../domain/effect.ts';
import { call, type GitHubClient } from './call.ts';
import { idOf } from './comments.ts';

/** The name under which a lab sees the gates beside its own checks. */
export const CHECK_NAME = 'ferrybot / launch gate';

/** All names under which we put check runs; none is a condition of a launch. */
export const CHECK_NAMES = {
  'launch-gate': CHECK_NAME,
  config: 'ferrybot / config',
  infra: 'ferrybot / infra',
} as const;

const listed = z.object({
  check_runs: z.array(z.object({ id: z.number().int(), external_id: z.string().nullish() })),
});
/** GitHub REST, checks: at most 50 annotations a request. */
const ANNOTATIONS_MAX = 50;
const TITLE_MAX = 250;
const SUMMARY_MAX = 65_535;

/** Creates or updates the check run. The App is asked for its own runs only, by name. */
export async function putCheckRun(
  client: GitHubClient,
  effect: Extract<Effect, { kind: 'put-check-run' }>,
): Promise<EffectOutcome> {
  const found: Found =
    effect.existing === null ? await findCheckRun(client, effect) : { kind: 'found', id: effect.existing };
  if (found.kind === 'unreadable') return { kind: 'unknown', message: found.why };
  const state =
    effect.conclusion === null
      ? { status: 'in_progress' }
      : { status: 'completed', conclusion: effect.conclusion };
  const output = {
    title: effect.title.slice(0, TITLE_MAX),
    summary: effect.summary.slice(0, SUMMARY_MAX),
    annotations: effect.annotations.slice(0, ANNOTATIONS_MAX).map((a) => ({
      path: a.path,
      start_line: a.line,
      end_line: a.line,
      annotation_level: a.level,
      title: a.title,
      message: a.message,
    })),
  };
  const fields = {
    name: CHECK_NAMES[effect.check ?? 'launch-gate'],
    external_id: effect.externalId,
    ...state,
    output,
  };
  if (found.kind === 'found') {
    const updated = idOf(
      await call(client, 'PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}', {
        check_run_id: found.id,
        ...fields,
      }),
    );
    // Only the App that made a check run may change it: a lab that moved from workflows to the App gets a new one.
    if (updated.kind !== 'refused' || updated.code !== '403' || effect.onlyOwn === true) return updated;
  }
  if (effect.onlyOwn === true)
    return { kind: 'refused', code: 'none-of-ours', message: 'there is no such check run' };
  return idOf(
    await call(client, 'POST /repos/{owner}/{repo}/check-runs', { head_sha: effect.head, ...fields }),
  );
}

type Found =
  | { readonly kind: 'found'; readonly id: number }
  | { readonly kind: 'none' }
  | { readonly kind: 'unreadable'; readonly why: string };

async function findCheckRun(
  client: GitHubClient,
  effect: Extract<Effect, { kind: 'put-check-run' }>,
): Promise<Found> {
  const outcome = await call(client, 'GET /repos/{owner}/{repo}/commits/{ref}/check-runs', {
    ref: effect.head,
    check_name: CHECK_NAMES[effect.check ?? 'launch-gate'],
    filter: 'all',
  });
  if (outcome.kind !== 'answered') return { kind: 'unreadable', why: outcome.message };
  const parsed = listed.safeParse(outcome.data);
  if (!parsed.success) return { kind: 'unreadable', why: 'an answer of another shape' };
  const run = parsed.data.check_runs.find((r) => r.external_id === effect.externalId);
  return run === undefined ? { kind: 'none' } : { kind: 'found', id: run.id };
}
