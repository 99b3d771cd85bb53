/** Creates and revokes the bearer tokens that the API and git accept. */

import type { Run } from '../actions/state-actions.ts';
import { github } from '../limits/limits.ts';
import type { World } from '../world/world.ts';
import type { Installation, Permissions, Token } from './state-people.ts';

export type Minted = { readonly token: string; readonly expiresAtMs: number };

/** A person's token; it never expires (this is a toy on the loopback). */
export function mintUserToken(world: World, userId: number): string {
  return storeToken(world, 'ghp', { kind: 'user', userId, expiresAtMs: null });
}

/** An installation token: valid for one hour, with at most the installation's permissions (the caller checks that). */
export function mintInstallationToken(
  world: World,
  installation: Installation,
  permissions: Permissions,
  repoIds: readonly number[] | null,
): Minted {
  const expiresAtMs = world.clock.now() + github.installationTokenLifeMs;
  const token = storeToken(world, 'ghs', {
    kind: 'installation',
    installationId: installation.id,
    permissions,
    repoIds,
    expiresAtMs,
  });
  return { token, expiresAtMs };
}

/** A job's `GITHUB_TOKEN`: valid for at most 24 hours, and no longer than the run (revokeRunTokens). */
export function mintWorkflowToken(world: World, run: Run, permissions: Permissions): Minted {
  const expiresAtMs = world.clock.now() + github.workflowTokenLifeMs;
  const token = storeToken(world, 'ghs', {
    kind: 'workflow',
    repoId: run.repoId,
    runId: run.id,
    permissions,
    expiresAtMs,
  });
  return { token, expiresAtMs };
}

export function revokeToken(world: World, token: string): void {
  delete world.state.tokens[token];
}

/** Revokes every token of a run; the runner calls it when the run ends. */
export function revokeRunTokens(world: World, runId: number): void {
  for (const [text, token] of Object.entries(world.state.tokens)) {
    if (token.kind === 'workflow' && token.runId === runId) delete world.state.tokens[text];
  }
}

/** Removes expired tokens, so that they do not fill the state over time. */
export function removeExpiredTokens(world: World): void {
  const now = world.clock.now();
  for (const [text, token] of Object.entries(world.state.tokens)) {
    if (token.expiresAtMs !== null && token.expiresAtMs <= now) delete world.state.tokens[text];
  }
}

function storeToken(world: World, prefix: string, token: Token): string {
  const text = `${prefix}_${Buffer.from(world.randomBytes(27)).toString('base64url').replace(/[-_]/g, '0')}`;
  world.state.tokens[text] = token;
  return text;
}
