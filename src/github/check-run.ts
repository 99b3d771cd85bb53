/** One check run per commit and name, found again by name. */

import { z } from 'zod';
import type { Annotation, Effect, EffectOutcome } from '../domain/effect.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';
import { cutText } from '../domain/text.ts';
import { call, type GitHubClient, PAGE_ROWS, read, readPages } from './call.ts';
import { idOf } from './comments.ts';

/** GitHub takes as many in one request (REST, checks); the summary lists the others. */
const ANNOTATIONS_MAX = 50;

/** Existing annotations that are read. */
const ANNOTATION_PAGES_MAX = 10;

type SentAnnotation = ReturnType<typeof sentAs>;

const standing = z.object({
  path: z.string(),
  start_line: z.number().int(),
  annotation_level: z.string(),
  title: z.string().nullish(),
  message: z.string(),
});

/**
 * The annotations that the check run `id` lacks, because GitHub appends those of an update; `id` null: a new check run. Unknown if the
 * existing ones cannot be read.
 */
async function missingAnnotations(
  client: GitHubClient,
  id: number | null,
  all: readonly Annotation[],
): Promise<Observed<readonly SentAnnotation[]>> {
  const wanted = all.slice(0, ANNOTATIONS_MAX).map(sentAs);
  if (id === null || wanted.length === 0) return known(wanted);
  const route = 'GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations';
  const existing = await readPages(client, route, standing, {
    check_run_id: id,
    pagesMax: ANNOTATION_PAGES_MAX,
  });
  if (existing.kind === 'unknown') return existing;
  if (!existing.value.isWhole)
    return unknown(`more than ${ANNOTATION_PAGES_MAX * PAGE_ROWS} annotations stand there`);
  const there = new Set(existing.value.rows.map(keyOf));
  return known(wanted.filter((one) => !there.has(keyOf(one))));
}

function keyOf({ path, start_line, annotation_level, title, message }: z.infer<typeof standing>): string {
  return JSON.stringify([path, start_line, annotation_level, title ?? '', message]);
}

function sentAs({ path, line, level, title, message }: Annotation) {
  return { path, start_line: line, end_line: line, annotation_level: level, title, message };
}

/** Name of the gates' check run. */
export const CHECK_NAME = 'ferrybot / launch gate';

/** ferrybot's check runs; launches never depend on them. */
export const CHECK_NAMES = {
  'launch-gate': CHECK_NAME,
  config: 'ferrybot / config',
  infra: 'ferrybot / infra',
} as const;

const listed = z.object({
  check_runs: z.array(z.object({ id: z.number().int(), external_id: z.string().nullish() })),
});
/** GitHub's limit of a summary (docs.github.com/rest/checks/runs). */
const TITLE_MAX = 250;
const SUMMARY_MAX = 65_535;

/** Creates or updates the check run. GitHub lists only the App's own runs. */
export async function putCheckRun(client: GitHubClient, effect: CheckEffect): Promise<EffectOutcome> {
  const found = effect.existing === null ? await findCheckRun(client, effect) : known(effect.existing);
  if (found.kind === 'unknown') return { kind: 'unknown', message: found.why };
  if (found.value !== null) {
    const updated = await put(client, effect, found.value);
    // Only the creating App may change a check run, so another App creates a new one.
    if (updated.kind !== 'refused' || updated.code !== '403' || effect.onlyOwn === true) return updated;
  }
  if (effect.onlyOwn === true)
    return { kind: 'refused', code: 'none-of-ours', message: 'there is no such check run' };
  return put(client, effect, null);
}

async function put(client: GitHubClient, effect: CheckEffect, id: number | null): Promise<EffectOutcome> {
  const annotations = await missingAnnotations(client, id, effect.annotations);
  if (annotations.kind === 'unknown') return { kind: 'unknown', message: annotations.why };
  const fields = fieldsOf(effect, annotations.value);
  return idOf(
    id === null
      ? await call(client, 'POST /repos/{owner}/{repo}/check-runs', { head_sha: effect.head, ...fields })
      : await call(client, 'PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}', {
          check_run_id: id,
          ...fields,
        }),
  );
}

function fieldsOf(effect: CheckEffect, annotations: readonly SentAnnotation[]): Record<string, unknown> {
  const state =
    effect.conclusion === null
      ? { status: 'in_progress' }
      : { status: 'completed', conclusion: effect.conclusion };
  const output = {
    title: cutText(effect.title, TITLE_MAX),
    summary: cutText(effect.summary, SUMMARY_MAX),
    annotations,
  };
  return {
    name: CHECK_NAMES[effect.check ?? 'launch-gate'],
    external_id: effect.externalId,
    ...state,
    output,
  };
}

type CheckEffect = Extract<Effect, { kind: 'put-check-run' }>;

/** The id of the check run; null if there is none. */
async function findCheckRun(client: GitHubClient, effect: CheckEffect): Promise<Observed<number | null>> {
  const route = 'GET /repos/{owner}/{repo}/commits/{ref}/check-runs';
  const check_name = CHECK_NAMES[effect.check ?? 'launch-gate'];
  const all = await read(client, route, listed, { ref: effect.head, check_name, filter: 'all' });
  if (all.kind === 'unknown') return all;
  return known(all.value.check_runs.find((r) => r.external_id === effect.externalId)?.id ?? null);
}
