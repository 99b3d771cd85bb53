/** Routes of a release's assets (docs.github.com/rest/releases/assets): upload, list, get the bytes, rename, delete. */

import { createHash } from 'node:crypto';
import * as z from 'zod';
import { answerPage } from '../../api/paging.ts';
import {
  type Answer,
  createdAnswer,
  failedAnswer,
  invalidAnswer,
  noContentAnswer,
  notFoundAnswer,
  okAnswer,
  rawAnswer,
} from '../../api/reply.ts';
import {
  type ActorCall,
  actRoute,
  type RepoCall,
  type Route,
  readRoute,
  repoAccess,
  writeRoute,
} from '../../api/route.ts';
import { nextId } from '../../world/world.ts';
import { shapeAsset } from '../shape-release.ts';
import type { Release, ReleaseAsset } from '../state-releases.ts';
import { findRelease, visibleReleases } from './releases.ts';

const read = repoAccess('contents:read', 'public');
const write = repoAccess('contents:write', 'write');
const renaming = z.object({ name: z.string().min(1).optional(), label: z.string().nullish() });

export const assetRoutes: readonly Route[] = [
  readRoute('/releases/:id/assets', read, (call) => {
    const row = findRelease(call);
    return row === null ? notFoundAnswer() : answerPage(call, row.assets, (one) => shapeAsset(call.world, row, one));
  }),
  actRoute('POST', '/releases/:id/assets', write, upload),
  readRoute('/releases/assets/:asset', read, async (call) => {
    const found = findAsset(call);
    if (found === null) return notFoundAnswer();
    if (!call.accept.includes('application/octet-stream'))
      return okAnswer(shapeAsset(call.world, found.row, found.one));
    const bytes = await call.world.gitOf(call.repo).readBlob(found.one.blobSha);
    return bytes === null ? notFoundAnswer() : rawAnswer(bytes, found.one.contentType);
  }),
  writeRoute('PATCH', '/releases/assets/:asset', write, renaming, (call, body) => {
    const found = findAsset(call);
    if (found === null) return notFoundAnswer();
    const label = body.label === undefined ? found.one.label : body.label;
    const one = { ...found.one, name: body.name ?? found.one.name, label };
    storeAssets(call, found.row, [...found.row.assets.map((other) => (other.id === one.id ? one : other))]);
    return okAnswer(shapeAsset(call.world, found.row, one));
  }),
  actRoute('DELETE', '/releases/assets/:asset', write, (call) => {
    const found = findAsset(call);
    if (found === null) return notFoundAnswer();
    storeAssets(
      call,
      found.row,
      found.row.assets.filter(({ id }) => id !== found.one.id),
    );
    return noContentAnswer();
  }),
];

/** The raw bytes, sent to the release's `upload_url`. */
async function upload(call: ActorCall): Promise<Answer> {
  const row = findRelease(call);
  if (row === null) return notFoundAnswer();
  const name = call.query.get('name') ?? '';
  if (name === '') return invalidAnswer([{ resource: 'ReleaseAsset', code: 'missing_field', field: 'name' }]);
  if (row.assets.some((one) => one.name === name))
    return invalidAnswer([{ resource: 'ReleaseAsset', code: 'already_exists', field: 'name' }]);
  if (call.upload === undefined)
    return failedAnswer(400, "Bad Content-Length: send the bytes to the release's upload_url.");
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
  storeAssets(call, now, [...now.assets, one]);
  return createdAnswer(shapeAsset(call.world, row, one));
}

function findAsset(call: RepoCall): { readonly row: Release; readonly one: ReleaseAsset } | null {
  for (const row of visibleReleases(call)) {
    const one = row.assets.find(({ id }) => `${id}` === call.params['asset']);
    if (one !== undefined) return { row, one };
  }
  return null;
}

function storeAssets(call: ActorCall, row: Release, assets: readonly ReleaseAsset[]): void {
  call.world.state.releases[row.id] = { ...row, assets, updatedAtMs: call.world.clock.now() };
}
