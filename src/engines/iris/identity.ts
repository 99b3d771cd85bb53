/** How a job of Iris says whose it is: in variables whose names end in `_ID`, which Iris shows as they are. */

import { z } from 'zod';
import type { JobMetadata } from '../../domain/engine.ts';

type Texts = Readonly<Record<string, string>>;

/** Under most other names Iris of May 2026 shows what looks like a key, such as a UUID or forty hexadecimal digits, as [REDACTED]. */
export function identityVariables({ run, attempt, manifest, proof }: JobMetadata): Texts {
  return {
    FERRYBOT_RUN_ID: run,
    FERRYBOT_ATTEMPT_ID: String(attempt),
    FERRYBOT_MANIFEST_ID: manifest,
    ...(proof === undefined ? {} : { FERRYBOT_PROOF_ID: proof }),
  };
}

const identity = z
  .object({
    FERRYBOT_RUN_ID: z.string().min(1),
    FERRYBOT_ATTEMPT_ID: z
      .string()
      .regex(/^\d{1,9}$/)
      .transform(Number),
    FERRYBOT_MANIFEST_ID: z.string().min(1),
    FERRYBOT_PROOF_ID: z.string().min(1).optional(),
  })
  .transform((said) => ({
    run: said.FERRYBOT_RUN_ID,
    attempt: said.FERRYBOT_ATTEMPT_ID,
    manifest: said.FERRYBOT_MANIFEST_ID,
    ...(said.FERRYBOT_PROOF_ID === undefined ? {} : { proof: said.FERRYBOT_PROOF_ID }),
  }));

/** Null where the variables do not say it whole. */
export function identityOf(variables: Texts): JobMetadata | null {
  return identity.safeParse(variables).data ?? null;
}

/** Whether one of ours came back hidden: then nobody can compare, and it is nobody else's either. */
export function isHidden(variables: Texts): boolean {
  return Object.entries(variables).some(
    ([name, value]) => name.startsWith('FERRYBOT_') && value === '[REDACTED]',
  );
}
