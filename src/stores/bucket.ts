/** The operations that checkpoints need from a store. */

import type { Instant } from '../domain/ids.ts';
import type { Observed } from '../domain/observed.ts';

/** `identity`: the version id of the content. */
export type StoredObject = { readonly key: string; readonly bytes: number; readonly identity: string };

/** Keys are paths within the bucket, without a leading slash. */
export type BucketPage = {
  /** With a delimiter: direct subfolders, each with a trailing slash. */
  readonly folders: readonly string[];
  readonly objects: readonly StoredObject[];
  /** Null on the last page. */
  readonly next: string | null;
};

export type PageQuery = {
  /** Empty, or with a trailing slash. */
  readonly prefix: string;
  /** All levels instead of one. */
  readonly isDeep: boolean;
  readonly after: string | null;
};

export type BucketFile = { readonly text: string; readonly writtenAt: Instant; readonly identity: string };

export type Bucket = {
  readonly page: (query: PageQuery) => Promise<Observed<BucketPage>>;
  /** `known(null)`: no such file. Unknown if it is too large. */
  readonly read: (key: string, bytesMax: number) => Promise<Observed<BucketFile | null>>;
  /** `removed` also if it was already gone. `changed`: other content, not deleted; not every S3 supports this condition. */
  readonly remove: (key: string, identity: string) => Promise<Observed<'removed' | 'changed'>>;
  /** Removes empty folders in stores that have folders. */
  readonly tidy: (prefix: string) => Promise<void>;
};
