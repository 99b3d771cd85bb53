/** What each engine declares: its settings, the rules over them, and the traits that launching and watching depend on. */

import { z } from 'zod';
import type { Engine } from '../domain/engine.ts';
import type { BeyondCap, MachineNeeds } from '../domain/launch/contract.ts';
import type { RentalTerms } from '../domain/launch/manifest.ts';
import type { Observed } from '../domain/values.ts';
import type { BadNodesConfig, DiskConfig, GcpConfig } from '../settings/machines.ts';
import type { ConfigIssue, KeyPath } from '../settings/problem.ts';
import { amount, orNull, setting, word } from '../settings/words.ts';

/** The setting for the longest duration of one request, in milliseconds. */
export function timeoutMs(about: string, standardMs = 30_000): z.ZodDefault<z.ZodInt> {
  return z.int().min(1_000).max(600_000).default(standardMs).describe(`How long ${about} may take.`);
}

/** A folder path that is used on other machines. Programs there take it as an argument, and some split on special characters. */
export const place = z
  .string()
  .max(300)
  .regex(/^(\/[\w.+@-]+)+$/, 'an absolute path of letters, digits and . _ + @ -')
  .refine((text) => !text.split('/').some((part) => part === '..' || part === '.'), 'a path without .. and .');

export const CLUSTER_KEYS = {
  acceleratorHoursPerRun: amount.describe(
    'Cost table: accelerator-hours of one run of this lane, shown before approval.',
  ),
  accelerators: orNull(
    z.int().min(1).max(100_000),
    'Cost table: accelerators of one run, for its actual cost; null: not shown.',
  ),
  adoption: setting(
    z.boolean(),
    false,
    'Whether jobs that people have launched here by hand may be taken over, with /watch.',
  ),
  links: setting(z.record(word, z.string().max(500)), {}, 'Links for people; {jobId} and {run} are filled in.'),
};

/** The traits of a cluster's engine that the rest of ferrybot may use. */
export type EngineTraits = {
  /**
   * Jobs are processes of the runner's machine and user. A job runs in the shipped folder, so the folder must remain, and
   * its files can be read there. Job records are in the state directory and outlive the runner's jobs.
   */
  readonly jobsRunHere: boolean;
  /** Whether the submit program may run build files of the change while it has the cluster's credentials. */
  readonly buildsChange: boolean;
  /** Files to exclude when a lane ships the whole tree, as patterns of a .gitignore at the root. */
  readonly leavesOut: readonly string[];
  /** Submit settings as manifest text: they affect what runs as much as the command does. Null: the engine's name is enough. */
  readonly launcher: string | null;
  /** Image in which every job runs, as people write it. Absent if the settings name none. */
  readonly image?: string;
  /** Runner variables with credentials of the cluster. No text may contain their values. */
  readonly secretVariables: readonly string[];
  /** Cost and duration limits of a machine that is rented for a job. Absent if the engine rents nothing. */
  readonly rental?: RentalTerms;
  /** Name prefix of everything that is rented; it identifies the owner. Present only with `rental`. */
  readonly rentedName?: string;
  /** The cluster's machines, if ferrybot maintains them; null: no maintenance. */
  readonly machines: Machines | null;
};

export type Machines = {
  readonly gcp: GcpConfig | null;
  readonly badNodes: BadNodesConfig;
  readonly disk: DiskConfig | null;
};

/** Everything that an adapter receives. It gets nothing else from the process. */
export type EngineHost = {
  readonly cluster: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Emptied at the end of this runner job. */
  readonly temporaryDirectory: string;
  /** Outlives the runner's checkout. */
  readonly stateDirectory: string;
  readonly now: () => number;
  /** Returns a folder with the default branch's files. An empty list of paths means all files. */
  readonly checkout: (paths: readonly string[]) => Promise<string>;
};

/** An engine, and how to close what it keeps open. */
export type ComposedEngine = { readonly engine: Engine; readonly close: () => Promise<void> };

export type ClusterSchema = z.ZodObject<{ engine: z.ZodLiteral<string> }>;

/** One engine without its adapter. `src/engines/registry.ts` lists all engines with their adapters. Everything here is pure. */
export type EngineDefinition<Schema extends ClusterSchema = ClusterSchema> = {
  readonly schema: Schema;
  /** Problems of one cluster that the schema cannot express. `at` is the cluster's path in the config. */
  configIssues(at: KeyPath, cluster: z.infer<Schema>): readonly ConfigIssue[];
  traits(cluster: z.infer<Schema>): EngineTraits;
  /** The cluster fitted to a run's machine needs, never beyond its own caps. Absent for engines that rent nothing. */
  fit?(
    cluster: z.infer<Schema>,
    needs: MachineNeeds,
  ): { readonly cluster: z.infer<Schema>; readonly exceededCaps: readonly BeyondCap[] };
};

/** An engine with its adapter. The adapter is loaded when a cluster is called, not when a config is read. */
export type LoadableEngine<Schema extends ClusterSchema = ClusterSchema> = EngineDefinition<Schema> & {
  load(): Promise<EngineAdapter<z.infer<Schema>>>;
};

export type EngineAdapter<Cluster = z.infer<ClusterSchema>> = {
  compose(host: EngineHost, cluster: Cluster): ComposedEngine;
  /** Whether the cluster requires authentication, asked without a key. Absent for engines that do not report it. */
  requiresKey?(cluster: Cluster): Promise<Observed<boolean>>;
};
