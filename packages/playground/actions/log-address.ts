/**
 * Logs are served outside the API, at an address that GitHub signs for one minute. Following the redirect needs no
 * token.
 */

import { actions as limits } from '../limits/limits.ts';
import type { World } from '../world/world.ts';
import { isSignedBy, sign } from './results/runtime-token.ts';
import { runArchive } from './run-archive.ts';

const LOGS = '/_playground/logs';

/** The address of a job's log, or of the archive of a run's logs. It is valid for one minute. */
export function logAddress(world: World, kind: 'jobs' | 'runs', id: number): string {
  const path = `${LOGS}/${kind}/${id}`;
  const until = `${world.clock.now() + limits.logAddressLifeMs}`;
  return `${world.baseUrl}${path}?${new URLSearchParams({ se: until, sig: sign(world, `${path} ${until}`) })}`;
}

export function isLog(path: string): boolean {
  return path.startsWith(`${LOGS}/`);
}

/**
 * Serves the text of a job, or an archive with the text of each step of a run. 403 for an address that was not signed
 * here or has expired.
 */
export function answerLog(world: World, request: Request): Response {
  const { pathname, searchParams } = new URL(request.url);
  const until = searchParams.get('se') ?? '';
  const isSigned = isSignedBy(world, `${pathname} ${until}`, searchParams.get('sig') ?? '');
  if (!isSigned || Number(until) <= world.clock.now())
    return Response.json({ message: 'This address was not signed here, or is too old.' }, { status: 403 });
  const [, kind, id = ''] = /^\/_playground\/logs\/(jobs|runs)\/(\d+)$/.exec(pathname) ?? [];
  if (kind === 'runs') return new Response(runArchive(world, id), { headers: { 'content-type': 'application/zip' } });
  return new Response(world.state.logs[id] ?? '', { headers: { 'content-type': 'text/plain; charset=utf-8' } });
}
