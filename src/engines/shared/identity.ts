/** How a job says whose it is, where an engine keeps texts by names: metadata, variables or a comment. */

import { z } from 'zod';
import type { JobMetadata } from '../../domain/engine.ts';

/** Whose job it is, as JSON has it. */
export const jobMetadata = z
  .object({ run: z.string(), attempt: z.int(), manifest: z.string(), proof: z.string().optional() })
  .readonly();

/** The name of each part, as an engine may have it. */
export type IdentityNames = Readonly<Record<keyof JobMetadata, string>>;

/** The parts by their names. */
export function identityTexts(
  { run, attempt, manifest, proof }: JobMetadata,
  names: IdentityNames,
): Readonly<Record<string, string>> {
  return {
    [names.run]: run,
    [names.attempt]: String(attempt),
    [names.manifest]: manifest,
    ...(proof === undefined ? {} : { [names.proof]: proof }),
  };
}

const identity = z.object({
  run: z.string().min(1),
  attempt: z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number),
  manifest: z.string().min(1),
  proof: z.string().min(1).optional(),
});

/** Null where the texts do not say it whole. */
export function identityIn(texts: unknown, names: IdentityNames): JobMetadata | null {
  if (typeof texts !== 'object' || texts === null) return null;
  const all = new Map<string, unknown>(Object.entries(texts));
  const parts = Object.entries(names).map(([part, name]) => [part, all.get(name)]);
  return identity.safeParse(Object.fromEntries(parts)).data ?? null;
}
