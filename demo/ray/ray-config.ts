/** The example lab's config for a real Ray head on this machine: its cluster, and outputs where the watch can read them. */

import { parseDocument } from 'yaml';

export type RayPlace = {
  readonly address: string;
  readonly uv: string;
  readonly python: string;
  /** Absolute folder for what the jobs write. */
  readonly outputs: string;
};

/**
 * Every cluster becomes one of the engine `ray` that submits through the lab's own scripts. `uv run` needs no network
 * so: no project is made ready, and the Python that has Ray runs the script.
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
