/** Runs dependency-cruiser with our rules on a tree and returns its result. */

import { join } from 'node:path';
import { execa } from 'execa';
import { z } from 'zod';

export const ROOT = join(import.meta.dirname, '../..');
export const RULES_FILE = join(ROOT, '.dependency-cruiser.cjs');

const answer = z.object({
  summary: z.object({
    totalCruised: z.number(),
    violations: z.array(z.object({ from: z.string(), to: z.string(), rule: z.object({ name: z.string() }) })),
  }),
});

export type Cruise = {
  readonly modules: number;
  readonly broken: readonly { readonly rule: string; readonly from: string; readonly to: string }[];
};

/** `folder` holds the tree's root: `src`, `packages`, `demo`, `package.json` (the playground has its own) and `tsconfig.json`. */
export async function cruise(folder: string): Promise<Cruise> {
  const args = ['--config', RULES_FILE, '--output-type', 'json', 'src', 'packages', 'demo'];
  const { stdout } = await execa(join(ROOT, 'node_modules/.bin/depcruise'), args, {
    cwd: folder,
    reject: false,
    maxBuffer: 100_000_000,
  });
  const { totalCruised, violations } = answer.parse(JSON.parse(stdout)).summary;
  return { modules: totalCruised, broken: violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to })) };
}
