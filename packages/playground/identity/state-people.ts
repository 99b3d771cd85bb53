/** Rows of the playground's state that say who exists and what they may do: people, Apps, installations, tokens. */

/** Levels as GitHub grants them; `admin` on a permission implies `write`, `write` implies `read`. */
export type AccessLevel = 'read' | 'write' | 'admin';

/** Permission name (`contents`, `issues`, `pull_requests`, …) to level, as in an App's or a workflow's `permissions`. */
export type Permissions = Readonly<Record<string, AccessLevel>>;

/** A role on a repository, from most to least; a person without one is a stranger (reads what is public). */
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
  /** The account `slug[bot]` that the App speaks as. */
  readonly botUserId: number;
  /** PEM (SPKI) of the key that App JWTs are checked with; null for Apps that nobody signs for (github-actions). */
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
  /** Present while it is suspended: by whom, since when. */
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

/** What the API knows about who is calling. `anonymous` may read what is public. */
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
