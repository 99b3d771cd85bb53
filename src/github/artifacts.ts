/** Artifacts of a workflow run (docs.github.com/rest/actions/artifacts). Their content is untrusted. */

import { z } from 'zod';
import { known, type Observed, unknown } from '../domain/observed.ts';
import { type CallOutcome, call, type GitHubClient } from './call.ts';

/** `archive` null: too large or expired. */
export type LeftArtifact = { readonly archive: Uint8Array | null };

const listed = z.object({
  artifacts: z.array(
    z.object({
      id: z.number().int(),
      name: z.string(),
      size_in_bytes: z.number().int(),
      expired: z.boolean(),
      workflow_run: z.object({ id: z.number().int() }),
    }),
  ),
});

/** The run's first artifact with this name; null if there is none. */
export async function readArtifact(
  client: GitHubClient,
  run: number,
  name: string,
  bytesMax: number,
): Promise<Observed<LeftArtifact | null>> {
  const list = await call(client, 'GET /repos/{owner}/{repo}/actions/runs/{run_id}/artifacts', {
    run_id: run,
    name,
    per_page: 30,
  });
  const parsed = list.kind === 'answered' ? listed.safeParse(list.data) : null;
  if (parsed === null || !parsed.success) return unknown(whyNot(`the artifacts of run ${run}`, list));
  const [first] = parsed.data.artifacts
    .filter((one) => one.name === name && one.workflow_run.id === run)
    .toSorted((a, b) => a.id - b.id);
  if (first === undefined) return known(null);
  if (first.expired || first.size_in_bytes > bytesMax) return known({ archive: null });
  const bytes = await call(
    client,
    'GET /repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}',
    { artifact_id: first.id, archive_format: 'zip' },
  );
  if (bytes.kind === 'answered' && bytes.data instanceof ArrayBuffer)
    return known({ archive: new Uint8Array(bytes.data) });
  return unknown(whyNot(`artifact ${first.id}`, bytes));
}

function whyNot(what: string, outcome: CallOutcome): string {
  if (outcome.kind === 'refused') return `GitHub answers ${outcome.status} for ${what}`;
  return outcome.kind === 'unknown' ? outcome.message : `${what} could not be read`;
}
