/** The token that the actions of one job show to the services of its run, and the signing key of this world. */

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { actions as limits } from '../../limits/limits.ts';
import type { World } from '../../world/world.ts';
import type { Job, Run } from '../state-actions.ts';

/** A running job, found by its token. */
export type RunningJob = { readonly run: Run; readonly job: Job };

/** Kept in this process only: a restart ends every job that holds such a token. */
const keys = new WeakMap<World, Buffer>();

/** This world's signature over a text, for addresses and tokens. */
export function sign(world: World, text: string): string {
  const key = keys.get(world) ?? randomBytes(32);
  keys.set(world, key);
  return createHmac('sha256', key).update(text).digest('base64url');
}

export function isSignedBy(world: World, text: string, signature: string): boolean {
  const [wanted, given] = [Buffer.from(sign(world, text)), Buffer.from(signature)];
  return wanted.length === given.length && timingSafeEqual(wanted, given);
}

/**
 * `ACTIONS_RUNTIME_TOKEN`: clients read the ids of run and job from its scope (actions/toolkit,
 * getBackendIdsFromToken).
 */
export function mintRuntimeToken(world: World, job: Pick<Job, 'id' | 'runId'>): string {
  const seconds = Math.floor(world.clock.now() / 1000);
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = {
    iat: seconds,
    exp: seconds + limits.selfHostedJobMinutes * 60,
    scp: `Actions.Results:${job.runId}:${job.id}`,
  };
  const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
  return `${text}.${sign(world, text)}`;
}

const claimsSchema = z.object({ exp: z.number(), scp: z.string() });

/** The job of a token while it runs; null for every other token. */
export function findJobOfToken(world: World, token: string): RunningJob | null {
  const [head = '', body = '', signature = '', ...more] = token.split('.');
  if (more.length > 0 || !isSignedBy(world, `${head}.${body}`, signature)) return null;
  const claims = claimsSchema.parse(JSON.parse(Buffer.from(body, 'base64url').toString('utf8')));
  const [, runId = '', jobId = ''] = /^Actions\.Results:(\d+):(\d+)$/.exec(claims.scp) ?? [];
  const [run, job] = [world.state.runs[runId], world.state.jobs[jobId]];
  const isLate = claims.exp * 1000 <= world.clock.now();
  if (run === undefined || job?.status !== 'in_progress' || isLate) return null;
  return { run, job };
}
