/** The engine of each cluster. */

import type { ComposedEngine, EngineHost } from '../engines/definition.ts';
import { type Adapters, adapterOf } from '../engines/registry.ts';
import type { LabConfig } from '../run/lane-scope.ts';
import type { EngineOf } from './lab.ts';

type EnginesHost = Omit<EngineHost, 'cluster' | 'checkout'> & {
  readonly adapters: Adapters;
  /** The folder with the default branch's files; an empty list means all of them. */
  readonly checkoutOf: (config: LabConfig, paths: readonly string[]) => Promise<string>;
};

export type Engines = {
  /** Null for an unknown cluster. Keeps one engine per cluster while its config stays the same, because it may hold a tunnel. */
  readonly engineOf: EngineOf;
  /** Closes tunnels and followed logs. */
  readonly close: () => Promise<void>;
};

type Made = ComposedEngine & { readonly key: string };

/** Creates the engine of a cluster on first use, and again after its config changed. */
export function createEngines(host: EnginesHost): Engines {
  const made = new Map<string, Made>();
  const closing: Promise<void>[] = [];
  return {
    engineOf: (config, cluster) => {
      const settings = config.clusters[cluster];
      const key = JSON.stringify(settings ?? null);
      const known = made.get(cluster);
      if (known?.key === key) return known.engine;
      if (known !== undefined) closing.push(known.close());
      made.delete(cluster);
      if (settings === undefined) return null;
      const checkout = (paths: readonly string[]): Promise<string> => host.checkoutOf(config, paths);
      const parts = adapterOf(host.adapters, settings).compose({ ...host, cluster, checkout }, settings);
      made.set(cluster, { key, ...parts });
      return parts.engine;
    },
    close: async () => {
      await Promise.all([...closing, ...[...made.values()].map(({ close }) => close())]);
    },
  };
}
