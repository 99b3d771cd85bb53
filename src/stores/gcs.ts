/** Google Cloud Storage over its JSON API. */

import { z } from 'zod';
import { limits } from '../domain/limits.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';
import { fromRfc3339 } from '../domain/time.ts';
import { ask, type StoreAnswer, type StoreHost, saidNo } from './ask.ts';
import type { Bucket, BucketFile, BucketPage, PageQuery } from './bucket.ts';

export type GcsPlace = {
  /** `https://storage.googleapis.com`, or an emulator. */
  readonly endpoint: string;
  readonly bucket: string;
  /** A current token; null: anonymous access. */
  readonly token: () => Promise<Observed<string | null>>;
};

const generation = z.coerce.string().regex(/^\d+$/);

const pageSchema = z.looseObject({
  prefixes: z.array(z.string()).default([]),
  // The API writes 64-bit numbers as text.
  items: z
    .array(z.looseObject({ name: z.string(), size: z.coerce.number().int().nonnegative(), generation }))
    .default([]),
  nextPageToken: z.string().min(1).optional(),
});

const objectSchema = z.looseObject({
  generation,
  updated: z.string(),
  size: z.coerce.number().int().nonnegative(),
});

/** A Google Cloud Storage bucket. */
export function createGcsBucket(host: StoreHost, place: GcsPlace): Bucket {
  const call = (method: 'GET' | 'DELETE', path: string, query: Readonly<Record<string, string>>) =>
    ask(host, async () => {
      const token = await place.token();
      if (token.kind === 'unknown') return token;
      const headers = new Headers(token.value === null ? {} : { authorization: `Bearer ${token.value}` });
      const url = `${place.endpoint}/storage/v1/b/${encodeURIComponent(place.bucket)}/o${path}?${new URLSearchParams(query)}`;
      return known({ method, url, headers });
    });
  const objectPath = (key: string): string => `/${encodeURIComponent(key)}`;
  return {
    page: async (query) => {
      const answer = await call('GET', '', pageQuery(query));
      return answer.kind === 'unknown' ? answer : readPage(answer.value);
    },
    read: async (key, bytesMax) => {
      const found = await call('GET', objectPath(key), { fields: 'generation,updated,size' });
      if (found.kind === 'unknown') return found;
      if (found.value.status === 404) return known(null);
      const object = parsed(found.value, objectSchema);
      if (object.kind === 'unknown') return object;
      const { generation, updated, size } = object.value;
      const writtenAt = fromRfc3339(updated);
      if (writtenAt === null) return unknown(`the time ${updated}`);
      if (size > bytesMax) return unknown(`${size} bytes`);
      // The same generation, so that a concurrent rewrite is noticed.
      const media = await call('GET', objectPath(key), { alt: 'media', generation });
      if (media.kind === 'unknown') return media;
      if (media.value.status !== 200) return saidNo(media.value);
      return known<BucketFile>({ text: media.value.text, writtenAt, identity: generation });
    },
    remove: async (key, identity) => {
      const answer = await call('DELETE', objectPath(key), { ifGenerationMatch: identity });
      if (answer.kind === 'unknown') return answer;
      const { status } = answer.value;
      if (status === 412) return known('changed');
      return status === 404 || (status >= 200 && status < 300) ? known('removed') : saidNo(answer.value);
    },
    tidy: async () => undefined,
  };
}

function pageQuery({ prefix, isDeep, after }: PageQuery): Readonly<Record<string, string>> {
  return {
    prefix,
    maxResults: String(limits.storePageObjects),
    fields: 'prefixes,items(name,size,generation),nextPageToken',
    ...(isDeep ? {} : { delimiter: '/' }),
    ...(after === null ? {} : { pageToken: after }),
  };
}

function readPage(answer: StoreAnswer): Observed<BucketPage> {
  const page = parsed(answer, pageSchema);
  if (page.kind === 'unknown') return page;
  const { prefixes, items, nextPageToken } = page.value;
  return known({
    folders: prefixes,
    objects: items.map(({ name, size, generation: identity }) => ({ key: name, bytes: size, identity })),
    next: nextPageToken ?? null,
  });
}

function parsed<Shape>(answer: StoreAnswer, schema: z.ZodType<Shape>): Observed<Shape> {
  if (answer.status !== 200) return saidNo(answer);
  try {
    const read = schema.safeParse(JSON.parse(answer.text));
    return read.success
      ? known(read.data)
      : unknown(`an answer of another form: ${z.prettifyError(read.error)}`);
  } catch (error) {
    if (error instanceof SyntaxError) return unknown('an answer that is no JSON');
    throw error;
  }
}
