/**
 * The result of `ferrybot check-config` for a lab's config. It runs the program like a user, because the playground
 * shares no code with it.
 */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import * as z from 'zod';
import { FERRYBOT } from '../beside.ts';

const answer = z.object({
  ok: z.boolean(),
  problems: z.array(
    z.object({ line: z.number(), column: z.number(), severity: z.string(), path: z.string(), message: z.string() }),
  ),
});
export type ConfigProblem = z.output<typeof answer>['problems'][number];

/** `missing`: the default branch has no config. A valid one may still have warnings. */
export type ConfigReport =
  | { readonly state: 'missing'; readonly problems: readonly [] }
  | { readonly state: 'valid' | 'invalid'; readonly problems: readonly ConfigProblem[] };

/** The path of a lab's config in its repository. */
export const CONFIG_PATH = '.github/ferrybot.yml';

/** Checks the text of a config; null = there is none. Throws when the program itself fails. */
export async function checkConfig(text: string | null): Promise<ConfigReport> {
  if (text === null) return { state: 'missing', problems: [] };
  const folder = await mkdtemp(join(tmpdir(), 'ferrybot-config-'));
  try {
    const file = join(folder, 'ferrybot.yml');
    await writeFile(file, text);
    const { stdout } = await execa(process.execPath, [FERRYBOT, 'check-config', file, '--json'], {
      env: { PATH: process.env['PATH'] ?? '' },
      extendEnv: false,
      reject: false,
    });
    const { ok, problems } = answer.parse(JSON.parse(stdout));
    return { state: ok ? 'valid' : 'invalid', problems };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** `.github/ferrybot.yml:12:3: error: lanes.daily: …`, the usual format of compilers. */
export function problemLine({ line, column, severity, path, message }: ConfigProblem): string {
  return `${CONFIG_PATH}:${line}:${column}: ${severity}: ${path === '' ? '' : `${path}: `}${message}`;
}
