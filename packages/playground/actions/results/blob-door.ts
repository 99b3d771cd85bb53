/**
 * The subset of Azure's block blob API that artifact and cache clients use (Put Blob, Put Block, Put Block List, Get
 * Blob). Each address is signed for one blob.
 */

import { createHash } from 'node:crypto';
import { results as limits } from '../../limits/limits.ts';
import { repoById } from '../../world/lookup.ts';
import type { World } from '../../world/world.ts';
import { type BlobPlace, parseSignedAddress } from './signed-address.ts';
import { findRow, putBlob } from './stored-rows.ts';

/**
 * Blocks that wait for their block list, by blob and name. They are kept in memory only, because an upload takes
 * minutes.
 */
type Staged = Map<string, { readonly blocks: Map<string, Uint8Array>; bytes: number }>;
const waiting = new WeakMap<World, Staged>();

export async function answerBlob(world: World, request: Request): Promise<Response> {
  const url = new URL(request.url);
  const place = parseSignedAddress(world, url);
  const row = place === null ? null : findRow(world, place);
  if (place === null) return refuseBlob(403, 'AuthenticationFailed', 'The address is not signed, or too old.');
  if (row === null) return refuseBlob(404, 'BlobNotFound', 'The specified blob does not exist.');
  const isRead = request.method === 'GET';
  if (isRead !== (place.right === 'r') || (!isRead && request.method !== 'PUT'))
    return refuseBlob(403, 'AuthorizationPermissionMismatch', 'This address is not for that.');
  if (isRead) return download(world, place, request.headers);
  if (row.isFinal) return refuseBlob(409, 'BlobImmutableDueToPolicy', 'This blob is finished.');
  const bytes = new Uint8Array(await request.arrayBuffer());
  switch (url.searchParams.get('comp')) {
    case 'block':
      return stageBlock(world, place, url.searchParams.get('blockid') ?? '', bytes);
    case 'blocklist':
      return commitBlocks(world, place, new TextDecoder().decode(bytes), request.headers);
    case null:
      return putBlock(world, place, bytes, request.headers.get('x-ms-blob-content-type'));
    default:
      return refuseBlob(400, 'UnsupportedQueryParameter', 'The playground does not serve this of a blob.');
  }
}

function stageBlock(world: World, place: BlobPlace, name: string, bytes: Uint8Array): Response {
  if (name === '') return refuseBlob(400, 'InvalidQueryParameterValue', 'A block has a name.');
  const staged = stagedBlocks(world);
  const key = blobKey(place);
  const own = staged.get(key) ?? { blocks: new Map<string, Uint8Array>(), bytes: 0 };
  const more = bytes.length - (own.blocks.get(name)?.length ?? 0);
  if (own.bytes + more > limits.blobBytes || own.blocks.size >= limits.blocks)
    return refuseBlob(413, 'RequestBodyTooLarge', `A blob has at most ${limits.blobBytes} bytes here.`);
  const all = [...staged.values()].reduce((sum, one) => sum + one.bytes, more);
  if (all > limits.stagedBytes) return refuseBlob(503, 'ServerBusy', 'Too much is being sent at once.');
  own.blocks.set(name, bytes);
  own.bytes += more;
  staged.set(key, own);
  return storedResponse(201);
}

async function commitBlocks(world: World, place: BlobPlace, list: string, headers: Headers): Promise<Response> {
  const key = blobKey(place);
  const blocks = stagedBlocks(world).get(key)?.blocks ?? new Map<string, Uint8Array>();
  const names = [...list.matchAll(/<(?:Latest|Uncommitted|Committed)>([^<]*)</g)].map(([, name = '']) => name);
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for (const name of names.slice(0, limits.blocks)) {
    const part = blocks.get(name);
    if (part === undefined) return refuseBlob(400, 'InvalidBlockList', 'The list names a block that is not there.');
    parts.push(part);
    bytes += part.length;
    // A client may send a block of the same name twice.
    if (bytes > limits.blobBytes) return refuseBlob(413, 'RequestBodyTooLarge', 'The blob is too large.');
  }
  const answer = await putBlock(world, place, Buffer.concat(parts), headers.get('x-ms-blob-content-type'));
  stagedBlocks(world).delete(key);
  return answer;
}

async function putBlock(world: World, place: BlobPlace, bytes: Uint8Array, type: string | null): Promise<Response> {
  const row = findRow(world, place);
  if (row === null) return refuseBlob(404, 'BlobNotFound', 'The specified blob does not exist.');
  if (bytes.length > limits.blobBytes)
    return refuseBlob(413, 'RequestBodyTooLarge', `A blob has at most ${limits.blobBytes} bytes here.`);
  putBlob(world, place, {
    sha: await world.gitOf(repoById(world, row.repoId)).writeBlob(bytes),
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    contentType: type ?? 'application/octet-stream',
  });
  await world.save();
  return storedResponse(201);
}

async function download(world: World, place: BlobPlace, headers: Headers): Promise<Response> {
  const row = findRow(world, place);
  const blob = row?.isFinal === true ? row.blob : null;
  const bytes = row == null || blob === null ? null : await world.gitOf(repoById(world, row.repoId)).readBlob(blob.sha);
  if (row === null || blob === null || bytes === null)
    return refuseBlob(404, 'BlobNotFound', 'The specified blob does not exist.');
  const about = {
    'content-type': 'mimeType' in row ? row.mimeType : blob.contentType,
    'accept-ranges': 'bytes',
    etag: `"${blob.sha256}"`,
    'x-ms-blob-type': 'BlockBlob',
    ...('name' in row ? { 'content-disposition': disposition(row.name, row.mimeType) } : {}),
  };
  const range = headers.get('x-ms-range') ?? headers.get('range') ?? '';
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(range) ?? [];
  if (from === undefined) return new Response(new Uint8Array(bytes), { headers: about });
  if (Number(from) >= bytes.length) return refuseBlob(416, 'InvalidRange', 'The range lies behind the end.');
  const last = Math.min(to === undefined || to === '' ? bytes.length - 1 : Number(to), bytes.length - 1);
  return new Response(new Uint8Array(bytes.subarray(Number(from), last + 1)), {
    status: 206,
    headers: { ...about, 'content-range': `bytes ${from}-${last}/${bytes.length}` },
  });
}

/** A zip is named after its artifact; a file that was uploaded without a zip already has its own name. */
function disposition(name: string, mimeType: string): string {
  const file = mimeType === 'application/zip' ? `${name}.zip` : name;
  return `attachment; filename*=UTF-8''${encodeURIComponent(file)}`;
}

function stagedBlocks(world: World): Staged {
  const known = waiting.get(world) ?? new Map();
  waiting.set(world, known);
  // Blocks of an abandoned upload are deleted with their row or with their job.
  for (const key of known.keys()) {
    const [kind = '', id = ''] = key.split(' ');
    const row = kind === 'artifacts' ? world.state.artifacts[id] : world.state.caches[id];
    if (row === undefined || world.state.jobs[row.jobId]?.status !== 'in_progress') known.delete(key);
  }
  return known;
}

function blobKey({ kind, id }: BlobPlace): string {
  return `${kind} ${id}`;
}

function storedResponse(status: number): Response {
  const id = crypto.randomUUID();
  return new Response(null, {
    status,
    headers: { 'x-ms-request-id': id, 'x-ms-version': '2025-01-05', etag: `"${id}"` },
  });
}

function refuseBlob(status: number, code: string, message: string): Response {
  return new Response(
    `<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`,
    { status, headers: { 'content-type': 'application/xml', 'x-ms-error-code': code } },
  );
}
