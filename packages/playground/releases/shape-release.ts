/** Releases and their assets as the REST API writes them. */

import { repoApi, repoPage } from '../git/shape-repo.ts';
import { shapeUser, shapeUserById } from '../identity/shape-people.ts';
import type { JsonObject } from '../world/json.ts';
import { repoById, userById } from '../world/lookup.ts';
import { nodeId } from '../world/node-id.ts';
import type { Repo } from '../world/state.ts';
import { toIso, toIsoOrNull } from '../world/time.ts';
import type { World } from '../world/world.ts';
import type { Release, ReleaseAsset } from './state-releases.ts';

/** docs.github.com/rest/releases: a release. Only a published one has a page, archives and a publication date. */
export function shapeRelease(world: World, row: Release): JsonObject {
  const repo = repoById(world, row.repoId);
  const api = repoApi(world, repo);
  const url = `${api}/releases/${row.id}`;
  return {
    url,
    assets_url: `${url}/assets`,
    upload_url: `${world.baseUrl}/api/uploads/repos/${repo.owner}/${repo.name}/releases/${row.id}/assets{?name,label}`,
    html_url: releasePage(world, repo, row),
    id: row.id,
    author: shapeUser(world, userById(world, row.authorId)),
    node_id: nodeId('RE', row.id),
    tag_name: row.tag,
    target_commitish: row.target,
    name: row.name,
    draft: row.draft,
    immutable: false,
    prerelease: row.prerelease,
    created_at: toIso(row.createdAtMs),
    updated_at: toIso(row.updatedAtMs),
    published_at: toIsoOrNull(row.publishedAtMs),
    assets: row.assets.map((one) => shapeAsset(world, row, one)),
    tarball_url: row.draft ? null : `${api}/tarball/${row.tag}`,
    zipball_url: row.draft ? null : `${api}/zipball/${row.tag}`,
    body: row.body,
  };
}

export function releasePage(world: World, repo: Repo, row: Release): string {
  return `${repoPage(world, repo)}/releases/tag/${row.draft ? `untagged-${row.id}` : row.tag}`;
}

export function shapeAsset(world: World, row: Release, one: ReleaseAsset): JsonObject {
  const repo = repoById(world, row.repoId);
  return {
    url: `${repoApi(world, repo)}/releases/assets/${one.id}`,
    id: one.id,
    node_id: nodeId('RA', one.id),
    name: one.name,
    label: one.label,
    uploader: shapeUserById(world, one.uploaderId),
    content_type: one.contentType,
    state: 'uploaded',
    size: one.bytes,
    digest: `sha256:${one.sha256}`,
    download_count: 0,
    created_at: toIso(one.createdAtMs),
    updated_at: toIso(one.createdAtMs),
    browser_download_url: `${repoPage(world, repo)}/releases/download/${row.tag}/${encodeURIComponent(one.name)}`,
  };
}
