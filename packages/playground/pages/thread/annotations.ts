/** Reads the annotations of a pull request's checks. */
import { type ApiAnnotation, type ApiCheckRun, annotationShape } from '../api/run-shapes.ts';
import type { RepoLocation } from '../place.ts';
import type { Visit } from '../visit.ts';

export type CheckNotes = { readonly check: ApiCheckRun; readonly annotations: readonly ApiAnnotation[] };

/** Requests annotations only for checks that report some. */
export function readAnnotations(
  visit: Visit,
  place: RepoLocation,
  checks: readonly ApiCheckRun[],
): Promise<readonly CheckNotes[]> {
  return Promise.all(
    checks.map(async (check) => {
      if ((check.output?.annotations_count ?? 0) === 0) return { check, annotations: [] };
      const answer = await visit.api.list(`${place.api}/check-runs/${check.id}/annotations`, annotationShape);
      return { check, annotations: answer.kind === 'found' ? answer.data : [] };
    }),
  );
}
