/** Finds, stores and deletes artifacts and caches. */

import { results as limits } from '../../limits/limits.ts';
import type { World } from '../../world/world.ts';
import type { BlobPlace } from './signed-address.ts';
import type { Artifact, CacheEntry, StoredBlob } from './state-results.ts';

/** The finished artifacts of a repository, newest first. Expired ones are included, because GitHub lists them. */
export function listArtifacts(world: World, repoId: number): readonly Artifact[] {
  return Object.values(world.state.artifacts)
    .filter((row) => row.repoId === repoId && row.isFinal)
    .toSorted((a, b) => b.id - a.id);
}

export function isExpired(world: World, row: Artifact): boolean {
  return row.expiresAtMs <= world.clock.now();
}

/** The finished caches of a repository, newest first. Caches unused for a week are deleted. */
export function listCaches(world: World, repoId: number): readonly CacheEntry[] {
  const since = world.clock.now() - limits.cacheUnusedMs;
  for (const row of Object.values(world.state.caches)) if (row.usedAtMs < since) delete world.state.caches[row.id];
  return Object.values(world.state.caches)
    .filter((row) => row.repoId === repoId && row.isFinal)
    .toSorted((a, b) => b.createdAtMs - a.createdAtMs || b.id - a.id);
}

/** Keeps a repository within its cache limit: the least recently used caches are deleted first. */
export function evictCaches(world: World, repoId: number): void {
  const rows = listCaches(world, repoId).toSorted((a, b) => b.usedAtMs - a.usedAtMs || b.id - a.id);
  let bytes = 0;
  for (const [index, row] of rows.entries()) {
    bytes += row.blob?.bytes ?? 0;
    if (bytes > limits.cacheBytes || index >= limits.caches) delete world.state.caches[row.id];
  }
}

/** The artifact or cache row of an address. */
export function findRow(world: World, { kind, id }: BlobPlace): Artifact | CacheEntry | null {
  return world.state[kind][id] ?? null;
}

export function putBlob(world: World, place: BlobPlace, blob: StoredBlob): void {
  if (place.kind === 'artifacts') {
    const row = world.state.artifacts[place.id];
    if (row?.isFinal === false) world.state.artifacts[place.id] = { ...row, blob };
  } else {
    const row = world.state.caches[place.id];
    if (row?.isFinal === false) world.state.caches[place.id] = { ...row, blob };
  }
}

/** Whether the job that created a row still runs. An ended job leaves its unfinished rows without an owner. */
export function isUploadUnfinished(world: World, row: Artifact | CacheEntry): boolean {
  return !row.isFinal && world.state.jobs[row.jobId]?.status === 'in_progress';
}
