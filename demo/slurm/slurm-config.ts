/** The example lab's config for a real Slurm cluster of this machine: its cluster, and outputs where the watch can read them. */

import { parseDocument } from 'yaml';

export type SlurmPlace = {
  /** The folder that runner and nodes share: here any folder is one. */
  readonly folder: string;
  /** The file for SLURM_CONF. */
  readonly conf: string;
  /** Absolute folder for what the jobs write. */
  readonly outputs: string;
};

/** Every cluster becomes one of the engine `slurm`. */
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
