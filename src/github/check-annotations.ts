/** GitHub appends the annotations of each check run update, at most 50 per request (REST, checks, update a check run). */

import { z } from 'zod';
import type { Annotation } from '../domain/effect.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';
import { call, type GitHubClient } from './call.ts';

/** Existing annotations that are read: three times `annotationsMax`. */
const ANNOTATION_PAGES_MAX = 10;

const PER_REQUEST = 50;
const PAGE = 100;

export type SentAnnotation = {
  readonly path: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly annotation_level: string;
  readonly title: string;
  readonly message: string;
};

const standing = z.array(
  z.object({
    path: z.string(),
    start_line: z.number().int(),
    annotation_level: z.string(),
    title: z.string().nullish(),
    message: z.string(),
  }),
);

/**
 * Annotations that the check run `id` lacks, in batches of 50; `id` null: a new check run. Unknown if the existing ones cannot be read,
 * because resending would duplicate them.
 */
export async function missingBatches(
  client: GitHubClient,
  id: number | null,
  wanted: readonly Annotation[],
): Promise<Observed<readonly (readonly SentAnnotation[])[]>> {
  if (id === null || wanted.length === 0) return known(batchesOf(wanted));
  const there = new Map<string, number>();
  for (let page = 1; page <= ANNOTATION_PAGES_MAX; page += 1) {
    const outcome = await call(client, 'GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations', {
      check_run_id: id,
      per_page: PAGE,
      page,
    });
    if (outcome.kind !== 'answered') return unknown(outcome.message);
    const parsed = standing.safeParse(outcome.data);
    if (!parsed.success) return unknown('annotations of another shape');
    for (const one of parsed.data) {
      const key = keyOf(one.path, one.start_line, one.annotation_level, one.title ?? '', one.message);
      there.set(key, (there.get(key) ?? 0) + 1);
    }
    if (parsed.data.length < PAGE) return known(batchesOf(wanted.filter((one) => !taken(there, one))));
  }
  return unknown(`more than ${ANNOTATION_PAGES_MAX * PAGE} annotations stand there`);
}

/** Counts each existing annotation once. */
function taken(there: Map<string, number>, { path, line, level, title, message }: Annotation): boolean {
  const key = keyOf(path, line, level, title, message);
  const count = there.get(key) ?? 0;
  there.set(key, count - 1);
  return count > 0;
}

function keyOf(...parts: readonly (string | number)[]): string {
  return JSON.stringify(parts);
}

function batchesOf(annotations: readonly Annotation[]): readonly (readonly SentAnnotation[])[] {
  const sent = annotations.map(({ path, line, level, title, message }) => ({
    path,
    start_line: line,
    end_line: line,
    annotation_level: level,
    title,
    message,
  }));
  return Array.from({ length: Math.ceil(sent.length / PER_REQUEST) }, (_, index) =>
    sent.slice(index * PER_REQUEST, (index + 1) * PER_REQUEST),
  );
}
