/** How a Ray job says whose it is: in its metadata where the Jobs API submitted it, in its variables where a script did, which can pass no metadata. */

import { z } from 'zod';
import type { JobMetadata } from '../../domain/engine.ts';

type Texts = Readonly<Record<string, string>>;

/** The metadata of a submission over the Jobs API, which takes texts alone. */
export function metadataTexts(metadata: JobMetadata): Texts {
  return {
    ferrybot_run: metadata.run,
    ferrybot_attempt: String(metadata.attempt),
    ferrybot_manifest: metadata.manifest,
  };
}

/** The same as variables of the job: `runtime_env.env_vars` come back in every answer about it (reference: ray, section 1). */
export function metadataVariables(metadata: JobMetadata): Texts {
  return {
    FERRYBOT_JOB_RUN: metadata.run,
    FERRYBOT_JOB_ATTEMPT: String(metadata.attempt),
    FERRYBOT_JOB_MANIFEST: metadata.manifest,
  };
}

const identity = z.object({
  run: z.string().min(1),
  attempt: z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number),
  manifest: z.string().min(1),
});

/**
 * Whose job it is, by its metadata or else by its variables (`runtime_env.env_vars`); null where neither says it whole.
 * A job of which both speak and contradict each other is nobody's.
 */
export function identityOf(metadata: unknown, variables: unknown): JobMetadata | null {
  const byMetadata = identity.safeParse(
    named(metadata, 'ferrybot_run', 'ferrybot_attempt', 'ferrybot_manifest'),
  );
  const byVariables = identity.safeParse(
    named(variables, 'FERRYBOT_JOB_RUN', 'FERRYBOT_JOB_ATTEMPT', 'FERRYBOT_JOB_MANIFEST'),
  );
  if (!byMetadata.success) return byVariables.success ? byVariables.data : null;
  return byVariables.success && !isSameJob(byMetadata.data, byVariables.data) ? null : byMetadata.data;
}

/** Whether both name one attempt of one run under one manifest. */
export function isSameJob(a: JobMetadata, b: JobMetadata): boolean {
  return a.run === b.run && a.attempt === b.attempt && a.manifest === b.manifest;
}

function named(source: unknown, run: string, attempt: string, manifest: string): object {
  if (typeof source !== 'object' || source === null) return {};
  const texts = new Map(Object.entries(source));
  return { run: texts.get(run), attempt: texts.get(attempt), manifest: texts.get(manifest) };
}
