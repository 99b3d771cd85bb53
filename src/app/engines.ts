/** The engine of each cluster. */

import { mkdir, mkdtemp, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { LaneConfig } from '../config/lane-schema.ts';
import { GitError, type GitExporter, type GitReader } from '../domain/git.ts';
import type { Tracker } from '../domain/tracker.ts';
import type { ComposedEngine, EngineHost } from '../engines/definition.ts';
import { type Adapters, findAdapter } from '../engines/registry.ts';
import type { LabConfig } from '../run/lane.ts';
import { TRACKERS } from '../trackers/registry.ts';
import type { TrackerHost } from '../trackers/request.ts';
import type { EngineLookup } from './lab.ts';

type TrackerConfig = LaneConfig['tracker'];

type EnginesHost = Omit<EngineHost, 'cluster' | 'checkout'> & {
  readonly adapters: Adapters;
  /** The folder with the default branch's files; an empty list means all of them. */
  readonly checkoutOf: (config: LabConfig, paths: readonly string[]) => Promise<string>;
};

export type Engines = {
  /** Null for an unknown cluster. Reuses the engine while the cluster's config is unchanged, because it may hold a tunnel. */
  readonly engineOf: EngineLookup;
  /** Closes tunnels and log streams. */
  readonly close: () => Promise<void>;
};

type CachedEngine = ComposedEngine & { readonly key: string };

/** Creates the engine of a cluster on first use, and again after its config changed. */
export function createEngines(host: EnginesHost): Engines {
  const made = new Map<string, CachedEngine>();
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
      const parts = findAdapter(host.adapters, settings).compose({ ...host, cluster, checkout }, settings);
      made.set(cluster, { key, ...parts });
      return parts.engine;
    },
    close: async () => {
      await Promise.all([...closing, ...[...made.values()].map(({ close }) => close())]);
    },
  };
}

/** Null if the lane has no usable tracker. */
export type TrackerLookup = (settings: TrackerConfig) => Tracker | null;

/** Reuses one tracker per setting, because it remembers rate limits. */
export function createTrackers(
  environment: Readonly<Record<string, string | undefined>>,
  host: TrackerHost,
): TrackerLookup {
  const made = new Map<string, Tracker>();
  return (settings) => {
    const { kind, address, entity, project, keyFrom } = settings;
    // W&B without a key shows only public projects.
    if (kind === 'none' || (kind === 'wandb' && keyFrom === null)) return null;
    const known = made.get(JSON.stringify(settings));
    if (known !== undefined) return known;
    const key = keyFrom === null ? null : (environment[keyFrom] ?? '');
    const tracker =
      key === '' ? trackerWithoutKey(keyFrom ?? '') : TRACKERS[kind](host, { address, entity, project, key });
    made.set(JSON.stringify(settings), tracker);
    return tracker;
  };
}

function trackerWithoutKey(name: string): Tracker {
  const denied = { kind: 'denied', message: `this watch was not given ${name}` } as const;
  return { describe: async () => denied, logTail: async () => denied };
}

/** Exports `paths` of `branch` (all if empty) into a new private folder below `directory`. An existing folder is never reused. */
export async function launcherCheckout(
  git: Pick<GitReader, 'resolve'> & GitExporter,
  branch: string,
  paths: readonly string[],
  directory: string,
): Promise<string> {
  const commit = await git.resolve(`refs/heads/${branch}`);
  if (commit === null) throw new GitError('unreadable', `there is no branch ${branch}`);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const target = await mkdtemp(join(await realpath(directory), 'launcher-'));
  await git.exportTree(commit, paths.length === 0 ? ['.'] : paths, target);
  return target;
}
