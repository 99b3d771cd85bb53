/** State rows of accounts and permissions: people, Apps, installations, tokens. */

/** GitHub's access levels; `admin` on a permission implies `write`, `write` implies `read`. */
export type AccessLevel = 'read' | 'write' | 'admin';

/** Permission name (`contents`, `issues`, `pull_requests`, …) to level, as in an App's or a workflow's `permissions`. */
export type Permissions = Readonly<Record<string, AccessLevel>>;

/** A role on a repository, from most to least. A person without a role reads only what is public. */
export type Role = 'admin' | 'maintain' | 'write' | 'triage' | 'read';

export type User = {
  readonly id: number;
  readonly login: string;
  readonly type: 'User' | 'Bot' | 'Organization';
  readonly name: string | null;
  readonly email: string | null;
  readonly createdAtMs: number;
};

export type App = {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly ownerId: number;
  /** The account `slug[bot]` that the App writes as. */
  readonly botUserId: number;
  /** PEM (SPKI) of the public key for App JWTs; null for Apps that never sign (github-actions). */
  readonly publicKeyPem: string | null;
  readonly permissions: Permissions;
  readonly events: readonly string[];
  readonly webhook: { readonly url: string; readonly secret: string } | null;
  readonly createdAtMs: number;
};

export type Installation = {
  readonly id: number;
  readonly appId: number;
  readonly accountId: number;
  readonly permissions: Permissions;
  readonly events: readonly string[];
  /** null = every repository of the account. */
  readonly repoIds: readonly number[] | null;
  readonly createdAtMs: number;
  readonly updatedAtMs?: number;
  /** Present while the installation is suspended: by which account, since when. */
  readonly suspended?: { readonly atMs: number; readonly byId: number };
};

/** A bearer token by kind; the token's text is the key of the table. `expiresAtMs` null = does not expire. */
export type Token =
  | { readonly kind: 'user'; readonly userId: number; readonly expiresAtMs: number | null }
  | {
      readonly kind: 'installation';
      readonly installationId: number;
      readonly permissions: Permissions;
      readonly repoIds: readonly number[] | null;
      readonly expiresAtMs: number;
    }
  | {
      readonly kind: 'workflow';
      readonly repoId: number;
      readonly runId: number;
      readonly permissions: Permissions;
      readonly expiresAtMs: number;
    };

/** The API's knowledge of a caller. `anonymous` may read what is public. */
export type Caller =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'app'; readonly appId: number }
  | { readonly kind: 'user'; readonly userId: number }
  | {
      readonly kind: 'installation';
      readonly installationId: number;
      readonly appId: number;
      readonly userId: number;
      readonly permissions: Permissions;
      readonly repoIds: readonly number[] | null;
    }
  | {
      readonly kind: 'workflow';
      readonly appId: number;
      readonly userId: number;
      readonly repoId: number;
      readonly runId: number;
      readonly permissions: Permissions;
    };
