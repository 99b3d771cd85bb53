/** Artifacts and caches as the REST API writes them (docs.github.com/rest/actions/artifacts, /cache). */

import { repoApi } from '../git/shape-repo.ts';
import type { JsonObject } from '../world/json.ts';
import { repoById } from '../world/lookup.ts';
import { nodeId } from '../world/node-id.ts';
import { toIso } from '../world/time.ts';
import type { World } from '../world/world.ts';
import type { Artifact, CacheEntry } from './results/state-results.ts';
import { isExpired } from './results/stored-rows.ts';

export function shapeArtifact(world: World, row: Artifact): JsonObject {
  const repo = repoById(world, row.repoId);
  const url = `${repoApi(world, repo)}/actions/artifacts/${row.id}`;
  const run = world.state.runs[row.runId];
  return {
    id: row.id,
    node_id: nodeId('MDU', `artifact ${row.id}`),
    name: row.name,
    size_in_bytes: row.blob?.bytes ?? 0,
    url,
    archive_download_url: `${url}/zip`,
    expired: isExpired(world, row),
    created_at: toIso(row.createdAtMs),
    expires_at: toIso(row.expiresAtMs),
    updated_at: toIso(row.updatedAtMs),
    digest: `sha256:${row.blob?.sha256 ?? ''}`,
    workflow_run:
      run === undefined
        ? null
        : {
            id: run.id,
            repository_id: repo.id,
            head_repository_id: repo.id,
            head_branch: run.headBranch ?? '',
            head_sha: run.headSha,
          },
  };
}

export function shapeCache(row: CacheEntry): JsonObject {
  return {
    id: row.id,
    ref: row.ref,
    key: row.key,
    version: row.version,
    last_accessed_at: toIso(row.usedAtMs),
    created_at: toIso(row.createdAtMs),
    size_in_bytes: row.blob?.bytes ?? 0,
  };
}
