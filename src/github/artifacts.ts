/** Artifacts of a workflow run (docs.github.com/rest/actions/artifacts). Their content is untrusted. */

import { z } from 'zod';
import { known, type Observed, unknown } from '../domain/observed.ts';
import { call, type GitHubClient, read } from './call.ts';

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
  const route = 'GET /repos/{owner}/{repo}/actions/runs/{run_id}/artifacts';
  const list = await read(client, route, listed, { run_id: run, name, per_page: 30 });
  if (list.kind === 'unknown') return list;
  const [first] = list.value.artifacts
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
  return unknown(bytes.kind === 'answered' ? `artifact ${first.id} could not be read` : bytes.message);
}
