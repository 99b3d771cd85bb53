/** Rows of what jobs store: artifacts of a run, and caches of a branch. */

/** A complete upload, stored as an object of the repository's git. */
export type StoredBlob = {
  readonly sha: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly contentType: string;
};

export type Artifact = {
  readonly id: number;
  readonly repoId: number;
  readonly runId: number;
  readonly runAttempt: number;
  readonly jobId: number;
  readonly name: string;
  readonly mimeType: string;
  /** Readers see the row only after it is final; it accepts no uploads afterwards. */
  readonly isFinal: boolean;
  readonly blob: StoredBlob | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly expiresAtMs: number;
};

export type CacheEntry = {
  readonly id: number;
  readonly repoId: number;
  readonly jobId: number;
  readonly key: string;
  /** The client's hash of the paths and the compression. A cache is restored only if this hash is equal. */
  readonly version: string;
  /** The ref whose runs saved it. */
  readonly ref: string;
  readonly isFinal: boolean;
  readonly blob: StoredBlob | null;
  readonly createdAtMs: number;
  readonly usedAtMs: number;
};
