/** The example lab's config for a real Ray head on this machine: its cluster, and outputs that the watch can read. */

import { parseDocument } from 'yaml';

export type RayPlace = {
  readonly address: string;
  readonly uv: string;
  readonly python: string;
  /** Absolute folder for the jobs' output. */
  readonly outputs: string;
};

/**
 * Changes every cluster to the engine `ray`, which submits through the lab's own scripts. `uv run` is configured so
 * that it needs no network: it prepares no project, and the Python with Ray runs the script.
 */
export function rayConfig(text: string, { address, uv, python, outputs }: RayPlace): string {
  const document = parseDocument(text);
  const lab = document.toJSON() as {
    readonly clusters: Readonly<Record<string, { readonly acceleratorHoursPerRun: string }>>;
  };
  for (const [name, { acceleratorHoursPerRun }] of Object.entries(lab.clusters)) {
    const cluster = {
      engine: 'ray',
      dashboard: address,
      scripts: {
        python: [uv, 'run', '--offline', '--no-project', '--no-config', '--python', python],
        pythonWithoutUv: null,
        clusterFile: 'infra/marin-{cluster}-vllm.yaml',
        checkout: ['lib/marin', 'scripts/ray', 'infra'],
      },
      acceleratorHoursPerRun,
      accelerators: 1,
      links: {},
    };
    document.setIn(['clusters', name], document.createNode(cluster));
  }
  document.setIn(['lanes', 'daily', 'outputRoot'], `${outputs}/{run}`);
  return document.toString({ lineWidth: 0 });
}
