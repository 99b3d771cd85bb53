/** The engine behind each cluster name, as the config of this process's runner says. */

import { isAbsolute, join } from 'node:path';
import type { LabConfig } from '../config/schema.ts';
import { assertNever } from '../domain/assert.ts';
import type { Engine } from '../domain/engine.ts';
import { createLocalEngine } from '../engines/local/engine.ts';
import type { EngineOf } from './lab.ts';
import { composeRayEngine, type RayHost } from './ray-engine.ts';

export type EngineHost = Omit<RayHost, 'checkout'> & {
  /** Outlives the runner's checkout: records of jobs of the `local` engine. */
  readonly stateDirectory: string;
  readonly now: () => number;
  /** The folder with the default branch's files; an empty list of paths: all of them. */
  readonly checkoutOf: (config: LabConfig, paths: readonly string[]) => Promise<string>;
};

export type Engines = {
  /** Null where the config names no such cluster. One engine a cluster as long as its config stays the same: it may hold a tunnel and follow logs. */
  readonly engineOf: EngineOf;
  /** Ends what the engines keep open. */
  readonly close: () => Promise<void>;
};

type Made = { readonly key: string; readonly engine: Engine; readonly close: () => Promise<void> };

/** Engines of one process. */
export function createEngines(host: EngineHost): Engines {
  const made = new Map<string, Made>();
  const closing: Promise<void>[] = [];
  return {
    engineOf: (config, cluster) => {
      const key = JSON.stringify(config.clusters[cluster] ?? null);
      const known = made.get(cluster);
      if (known?.key === key) return known.engine;
      if (known !== undefined) closing.push(known.close());
      made.delete(cluster);
      const parts = engineFor(host, config, cluster);
      if (parts === null) return null;
      made.set(cluster, { key, ...parts });
      return parts.engine;
    },
    close: async () => {
      await Promise.all([...closing, ...[...made.values()].map(({ close }) => close())]);
    },
  };
}

function engineFor(host: EngineHost, config: LabConfig, cluster: string): Omit<Made, 'key'> | null {
  const found = config.clusters[cluster];
  if (found === undefined) return null;
  switch (found.engine) {
    case 'local': {
      const directory = isAbsolute(found.jobs) ? found.jobs : join(host.stateDirectory, found.jobs);
      return { engine: createLocalEngine({ directory, now: host.now }), close: async () => undefined };
    }
    case 'ray':
      return composeRayEngine(cluster, found, {
        ...host,
        checkout: () => host.checkoutOf(config, found.scripts?.checkout ?? []),
      });
    default:
      return assertNever(found);
  }
}
