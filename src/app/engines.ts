/** The engine behind each cluster name, as the config of this process's runner says. */

import type { ComposedEngine, EngineHost } from '../engines/definition.ts';
import { type Adapters, adapterOf } from '../engines/registry.ts';
import type { LabConfig } from '../run/lane-scope.ts';
import type { EngineOf } from './lab.ts';

export type EnginesHost = Omit<EngineHost, 'cluster' | 'checkout'> & {
  readonly adapters: Adapters;
  /** The folder with the default branch's files; an empty list of paths: all of them. */
  readonly checkoutOf: (config: LabConfig, paths: readonly string[]) => Promise<string>;
};

export type Engines = {
  /** Null where the config names no such cluster. One engine a cluster as long as its config stays the same: it may hold a tunnel and follow logs. */
  readonly engineOf: EngineOf;
  /** Ends what the engines keep open. */
  readonly close: () => Promise<void>;
};

type Made = ComposedEngine & { readonly key: string };

/** Engines of one process. */
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
