/** Checkpoints on a local file system. Symbolic links are never followed. */

import type { BigIntStats } from 'node:fs';
import { lstat, opendir, realpath, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { parseXml, type XmlElement, XmlError } from '@rgrove/parse-xml';
import { AwsV4Signer } from 'aws4fetch';
import { z } from 'zod';
import { limits } from '../domain/limits.ts';
import { instantFromMs, known, type Observed, unknown, withoutEndSlashes } from '../domain/values.ts';
import { errorCode, openPlainFile } from '../host/files.ts';
import {
  type Bucket,
  type BucketFile,
  type BucketPage,
  type PageQuery,
  refusal,
  requestStore,
  type StoreAnswer,
  type StoredObject,
  type StoreHost,
} from './store.ts';

/** The file system as one bucket: keys are absolute paths without the first slash. */
export const folderBucket: Bucket = {
  page: ({ prefix, isDeep }) => fileErrorAsUnknown(() => listFolderPage(prefix, isDeep)),
  read: (key, bytesMax) => fileErrorAsUnknown(() => readFolderFile(`/${key}`, bytesMax)),
  remove: (key, identity) =>
    fileErrorAsUnknown(async () => {
      const path = `/${key}`;
      const now = await nullIfMissing(fileIdentity(path));
      if (now !== null && now !== identity) return known('changed');
      await nullIfMissing(unlink(path));
      return known('removed');
    }),
  removeEmptyFolders: (prefix) => removeEmptyFolders(`/${prefix}`),
};

/** System errors are unknown, never *empty*. */
async function fileErrorAsUnknown<Value>(work: () => Promise<Observed<Value>>): Promise<Observed<Value>> {
  try {
    return await work();
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    return unknown(code);
  }
}

async function listFolderPage(prefix: string, isDeep: boolean): Promise<Observed<BucketPage>> {
  const folders: string[] = [];
  const objects: StoredObject[] = [];
  let passed = 0;
  const walk = async (folder: string): Promise<void> => {
    for await (const entry of await opendir(`/${folder}`)) {
      const key = join(folder, entry.name);
      if (entry.isDirectory()) {
        passed += 1;
        if (!isDeep) folders.push(`${key}/`);
        else if (passed <= limits.checkpointObjectsMax) await walk(key);
      } else {
        const found = await nullIfMissing(lstat(`/${key}`, { bigint: true }));
        if (found !== null) objects.push({ key, bytes: Number(found.size), identity: statIdentity(found) });
      }
      if (passed + objects.length > limits.checkpointObjectsMax) return;
    }
  };
  try {
    // A job may replace its root or a parent folder by a link.
    const root = `/${withoutEndSlashes(prefix)}`;
    if ((await realpath(root)) !== root) return unknown('it is a link, or lies behind one');
    await walk(prefix);
    if (isDeep && passed > limits.checkpointObjectsMax) return unknown('more folders than are looked into');
  } catch (error) {
    // A root that does not exist yet is empty, as in a bucket.
    if (errorCode(error) !== 'ENOENT') throw error;
  }
  return known({ folders, objects, next: null });
}

/** A job may put anything here, so links are not followed, pipes not awaited, and the size is bounded. */
async function readFolderFile(path: string, bytesMax: number): Promise<Observed<BucketFile | null>> {
  try {
    await using file = await openPlainFile(path);
    const found = await file.stat({ bigint: true });
    if (found.size > bytesMax) return unknown(`${found.size} bytes`);
    const pieces: Buffer[] = [];
    for await (const piece of file.createReadStream({ end: bytesMax, autoClose: false })) pieces.push(piece);
    const [before, now] = [statIdentity(found), await fileIdentity(path)];
    if (now !== before) return unknown('it was written while it was read');
    const writtenAt = instantFromMs(Number(found.mtimeNs / 1_000_000n));
    if (writtenAt === null) return unknown('its time is no time');
    return known({ text: Buffer.concat(pieces).toString('utf8'), writtenAt, identity: before });
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return known(null);
    throw error;
  }
}

async function fileIdentity(path: string): Promise<string> {
  return statIdentity(await lstat(path, { bigint: true }));
}

function statIdentity({ ino, mtimeNs, size }: BigIntStats): string {
  return `${ino}-${mtimeNs}-${size}`;
}

/** Removes only empty folders, deepest first; new files stay and are reported. */
async function removeEmptyFolders(folder: string): Promise<void> {
  try {
    for await (const entry of await opendir(folder))
      if (entry.isDirectory()) await removeEmptyFolders(join(folder, entry.name));
    await rmdir(folder);
  } catch (error) {
    const code = errorCode(error);
    if (code !== 'ENOENT' && code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
  }
}

async function nullIfMissing<Value>(work: Promise<Value>): Promise<Value | null> {
  try {
    return await work;
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return null;
  }
}

export type S3Place = {
  /** Endpoint for path-style addresses; null: Amazon with the bucket in the host name. */
  readonly endpoint: string | null;
  readonly region: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | null;
  readonly now: () => number;
};

/** With `encoding-type=url`, because XML cannot represent every key. */
const encodedKey = z.string().transform((text, context) => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    context.issues.push({ code: 'custom', message: 'no percent-encoded key', input: text });
    return z.NEVER;
  }
});

const pageSchema = z
  .object({
    IsTruncated: z.tuple([z.enum(['true', 'false'])]),
    NextContinuationToken: z.array(z.string().min(1)).max(1).default([]),
    Contents: z
      .array(
        z.object({
          Key: z.tuple([encodedKey]),
          Size: z.tuple([z.coerce.number().int().nonnegative()]),
          ETag: z.tuple([z.string().min(1)]),
          LastModified: z.tuple([z.string()]),
        }),
      )
      .default([]),
    CommonPrefixes: z.array(z.object({ Prefix: z.tuple([encodedKey]) })).default([]),
  })
  .refine(
    ({ IsTruncated: [more], NextContinuationToken: tokens }) => more === 'false' || tokens.length === 1,
    'a page that goes on has a token',
  );

/** An S3 bucket. */
export function createS3Bucket(host: StoreHost, place: S3Place): Bucket {
  const call = (method: 'GET' | 'DELETE', key: string, query: string, headers: Record<string, string> = {}) =>
    requestStore(host, async () => {
      const { sessionToken, accessKeyId, secretAccessKey, region } = place;
      const signed = await new AwsV4Signer({
        method,
        url: `${bucketUrl(place)}${key.split('/').map(encodeURIComponent).join('/')}${query}`,
        headers,
        accessKeyId,
        secretAccessKey,
        ...(sessionToken === null ? {} : { sessionToken }),
        service: 's3',
        region,
        datetime: new Date(place.now()).toISOString().replace(/[:-]|\.\d{3}/g, ''),
      }).sign();
      return known({ method, url: String(signed.url), headers: signed.headers });
    });
  return {
    page: async (query) => {
      const answer = await call('GET', '', `?${pageQuery(query)}`);
      return answer.kind === 'unknown' ? answer : readPage(answer.value);
    },
    read: async (key, bytesMax) => {
      const answer = await call('GET', key, '');
      if (answer.kind === 'unknown') return answer;
      if (answer.value.status === 404) return known(null);
      return readFile(answer.value, bytesMax);
    },
    remove: async (key, identity) => {
      // Not every store supports the condition; the caller has just read the object.
      const answer = await call('DELETE', key, '', { 'if-match': identity.slice(0, identity.lastIndexOf(' ')) });
      if (answer.kind === 'unknown') return answer;
      const { status } = answer.value;
      if (status === 412) return known('changed');
      return status === 404 || (status >= 200 && status < 300) ? known('removed') : refusal(answer.value);
    },
    removeEmptyFolders: async () => undefined,
  };
}

function bucketUrl({ endpoint, bucket, region }: S3Place): string {
  return endpoint === null
    ? `https://${bucket}.s3.${region}.amazonaws.com/`
    : `${withoutEndSlashes(endpoint)}/${bucket}/`;
}

function pageQuery({ prefix, isDeep, after }: PageQuery): string {
  const query = new URLSearchParams({
    'list-type': '2',
    'encoding-type': 'url',
    'max-keys': String(limits.storePageObjects),
    prefix,
    ...(isDeep ? {} : { delimiter: '/' }),
    ...(after === null ? {} : { 'continuation-token': after }),
  });
  return String(query).replaceAll('+', '%20');
}

function readFile(answer: StoreAnswer, bytesMax: number): Observed<BucketFile> {
  const { status, headers, text } = answer;
  if (status !== 200) return refusal(answer);
  const etag = headers.get('etag') ?? '';
  const lastModified = headers.get('last-modified') ?? '';
  const writtenAt = instantFromMs(Date.parse(lastModified));
  if (etag === '' || writtenAt === null) return unknown('an answer without ETag or Last-Modified');
  if (Buffer.byteLength(text) > bytesMax) return unknown(`more than ${bytesMax} bytes`);
  return known({ text, writtenAt, identity: objectIdentity(etag, lastModified) });
}

/** Listings have milliseconds, object headers only seconds. */
function objectIdentity(etag: string, lastModified: string): string {
  return `${etag} ${Math.trunc(Date.parse(lastModified) / 1_000)}`;
}

function readPage(answer: StoreAnswer): Observed<BucketPage> {
  if (answer.status !== 200) return refusal(answer);
  const root = parseXmlRoot(answer.text);
  if (root?.name !== 'ListBucketResult') return unknown('an answer that is no listing');
  const page = pageSchema.safeParse(toFields(root));
  if (!page.success) return unknown(`an answer of another form: ${z.prettifyError(page.error)}`);
  const { Contents, CommonPrefixes, IsTruncated, NextContinuationToken } = page.data;
  return known({
    folders: CommonPrefixes.map(({ Prefix: [prefix] }) => prefix),
    objects: Contents.map(({ Key: [key], Size: [bytes], ETag: [etag], LastModified: [at] }) => ({
      key,
      bytes,
      identity: objectIdentity(etag, at),
    })),
    next: IsTruncated[0] === 'true' ? (NextContinuationToken[0] ?? null) : null,
  });
}

function parseXmlRoot(text: string): XmlElement | null {
  try {
    return parseXml(text).root;
  } catch (error) {
    if (error instanceof XmlError) return null;
    throw error;
  }
}

type Fields = { [name: string]: (string | Fields)[] };

/** Each element becomes a list; the schema checks the count. */
function toFields(element: XmlElement): Fields {
  const fields: Fields = {};
  for (const child of element.children) {
    if (!isElement(child)) continue;
    const hasElements = child.children.some(isElement);
    fields[child.name] = [...(fields[child.name] ?? []), hasElements ? toFields(child) : child.text];
  }
  return fields;
}

function isElement(node: { readonly type: string }): node is XmlElement {
  return node.type === 'element';
}
