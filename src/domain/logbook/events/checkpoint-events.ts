/** Checkpoints of a run: what each event about them carries. */

import type { Surface } from '../../command.ts';

export type CheckpointEventData = {
  /** A person takes this step, and what was made from it, out of the lineage of the run. */
  readonly 'checkpoint-rejected': {
    readonly step: number;
    readonly reason: string;
    readonly comment: number;
    readonly surface: Surface;
  };
};
