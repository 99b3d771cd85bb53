/** What the `slurm` engine needs from its surroundings. */

import type { SlurmCluster } from './schema.ts';

export type SlurmSettings = {
  readonly cluster: SlurmCluster;
  /** All that a command of Slurm's sees of an environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Jobs of this account alone are ours. */
  readonly uid: number;
  readonly now: () => number;
  readonly sleep: (durationMs: number) => Promise<unknown>;
};
