/** What a store has to give so that checkpoints can be read there: pages of a listing, one small file, one deletion. */

import type { Instant } from '../domain/ids.ts';
import type { Observed } from '../domain/observed.ts';

/** `identity`: what the store calls this very content. */
export type StoredObject = { readonly key: string; readonly bytes: number; readonly identity: string };

/** Keys are paths within the bucket, without a slash at the beginning. */
export type BucketPage = {
  /** With a delimiter: folders directly below, each ending in a slash. */
  readonly folders: readonly string[];
  readonly objects: readonly StoredObject[];
  /** Null on the last page. */
  readonly next: string | null;
};

export type PageQuery = {
  /** Empty, or ending in a slash. */
  readonly prefix: string;
  /** One level, or all below it. */
  readonly isDeep: boolean;
  readonly after: string | null;
};

export type BucketFile = { readonly text: string; readonly writtenAt: Instant; readonly identity: string };

export type Bucket = {
  readonly page: (query: PageQuery) => Promise<Observed<BucketPage>>;
  /** `known(null)`: the store says that there is none. A larger file is unknown. */
  readonly read: (key: string, bytesMax: number) => Promise<Observed<BucketFile | null>>;
  /** Also known where it was gone already. `changed`: it is another content by now, and stays. Not every S3 can be told so. */
  readonly remove: (key: string, identity: string) => Promise<Observed<'removed' | 'changed'>>;
  /** Takes away what is left of an empty folder, where a store has folders. */
  readonly tidy: (prefix: string) => Promise<void>;
};
