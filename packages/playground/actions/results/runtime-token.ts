/** The token by which the actions of one job speak to the services of its run, and the key that this world signs with. */

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { actions as limits } from '../../limits/limits.ts';
import type { World } from '../../world/world.ts';
import type { Job, Run } from '../state-actions.ts';

/** A job that runs now, as its token names it. */
export type RunningJob = { readonly run: Run; readonly job: Job };

/** Of this process alone: a restart ends the jobs whose tokens it would have to know. */
const keys = new WeakMap<World, Buffer>();

/** A signature of this world over a text, for addresses and tokens. */
export function sign(world: World, text: string): string {
  const key = keys.get(world) ?? randomBytes(32);
  keys.set(world, key);
  return createHmac('sha256', key).update(text).digest('base64url');
}

export function isSignedBy(world: World, text: string, signature: string): boolean {
  const [wanted, given] = [Buffer.from(sign(world, text)), Buffer.from(signature)];
  return wanted.length === given.length && timingSafeEqual(wanted, given);
}

/** `ACTIONS_RUNTIME_TOKEN`: clients read the ids of run and job out of its scope (actions/toolkit, getBackendIdsFromToken). */
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

/** The job that a token was made for, for as long as it runs; null for every other token. */
export function jobOfToken(world: World, token: string): RunningJob | null {
  const [head = '', body = '', signature = '', ...more] = token.split('.');
  if (more.length > 0 || !isSignedBy(world, `${head}.${body}`, signature)) return null;
  const claims = claimsSchema.parse(JSON.parse(Buffer.from(body, 'base64url').toString('utf8')));
  const [, runId = '', jobId = ''] = /^Actions\.Results:(\d+):(\d+)$/.exec(claims.scp) ?? [];
  const [run, job] = [world.state.runs[runId], world.state.jobs[jobId]];
  const isLate = claims.exp * 1000 <= world.clock.now();
  if (run === undefined || job?.status !== 'in_progress' || isLate) return null;
  return { run, job };
}
