/**
 * `github.actions.results.api.v1.CacheService`: the requests of actions/cache and related clients since version 4.2.
 */

import * as z from 'zod';
import { results as limits } from '../../limits/limits.ts';
import { repoById } from '../../world/lookup.ts';
import { nextId, type World } from '../../world/world.ts';
import { findPlan } from '../queue/plan-rows.ts';
import type { RunningJob } from './runtime-token.ts';
import { signedAddress } from './signed-address.ts';
import type { CacheEntry } from './state-results.ts';
import { evictCaches, isUploadUnfinished, listCaches } from './stored-rows.ts';
import { errorAnswer, jsonAnswer, type TwirpMethod, twirpMethod } from './twirp.ts';

const key = z
  .string()
  .min(1)
  .max(limits.cacheKeyCharacters)
  .regex(/^[^,]+$/, 'a key has no comma');
const version = z.string().min(1).max(limits.cacheKeyCharacters);
const int64 = z.union([z.string().regex(/^\d{1,15}$/), z.number().int().nonnegative()]).transform(Number);

export const cacheService: Readonly<Record<string, TwirpMethod>> = {
  CreateCacheEntry: twirpMethod(z.object({ key, version }), (world, by, request) => {
    const ref = findPlan(world, by.run.id).ref;
    const alike = Object.values(world.state.caches).filter(
      (row) => isCacheVisible(row, by, ref) && isSameCacheKey(row, request),
    );
    if (alike.some((row) => row.isFinal || isUploadUnfinished(world, row)))
      return errorAnswer('already_exists', 'cache entry with the same key, version, and scope already exists');
    // Unfinished rows of jobs that have ended.
    for (const row of alike) delete world.state.caches[row.id];
    const unfinished = Object.values(world.state.caches).filter((row) => row.jobId === by.job.id && !row.isFinal);
    if (unfinished.length >= limits.cachesBegun)
      return errorAnswer('failed_precondition', `a job saves at most ${limits.cachesBegun} caches at once`);
    const now = world.clock.now();
    const id = nextId(world, 'caches');
    const job = { repoId: by.run.repoId, jobId: by.job.id, ref };
    const times = { createdAtMs: now, usedAtMs: now };
    world.state.caches[id] = { id, ...job, ...request, ...times, isFinal: false, blob: null };
    return jsonAnswer({ ok: true, signed_upload_url: signedAddress(world, { kind: 'caches', id }, 'cw') });
  }),
  FinalizeCacheEntryUpload: twirpMethod(
    z.object({ key, version, size_bytes: int64.default(0) }),
    (world, by, request) => {
      const row = Object.values(world.state.caches).find(
        (one) => one.jobId === by.job.id && !one.isFinal && isSameCacheKey(one, request),
      );
      if (row?.blob == null) return errorAnswer('not_found', 'nothing was sent for this key');
      if (row.blob.bytes !== request.size_bytes)
        return errorAnswer('invalid_argument', 'what was sent has another size');
      const now = world.clock.now();
      world.state.caches[row.id] = { ...row, isFinal: true, createdAtMs: now, usedAtMs: now };
      evictCaches(world, row.repoId);
      return jsonAnswer({ ok: true, entry_id: `${row.id}` });
    },
  ),
  GetCacheEntryDownloadURL: twirpMethod(
    z.object({ key, version, restore_keys: z.array(key).max(limits.restoreKeys).default([]) }),
    (world, by, request) => {
      const row = findCache(world, by, request);
      if (row === null) return jsonAnswer({ ok: false });
      world.state.caches[row.id] = { ...row, usedAtMs: world.clock.now() };
      const address = signedAddress(world, { kind: 'caches', id: row.id }, 'r');
      return jsonAnswer({ ok: true, signed_download_url: address, matched_key: row.key });
    },
  ),
};

type Wanted = { readonly key: string; readonly version: string; readonly restore_keys: readonly string[] };

/**
 * Searches the run's own ref, then the pull request's base, then the default branch. In each it tries the exact key,
 * then the key as a prefix, then each restore key, and takes the newest match (docs: dependency caching reference).
 */
function findCache(
  world: World,
  by: RunningJob,
  { key: wanted, version: asked, restore_keys }: Wanted,
): CacheEntry | null {
  const plan = findPlan(world, by.run.id);
  const bases = [plan.baseRef, repoById(world, by.run.repoId).defaultBranch].filter((name) => name !== '');
  const scopes = [plan.ref, ...bases.map((name) => `refs/heads/${name}`)];
  const rows = listCaches(world, by.run.repoId).filter((row) => row.version === asked);
  for (const ref of scopes) {
    const here = rows.filter((row) => row.ref === ref);
    const exact = here.find((row) => row.key === wanted);
    if (exact !== undefined) return exact;
    for (const prefix of [wanted, ...restore_keys]) {
      const found = here.find((row) => row.key.startsWith(prefix));
      if (found !== undefined) return found;
    }
  }
  return null;
}

function isCacheVisible(row: CacheEntry, by: RunningJob, ref: string): boolean {
  return row.repoId === by.run.repoId && row.ref === ref;
}

function isSameCacheKey(row: CacheEntry, request: { readonly key: string; readonly version: string }): boolean {
  return row.key === request.key && row.version === request.version;
}
