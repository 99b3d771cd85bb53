/**
 * Verifies the JSON Web Token that an App signs with its private key (docs.github.com: generating a JWT for a GitHub
 * App).
 */

import { verify } from 'node:crypto';
import * as z from 'zod';
import { github } from '../limits/limits.ts';
import type { World } from '../world/world.ts';
import { clientIdOf } from './shape-people.ts';

const headerSchema = z.object({ alg: z.string() });
const claimsSchema = z.object({ iss: z.union([z.string(), z.number()]), iat: z.number(), exp: z.number() });

/** GitHub's exact messages: @octokit/auth-app parses them to correct a wrong clock. */
export const jwtMessages = {
  unreadable: 'A JSON web token could not be decoded',
  issuedAt: "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued.",
  expired:
    "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires.",
  tooLong: "'Expiration time' claim ('exp') is too far in the future",
  unknownApp: 'Integration not found',
} as const;

export type JwtVerdict =
  | { readonly ok: true; readonly appId: number }
  | { readonly ok: false; readonly reason: keyof typeof jwtMessages };

export function looksLikeJwt(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token) && token.startsWith('eyJ');
}

/** RS256 only; `iat` not in the future, `exp` in the future and at most ten minutes away. */
export function checkAppJwt(world: World, token: string): JwtVerdict {
  const [head = '', body = '', signature = ''] = token.split('.');
  const header = headerSchema.safeParse(readJson(head));
  const claims = claimsSchema.safeParse(readJson(body));
  if (!header.success || !claims.success || header.data.alg !== 'RS256') return { ok: false, reason: 'unreadable' };
  // The App's id or, as GitHub now recommends, its client id.
  const app = Object.values(world.state.apps).find((one) =>
    [`${one.id}`, clientIdOf(one.id)].includes(`${claims.data.iss}`),
  );
  if (app?.publicKeyPem === undefined || app.publicKeyPem === null) return { ok: false, reason: 'unknownApp' };
  const signed = Buffer.from(`${head}.${body}`);
  if (!verify('RSA-SHA256', signed, app.publicKeyPem, Buffer.from(signature, 'base64url'))) {
    return { ok: false, reason: 'unreadable' };
  }
  const now = world.clock.now();
  if (claims.data.iat * 1000 > now + github.jwtSkewMs) return { ok: false, reason: 'issuedAt' };
  if (claims.data.exp * 1000 <= now) return { ok: false, reason: 'expired' };
  if (claims.data.exp * 1000 > now + github.jwtLifeMs + github.jwtSkewMs) return { ok: false, reason: 'tooLong' };
  return { ok: true, appId: app.id };
}

/** Text that is not JSON becomes null, which no schema accepts. */
function readJson(part: string): unknown {
  const text = Buffer.from(part, 'base64url').toString('utf8');
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
