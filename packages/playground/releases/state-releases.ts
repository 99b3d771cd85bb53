/** Rows of releases (docs.github.com/rest/releases). */

export type Release = {
  readonly id: number;
  readonly repoId: number;
  readonly tag: string;
  readonly target: string;
  readonly name: string | null;
  readonly body: string | null;
  readonly draft: boolean;
  readonly prerelease: boolean;
  /** False: it is never the latest release, even if it is the newest. */
  readonly mayBeLatest: boolean;
  readonly authorId: number;
  readonly assets: readonly ReleaseAsset[];
  readonly createdAtMs: number;
  readonly publishedAtMs: number | null;
  readonly updatedAtMs: number;
};

export type ReleaseAsset = {
  readonly id: number;
  readonly name: string;
  readonly label: string | null;
  readonly contentType: string;
  readonly bytes: number;
  /** The bytes are stored as an object of the repository's git. */
  readonly blobSha: string;
  readonly sha256: string;
  readonly uploaderId: number;
  readonly createdAtMs: number;
};
