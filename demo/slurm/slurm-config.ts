/**
 * The example lab's config for a real Slurm cluster on this machine: its cluster, and outputs that the watch can read.
 */

import { parseDocument } from 'yaml';

export type SlurmPlace = {
  /** The folder that runner and nodes share; on one machine any folder is shared. */
  readonly folder: string;
  /** The file for SLURM_CONF. */
  readonly conf: string;
  /** Absolute folder for the jobs' output. */
  readonly outputs: string;
};

/** Changes every cluster to the engine `slurm`. */
export function slurmLabConfig(text: string, { folder, conf, outputs }: SlurmPlace): string {
  const document = parseDocument(text);
  const lab = document.toJSON() as {
    readonly clusters: Readonly<Record<string, { readonly acceleratorHoursPerRun: string }>>;
  };
  for (const [name, { acceleratorHoursPerRun }] of Object.entries(lab.clusters)) {
    const cluster = {
      engine: 'slurm',
      folder,
      conf,
      partition: 'all',
      timeLimit: '1:00:00',
      cpusPerTask: 1,
      acceleratorHoursPerRun,
      accelerators: 1,
      links: {},
    };
    document.setIn(['clusters', name], document.createNode(cluster));
  }
  document.setIn(['lanes', 'daily', 'outputRoot'], `${outputs}/{run}`);
  return document.toString({ lineWidth: 0 });
}
