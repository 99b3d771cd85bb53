/** How a Ray job says whose it is: in its metadata where the Jobs API submitted it, in its variables where a script did, which can pass no metadata. */

import { z } from 'zod';
import { isSameJob, type JobMetadata } from '../../domain/engine.ts';

type Texts = Readonly<Record<string, string>>;

/** The metadata of a submission over the Jobs API, which takes texts alone. */
export function metadataTexts(metadata: JobMetadata): Texts {
  return {
    ferrybot_run: metadata.run,
    ferrybot_attempt: String(metadata.attempt),
    ferrybot_manifest: metadata.manifest,
    ...(metadata.proof === undefined ? {} : { ferrybot_proof: metadata.proof }),
  };
}

/** The same as variables of the job: `runtime_env.env_vars` come back in every answer about it. */
export function metadataVariables(metadata: JobMetadata): Texts {
  return {
    FERRYBOT_JOB_RUN: metadata.run,
    FERRYBOT_JOB_ATTEMPT: String(metadata.attempt),
    FERRYBOT_JOB_MANIFEST: metadata.manifest,
    ...(metadata.proof === undefined ? {} : { FERRYBOT_JOB_PROOF: metadata.proof }),
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

/**
 * Whose job it is, by its metadata or else by its variables (`runtime_env.env_vars`); null where neither says it whole.
 * A job of which both speak and contradict each other is nobody's.
 */
export function identityOf(metadata: unknown, variables: unknown): JobMetadata | null {
  const byMetadata = identity.safeParse(
    named(metadata, ['ferrybot_run', 'ferrybot_attempt', 'ferrybot_manifest', 'ferrybot_proof']),
  );
  const byVariables = identity.safeParse(
    named(variables, [
      'FERRYBOT_JOB_RUN',
      'FERRYBOT_JOB_ATTEMPT',
      'FERRYBOT_JOB_MANIFEST',
      'FERRYBOT_JOB_PROOF',
    ]),
  );
  if (!byMetadata.success) return byVariables.success ? byVariables.data : null;
  return byVariables.success && !isSameJob(byMetadata.data, byVariables.data) ? null : byMetadata.data;
}

/** Names of run, attempt, manifest and proof, in this order. */
type Names = readonly [run: string, attempt: string, manifest: string, proof: string];

function named(source: unknown, [run, attempt, manifest, proof]: Names): object {
  if (typeof source !== 'object' || source === null) return {};
  const texts = new Map(Object.entries(source));
  return {
    run: texts.get(run),
    attempt: texts.get(attempt),
    manifest: texts.get(manifest),
    proof: texts.get(proof),
  };
}
