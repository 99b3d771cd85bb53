/** Routes of artifacts and caches (docs.github.com/rest/actions/artifacts, /cache). */

import { pagedIn } from '../../api/paging.ts';
import { type Answer, failed, invalid, noContent, notFound, ok } from '../../api/reply.ts';
import { acts, type RepoCall, type Route, reads, repoAccess } from '../../api/route.ts';
import { signedAddress } from '../results/signed-address.ts';
import type { Artifact, CacheEntry } from '../results/state-results.ts';
import { artifactsOf, cachesOf, isExpired } from '../results/stored-rows.ts';
import { shapeArtifact, shapeCache } from '../shape-results.ts';

const read = repoAccess('actions:read', 'public');
const write = repoAccess('actions:write', 'write');

export const resultRoutes: readonly Route[] = [
  reads('/actions/artifacts', read, (call) => artifacts(call, called(call))),
  reads('/actions/runs/:run/artifacts', read, (call) => {
    const run = call.world.state.runs[call.params['run'] ?? ''];
    if (run?.repoId !== call.repo.id) return notFound();
    return artifacts(
      call,
      called(call).filter((row) => row.runId === run.id),
    );
  }),
  reads('/actions/artifacts/:artifact', read, (call) => {
    const row = artifactOf(call);
    return row === null ? notFound() : ok(shapeArtifact(call.world, row));
  }),
  reads('/actions/artifacts/:artifact/:format', read, archive),
  acts('DELETE', '/actions/artifacts/:artifact', write, (call) => {
    const row = artifactOf(call);
    if (row === null) return notFound();
    delete call.world.state.artifacts[row.id];
    return noContent();
  }),
  reads('/actions/caches', read, (call) => {
    const [key, ref] = [call.query.get('key') ?? '', call.query.get('ref')];
    const rows = cachesOf(call.world, call.repo.id).filter(
      (row) => row.key.startsWith(key) && (ref === null || isOf(row, ref)),
    );
    return pagedIn(call, 'actions_caches', sorted(call, rows), shapeCache);
  }),
  acts('DELETE', '/actions/caches', write, (call) => {
    const [key, ref] = [call.query.get('key'), call.query.get('ref')];
    if (key === null) return invalid([{ resource: 'ActionsCache', code: 'missing_field', field: 'key' }]);
    const rows = cachesOf(call.world, call.repo.id).filter(
      (row) => row.key === key && (ref === null || isOf(row, ref)),
    );
    if (rows.length === 0) return notFound();
    for (const row of rows) delete call.world.state.caches[row.id];
    return ok({ total_count: rows.length, actions_caches: rows.map(shapeCache) });
  }),
  acts('DELETE', '/actions/caches/:cache', write, (call) => {
    const row = cachesOf(call.world, call.repo.id).find(({ id }) => `${id}` === call.params['cache']);
    if (row === undefined) return notFound();
    delete call.world.state.caches[row.id];
    return noContent();
  }),
];

/** Artifacts with the name in the query's `name`. */
function called(call: RepoCall): readonly Artifact[] {
  const name = call.query.get('name');
  return artifactsOf(call.world, call.repo.id).filter((row) => name === null || row.name === name);
}

function artifacts(call: RepoCall, rows: readonly Artifact[]): Promise<Answer> {
  return pagedIn(call, 'artifacts', rows, (row) => shapeArtifact(call.world, row));
}

/** The bytes are served outside the API, at an address that is signed for a limited time. */
function archive(call: RepoCall): Answer {
  const row = artifactOf(call);
  if (row === null || call.params['format'] !== 'zip') return notFound();
  if (isExpired(call.world, row)) return failed(410, 'Artifact has expired');
  const location = signedAddress(call.world, { kind: 'artifacts', id: row.id }, 'r');
  return { status: 302, body: null, headers: { location } };
}

function artifactOf(call: RepoCall): Artifact | null {
  return artifactsOf(call.world, call.repo.id).find(({ id }) => `${id}` === call.params['artifact']) ?? null;
}

/** A full ref, or the name of a branch. */
function isOf(row: CacheEntry, ref: string): boolean {
  return row.ref === ref || row.ref === `refs/heads/${ref}`;
}

function sorted(call: RepoCall, rows: readonly CacheEntry[]): readonly CacheEntry[] {
  const value = (row: CacheEntry): number => {
    switch (call.query.get('sort')) {
      case 'created_at':
        return row.createdAtMs;
      case 'size_in_bytes':
        return row.blob?.bytes ?? 0;
      default:
        return row.usedAtMs;
    }
  };
  const sign = call.query.get('direction') === 'asc' ? 1 : -1;
  return rows.toSorted((a, b) => sign * (value(a) - value(b) || a.id - b.id));
}
