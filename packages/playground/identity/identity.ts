/** Identifies the caller by the `authorization` header, for the API and for git. */

import { assertNever } from '../world/assert.ts';
import { actionsApp, appById, requireRow, userById } from '../world/lookup.ts';
import type { World } from '../world/world.ts';
import { checkAppJwt, jwtMessages, looksLikeJwt } from './app-jwt.ts';
import type { Caller, Token, User } from './state-people.ts';

export type Identity =
  | { readonly ok: true; readonly caller: Caller; readonly token: string | null }
  | { readonly ok: false; readonly message: string };

/**
 * `Bearer X`, `token X`, or `Basic base64(anything:X)` as git sends it. An unknown or expired token is an error, never
 * a guest.
 */
export function identify(world: World, authorization: string | null): Identity {
  if (authorization === null || authorization === '') {
    return { ok: true, caller: { kind: 'anonymous' }, token: null };
  }
  const text = parseBearer(authorization);
  if (text === null) return { ok: false, message: 'Bad credentials' };
  if (looksLikeJwt(text)) {
    const verdict = checkAppJwt(world, text);
    return verdict.ok
      ? { ok: true, caller: { kind: 'app', appId: verdict.appId }, token: text }
      : { ok: false, message: jwtMessages[verdict.reason] };
  }
  const token = world.state.tokens[text];
  if (token === undefined) return { ok: false, message: 'Bad credentials' };
  if (token.expiresAtMs !== null && token.expiresAtMs <= world.clock.now()) {
    return { ok: false, message: 'Bad credentials' };
  }
  return { ok: true, caller: callerOfToken(world, token), token: text };
}

/** The refusal of a token whose installation is suspended (docs.github.com/apps: suspending an installation), or null. */
export function findSuspension(world: World, caller: Caller): string | null {
  if (caller.kind !== 'installation') return null;
  const row = world.state.installations[caller.installationId];
  return row?.suspended === undefined ? null : describeSuspension;
}

export const describeSuspension = 'This installation has been suspended';

/** The account that a caller's writes are attributed to; null for guests and for an App that shows only its JWT. */
export function findActor(world: World, caller: Caller): User | null {
  switch (caller.kind) {
    case 'anonymous':
    case 'app':
      return null;
    case 'user':
    case 'installation':
    case 'workflow':
      return userById(world, caller.userId);
    default:
      return assertNever(caller);
  }
}

/** The App for `performed_via_github_app` in a caller's writes; null for people. */
export function actingAppId(caller: Caller): number | null {
  return caller.kind === 'installation' || caller.kind === 'workflow' ? caller.appId : null;
}

/** A name for reports: `user:ada`, `installation:1`, `workflow:7`, `app:1`, `anonymous`. */
export function callerName(world: World, caller: Caller): string {
  switch (caller.kind) {
    case 'anonymous':
      return 'anonymous';
    case 'app':
      return `app:${caller.appId}`;
    case 'user':
      return `user:${userById(world, caller.userId).login}`;
    case 'installation':
      return `installation:${caller.installationId}`;
    case 'workflow':
      return `workflow:${caller.runId}`;
    default:
      return assertNever(caller);
  }
}

function callerOfToken(world: World, token: Token): Caller {
  switch (token.kind) {
    case 'user':
      return { kind: 'user', userId: token.userId };
    case 'installation': {
      const row = requireRow(world.state.installations[token.installationId], `installation ${token.installationId}`);
      const app = appById(world, row.appId);
      return {
        kind: 'installation',
        installationId: row.id,
        appId: app.id,
        userId: app.botUserId,
        permissions: token.permissions,
        repoIds: token.repoIds,
      };
    }
    case 'workflow':
      return {
        kind: 'workflow',
        appId: actionsApp.appId,
        userId: actionsApp.userId,
        repoId: token.repoId,
        runId: token.runId,
        permissions: token.permissions,
      };
    default:
      return assertNever(token);
  }
}

function parseBearer(authorization: string): string | null {
  const [scheme = '', value = ''] = authorization.trim().split(/\s+/, 2);
  switch (scheme.toLowerCase()) {
    case 'bearer':
    case 'token':
      return value === '' ? null : value;
    case 'basic': {
      const pair = Buffer.from(value, 'base64').toString('utf8');
      const password = pair.slice(pair.indexOf(':') + 1);
      return password === '' ? null : password;
    }
    default:
      return null;
  }
}
