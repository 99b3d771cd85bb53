/** What a rehearsal knows of the cluster that its jobs run on. */

import type { SeedInput } from './seed-lab.ts';

export type RehearsalCluster = {
  /** What a new lab is seeded with. */
  readonly seed: SeedInput['cluster'];
  /** Ends it; where it may stay and a job runs on it, it is left as it is, and the text says so. */
  readonly close: (mayStay: boolean) => Promise<string | null>;
};

export type ClusterOutcome =
  | { readonly ok: true; readonly cluster: RehearsalCluster }
  | { readonly ok: false; readonly code: string; readonly message: string; readonly exitCode: 1 | 2 };
