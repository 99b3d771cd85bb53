/** The example lab's config for a real Iris on this machine: its cluster, and outputs that the watch can read. */

import { parseDocument } from 'yaml';
import { IRIS_USER } from './cluster.ts';

export type IrisPlace = {
  readonly controller: string;
  /** Absolute folder for the jobs' output. */
  readonly outputs: string;
};

/** Changes every cluster to the engine `iris`. */
export function irisLabConfig(text: string, { controller, outputs }: IrisPlace): string {
  const document = parseDocument(text);
  const lab = document.toJSON() as {
    readonly clusters: Readonly<Record<string, { readonly acceleratorHoursPerRun: string }>>;
  };
  for (const [name, { acceleratorHoursPerRun }] of Object.entries(lab.clusters)) {
    const cluster = {
      engine: 'iris',
      controller,
      tokenFrom: null,
      user: IRIS_USER,
      memoryMb: 1_024,
      acceleratorHoursPerRun,
      accelerators: 1,
      links: {},
    };
    document.setIn(['clusters', name], document.createNode(cluster));
  }
  document.setIn(['lanes', 'daily', 'outputRoot'], `${outputs}/{run}`);
  return document.toString({ lineWidth: 0 });
}
