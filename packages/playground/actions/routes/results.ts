/** Routes of artifacts and caches (docs.github.com/rest/actions/artifacts, /cache). */

import { answerPageIn } from '../../api/paging.ts';
import {
  type Answer,
  failedAnswer,
  invalidAnswer,
  noContentAnswer,
  notFoundAnswer,
  okAnswer,
} from '../../api/reply.ts';
import { actRoute, type RepoCall, type Route, readRoute, repoAccess } from '../../api/route.ts';
import { signedAddress } from '../results/signed-address.ts';
import type { Artifact, CacheEntry } from '../results/state-results.ts';
import { isExpired, listArtifacts, listCaches } from '../results/stored-rows.ts';
import { shapeArtifact, shapeCache } from '../shape-results.ts';

const read = repoAccess('actions:read', 'public');
const write = repoAccess('actions:write', 'write');

export const resultRoutes: readonly Route[] = [
  readRoute('/actions/artifacts', read, (call) => answerArtifacts(call, listNamedArtifacts(call))),
  readRoute('/actions/runs/:run/artifacts', read, (call) => {
    const run = call.world.state.runs[call.params['run'] ?? ''];
    if (run?.repoId !== call.repo.id) return notFoundAnswer();
    return answerArtifacts(
      call,
      listNamedArtifacts(call).filter((row) => row.runId === run.id),
    );
  }),
  readRoute('/actions/artifacts/:artifact', read, (call) => {
    const row = findArtifact(call);
    return row === null ? notFoundAnswer() : okAnswer(shapeArtifact(call.world, row));
  }),
  readRoute('/actions/artifacts/:artifact/:format', read, answerArchive),
  actRoute('DELETE', '/actions/artifacts/:artifact', write, (call) => {
    const row = findArtifact(call);
    if (row === null) return notFoundAnswer();
    delete call.world.state.artifacts[row.id];
    return noContentAnswer();
  }),
  readRoute('/actions/caches', read, (call) => {
    const [key, ref] = [call.query.get('key') ?? '', call.query.get('ref')];
    const rows = listCaches(call.world, call.repo.id).filter(
      (row) => row.key.startsWith(key) && (ref === null || isCacheOfRef(row, ref)),
    );
    return answerPageIn(call, 'actions_caches', sortCaches(call, rows), shapeCache);
  }),
  actRoute('DELETE', '/actions/caches', write, (call) => {
    const [key, ref] = [call.query.get('key'), call.query.get('ref')];
    if (key === null) return invalidAnswer([{ resource: 'ActionsCache', code: 'missing_field', field: 'key' }]);
    const rows = listCaches(call.world, call.repo.id).filter(
      (row) => row.key === key && (ref === null || isCacheOfRef(row, ref)),
    );
    if (rows.length === 0) return notFoundAnswer();
    for (const row of rows) delete call.world.state.caches[row.id];
    return okAnswer({ total_count: rows.length, actions_caches: rows.map(shapeCache) });
  }),
  actRoute('DELETE', '/actions/caches/:cache', write, (call) => {
    const row = listCaches(call.world, call.repo.id).find(({ id }) => `${id}` === call.params['cache']);
    if (row === undefined) return notFoundAnswer();
    delete call.world.state.caches[row.id];
    return noContentAnswer();
  }),
];

/** Artifacts with the name in the query's `name`. */
function listNamedArtifacts(call: RepoCall): readonly Artifact[] {
  const name = call.query.get('name');
  return listArtifacts(call.world, call.repo.id).filter((row) => name === null || row.name === name);
}

function answerArtifacts(call: RepoCall, rows: readonly Artifact[]): Promise<Answer> {
  return answerPageIn(call, 'artifacts', rows, (row) => shapeArtifact(call.world, row));
}

/** The bytes are served outside the API, at an address that is signed for a limited time. */
function answerArchive(call: RepoCall): Answer {
  const row = findArtifact(call);
  if (row === null || call.params['format'] !== 'zip') return notFoundAnswer();
  if (isExpired(call.world, row)) return failedAnswer(410, 'Artifact has expired');
  const location = signedAddress(call.world, { kind: 'artifacts', id: row.id }, 'r');
  return { status: 302, body: null, headers: { location } };
}

function findArtifact(call: RepoCall): Artifact | null {
  return listArtifacts(call.world, call.repo.id).find(({ id }) => `${id}` === call.params['artifact']) ?? null;
}

/** A full ref, or the name of a branch. */
function isCacheOfRef(row: CacheEntry, ref: string): boolean {
  return row.ref === ref || row.ref === `refs/heads/${ref}`;
}

function sortCaches(call: RepoCall, rows: readonly CacheEntry[]): readonly CacheEntry[] {
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
