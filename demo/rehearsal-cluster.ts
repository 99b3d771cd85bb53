/** The cluster of a rehearsal's jobs. */

import type { SeedInput } from './seed-lab.ts';

export type RehearsalCluster = {
  /** The seed of a new lab. */
  readonly seed: SeedInput['cluster'];
  /** Ends the cluster. If it may stay and a job runs on it, it keeps running, and the returned text explains that. */
  readonly close: (mayStay: boolean) => Promise<string | null>;
};

export type ClusterOutcome =
  | { readonly ok: true; readonly cluster: RehearsalCluster }
  | { readonly ok: false; readonly code: string; readonly message: string; readonly exitCode: 1 | 2 };
