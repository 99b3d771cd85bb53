/** Whose account it is: its list is the engine's memory, and forgets what was destroyed. */

import { z } from 'zod';
import { ask, type Said } from './ask.ts';
import type { VastSettings } from './settings.ts';

/** The account, and what it can still pay. */
export type VastSession = {
  readonly kind: 'session';
  readonly id: string;
  readonly version: string;
  readonly credit: number | null;
};

const user = z.object({ id: z.int(), credit: z.number().nullish() });

/** Asks who we are. */
export async function readVastSession(
  settings: VastSettings,
): Promise<VastSession | Extract<Said<never>, { kind: 'unknown' }>> {
  const said = await ask(settings, { method: 'GET', path: '/api/v0/users/current' }, user);
  if (said.kind === 'unknown') return said;
  return { kind: 'session', id: String(said.value.id), version: 'v1', credit: said.value.credit ?? null };
}
