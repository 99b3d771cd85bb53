/** Which cluster answers, and how long its queue remembers: read from its configuration, of which nothing is ever changed. */

import { askCommand } from './commands.ts';
import type { SlurmSettings } from './settings.ts';

export type SlurmSession =
  | {
      readonly kind: 'session';
      readonly id: string;
      readonly version: string;
      /** An ended job stays in the queue for at least so long. */
      readonly rememberedMs: number;
    }
  | { readonly kind: 'unknown'; readonly message: string };

/** Slurm's default of MinJobAge, for a configuration that does not say it. */
const REMEMBERED_S = 300;

/** The controller keeps its jobs over a restart: its session is the name of its cluster. */
export async function readSlurmSession(settings: SlurmSettings): Promise<SlurmSession> {
  const said = await askCommand(settings, 'scontrol', ['show', 'config']);
  if (said.kind === 'unknown') return said;
  const setting = (name: string): string | null =>
    new RegExp(`^${name}\\s*= (\\S+)`, 'm').exec(said.text)?.[1] ?? null;
  const [id, version] = [setting('ClusterName'), setting('SLURM_VERSION')];
  if (id === null || version === null)
    return { kind: 'unknown', message: 'scontrol showed no name of a cluster' };
  const rememberedMs = Number(setting('MinJobAge') ?? REMEMBERED_S) * 1_000;
  return { kind: 'session', id, version, rememberedMs };
}
