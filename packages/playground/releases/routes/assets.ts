/** Routes of a release's assets (docs.github.com/rest/releases/assets): upload, list, get the bytes, rename, delete. */

import { createHash } from 'node:crypto';
import * as z from 'zod';
import { paged } from '../../api/paging.ts';
import { type Answer, created, failed, invalid, noContent, notFound, ok, raw } from '../../api/reply.ts';
import { type ActorCall, acts, type RepoCall, type Route, reads, repoAccess, writes } from '../../api/route.ts';
import { nextId } from '../../world/world.ts';
import { shapeAsset } from '../shape-release.ts';
import type { Release, ReleaseAsset } from '../state-releases.ts';
import { releaseOf, visibleReleases } from './releases.ts';

const read = repoAccess('contents:read', 'public');
const write = repoAccess('contents:write', 'write');
const renaming = z.object({ name: z.string().min(1).optional(), label: z.string().nullish() });

export const assetRoutes: readonly Route[] = [
  reads('/releases/:id/assets', read, (call) => {
    const row = releaseOf(call);
    return row === null ? notFound() : paged(call, row.assets, (one) => shapeAsset(call.world, row, one));
  }),
  acts('POST', '/releases/:id/assets', write, upload),
  reads('/releases/assets/:asset', read, async (call) => {
    const found = assetOf(call);
    if (found === null) return notFound();
    if (!call.accept.includes('application/octet-stream')) return ok(shapeAsset(call.world, found.row, found.one));
    const bytes = await call.world.gitOf(call.repo).readBlob(found.one.blobSha);
    return bytes === null ? notFound() : raw(bytes, found.one.contentType);
  }),
  writes('PATCH', '/releases/assets/:asset', write, renaming, (call, body) => {
    const found = assetOf(call);
    if (found === null) return notFound();
    const label = body.label === undefined ? found.one.label : body.label;
    const one = { ...found.one, name: body.name ?? found.one.name, label };
    put(call, found.row, [...found.row.assets.map((other) => (other.id === one.id ? one : other))]);
    return ok(shapeAsset(call.world, found.row, one));
  }),
  acts('DELETE', '/releases/assets/:asset', write, (call) => {
    const found = assetOf(call);
    if (found === null) return notFound();
    put(
      call,
      found.row,
      found.row.assets.filter(({ id }) => id !== found.one.id),
    );
    return noContent();
  }),
];

/** The raw bytes, sent to the release's `upload_url`. */
async function upload(call: ActorCall): Promise<Answer> {
  const row = releaseOf(call);
  if (row === null) return notFound();
  const name = call.query.get('name') ?? '';
  if (name === '') return invalid([{ resource: 'ReleaseAsset', code: 'missing_field', field: 'name' }]);
  if (row.assets.some((one) => one.name === name))
    return invalid([{ resource: 'ReleaseAsset', code: 'already_exists', field: 'name' }]);
  if (call.upload === undefined) return failed(400, "Bad Content-Length: send the bytes to the release's upload_url.");
  const { bytes, contentType } = call.upload;
  const one: ReleaseAsset = {
    id: nextId(call.world, 'releaseAssets'),
    name,
    label: call.query.get('label'),
    contentType,
    bytes: bytes.length,
    blobSha: await call.world.gitOf(call.repo).writeBlob(bytes),
    sha256: createHash('sha256').update(bytes).digest('hex'),
    uploaderId: call.actor.id,
    createdAtMs: call.world.clock.now(),
  };
  // Other assets may have been uploaded in the meantime.
  const now = call.world.state.releases[row.id] ?? row;
  put(call, now, [...now.assets, one]);
  return created(shapeAsset(call.world, row, one));
}

function assetOf(call: RepoCall): { readonly row: Release; readonly one: ReleaseAsset } | null {
  for (const row of visibleReleases(call)) {
    const one = row.assets.find(({ id }) => `${id}` === call.params['asset']);
    if (one !== undefined) return { row, one };
  }
  return null;
}

function put(call: ActorCall, row: Release, assets: readonly ReleaseAsset[]): void {
  call.world.state.releases[row.id] = { ...row, assets, updatedAtMs: call.world.clock.now() };
}
