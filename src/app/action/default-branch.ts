/** Which branch is the default one, as GitHub says it to a workflow run. Never by a customary name: anybody who may push may have taken it. */

import { z } from 'zod';

const eventSchema = z.object({ repository: z.object({ default_branch: z.string().min(1) }) });
const BRANCH = /^refs\/heads\/(.+)$/;

/** The event names it; a schedule names no repository, and runs on the default branch alone. Throws where nothing says it. */
export function defaultBranchOf(event: {
  readonly name: string;
  readonly payload: unknown;
  /** Full name, `GITHUB_REF`. */
  readonly ref: string;
}): string {
  const told = eventSchema.safeParse(event.payload);
  if (told.success) return told.data.repository.default_branch;
  const branch = event.name === 'schedule' ? BRANCH.exec(event.ref)?.[1] : undefined;
  if (branch === undefined)
    throw new Error(`the event ${event.name} does not say which branch is the default one`);
  return branch;
}
