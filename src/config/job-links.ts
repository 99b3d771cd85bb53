/** Links for people to a job, as its cluster's settings have them. */

import type { LabConfig } from './schema.ts';

/** By name, filled in. */
export function linksOf(
  { clusters }: Pick<LabConfig, 'clusters'>,
  { cluster, run, jobId }: { readonly cluster: string; readonly run: string; readonly jobId: string },
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(clusters[cluster]?.links ?? {}).map(([name, link]) => [
      name,
      link.replaceAll('{jobId}', jobId).replaceAll('{run}', run),
    ]),
  );
}
