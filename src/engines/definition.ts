/** What an engine says of itself: its settings, the rules over them, and what follows from them for whoever launches and watches. */

import { z } from 'zod';
import type { Engine } from '../domain/engine.ts';
import type { BeyondCap, MachineNeeds } from '../domain/launch/contract.ts';
import type { RentalTerms } from '../domain/launch/manifest.ts';
import type { Observed } from '../domain/values.ts';
import type { BadNodesConfig, DiskConfig, GcpConfig } from '../settings/machines.ts';
import type { ConfigIssue, KeyPath } from '../settings/problem.ts';
import { amount, setting, unset, word } from '../settings/words.ts';

/** How long one question may take, as a setting. */
export function timeoutMs(about: string, standardMs = 30_000): z.ZodDefault<z.ZodInt> {
  return z.int().min(1_000).max(600_000).default(standardMs).describe(`How long ${about} may take.`);
}

/** A folder that other machines have too: programs there take it as an argument, and split some signs. */
export const place = z
  .string()
  .max(300)
  .regex(/^(\/[\w.+@-]+)+$/, 'an absolute path of letters, digits and . _ + @ -')
  .refine(
    (text) => !text.split('/').some((part) => part === '..' || part === '.'),
    'a path without .. and .',
  );

export const CLUSTER_KEYS = {
  acceleratorHoursPerRun: amount.describe(
    'Cost table: accelerator-hours of one run of this lane, shown before approval.',
  ),
  accelerators: unset(
    z.int().min(1).max(100_000),
    'Cost table: accelerators of one run, for its actual cost; null: not shown.',
  ),
  adoption: setting(
    z.boolean(),
    false,
    'Whether jobs that people have launched here by hand may be taken over, with /watch.',
  ),
  links: setting(
    z.record(word, z.string().max(500)),
    {},
    'Links for people; {jobId} and {run} are filled in.',
  ),
};

/** What the rest of ferrybot may know of a cluster's engine. */
export type EngineTraits = {
  /**
   * A job is a process of the runner's own machine and user: it runs in the shipped folder, which has to stay, its files can
   * be read there, and its records outlive the runner's jobs in the state directory.
   */
  readonly jobsRunHere: boolean;
  /** What submits may run build files of the change beside the credentials of the cluster. */
  readonly buildsChange: boolean;
  /** Patterns, as in a .gitignore at the root, of what is left out where a lane ships the whole tree. */
  readonly leavesOut: readonly string[];
  /** What submits, as text of the manifest: it decides what runs as much as the command does. Null: the engine's name says all. */
  readonly launcher: string | null;
  /** Image in which every job runs, as people write its name; without it the settings name none. */
  readonly image?: string;
  /** Variables of the runner whose values open the cluster: no text may have them. */
  readonly secretVariables: readonly string[];
  /** What a machine that is rented for a job may cost, and how long it may be there; without it: nothing is rented. */
  readonly rental?: RentalTerms;
  /** Begins the name of all that is rented on it, by which it is known whose it is; with `rental` only. */
  readonly rentedName?: string;
  /** The machines under it, where the lab has them looked after; null: nobody does. */
  readonly machines: Machines | null;
};

export type Machines = {
  readonly gcp: GcpConfig | null;
  readonly badNodes: BadNodesConfig;
  readonly disk: DiskConfig | null;
};

/** What an adapter is put together from: nothing else of the process reaches it. */
export type EngineHost = {
  /** The cluster's name in the config. */
  readonly cluster: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Emptied when this job of the runner is over. */
  readonly temporaryDirectory: string;
  /** Outlives the runner's checkout. */
  readonly stateDirectory: string;
  readonly now: () => number;
  /** The folder with the default branch's files; an empty list of paths: all of them. */
  readonly checkout: (paths: readonly string[]) => Promise<string>;
};

/** An engine, and how to end what it keeps open. */
export type ComposedEngine = { readonly engine: Engine; readonly close: () => Promise<void> };

export type ClusterSchema = z.ZodObject<{ engine: z.ZodLiteral<string> }>;

/** One engine; `src/engines/registry.ts` has them all, each with its adapter. Everything here is pure. */
export type EngineDefinition<Schema extends ClusterSchema = ClusterSchema> = {
  readonly schema: Schema;
  /** What the schema cannot say of one cluster; `at` is its place in the config. */
  configIssues(at: KeyPath, cluster: z.infer<Schema>): readonly ConfigIssue[];
  traits(cluster: z.infer<Schema>): EngineTraits;
  /** The cluster for a run that asks for such a machine, never beyond its own caps; left out where nothing is rented. */
  fit?(
    cluster: z.infer<Schema>,
    needs: MachineNeeds,
  ): { readonly cluster: z.infer<Schema>; readonly beyond: readonly BeyondCap[] };
};

/** An engine with its adapter, which is loaded where a cluster is called and not where a config is read. */
export type LoadableEngine<Schema extends ClusterSchema = ClusterSchema> = EngineDefinition<Schema> & {
  load(): Promise<EngineAdapter<z.infer<Schema>>>;
};

/** What the module of an adapter exports. */
export type EngineAdapter<Cluster = z.infer<ClusterSchema>> = {
  compose(host: EngineHost, cluster: Cluster): ComposedEngine;
  /** Whether the cluster asks its callers who they are, as it tells anybody without a key; an engine that tells nobody lacks it. */
  asksForKey?(cluster: Cluster): Promise<Observed<boolean>>;
};
