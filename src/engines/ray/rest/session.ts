/** Which head answers: Ray's session, whose change means that the jobs of the one before are forgotten. */

import { z } from 'zod';
import type { EngineSession } from '../../../domain/engine.ts';
import { ask, type NoAnswer, parse } from './ask.ts';
import type { RestSettings } from './settings.ts';

/** `GET /api/version` (ray-project/ray, python/ray/dashboard/modules/version.py); fields that later versions add do not matter. */
const versionAnswer = z.object({ ray_version: z.string().min(1), session_name: z.string().min(1) });

/** The session in which the head answers now, or why there is none. */
export async function readSession(
  settings: RestSettings,
): Promise<Extract<EngineSession, { kind: 'session' }> | NoAnswer> {
  const said = parse(settings, await ask(settings, { method: 'GET', path: 'api/version' }), versionAnswer);
  if (said.kind === 'unknown') return said;
  const { session_name: id, ray_version: version } = said.value;
  return { kind: 'session', id, version };
}
