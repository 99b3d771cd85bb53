/**
 * The manifest: everything that determines what runs. People approve its digest (architecture, D4). Decimals are strings, so that the
 * canonical JSON holds only integers.
 */

import * as z from 'zod';
import { integerOrNull, type Parsed, text, texts } from '../logbook/parts.ts';

/** Value in a lane's `ships` for the whole tree, except files that the cluster's scripts exclude. */
export const WHOLE_TREE = '.';

/** Whether `path` is the file or is in the folder; `.` covers all. */
export function isPathCovered(folder: string, path: string): boolean {
  return folder === WHOLE_TREE || path === folder || path.startsWith(`${folder}/`);
}

/** Source text before and after; null = absent. */
const change = z.object({
  knob: text,
  path: text,
  before: text.nullable(),
  after: text.nullable(),
  bucket: text.nullable(),
});
export type ManifestChange = Parsed<typeof change>;

/**
 * The lane's last sealed pass. `changes` are new against it; the other rows of `delta` ran in that pass. `notTaken`: settings that the
 * target branch overrules (`KnobNotTaken`).
 */
const base = z.object({
  run: text,
  commit: text,
  changes: z.array(change),
  notTaken: z.array(z.object({ path: text, ran: text.nullable(), target: text.nullable(), why: text })),
});
export type ManifestBase = Parsed<typeof base>;

/**
 * Limits of a rented machine, approved as part of the manifest's envelope and binding for the run's machines. Machines without a known run
 * follow their cluster's current settings. Dollars are decimal text.
 */
const rentalTerms = z.object({
  /** Maximum hourly price, including disk. */
  dollarsPerHourMax: text,
  /** All machines of the run's attempts together; at the limit they are destroyed. */
  dollarsMax: text,
  /** The cluster's limits per UTC day and month; null: no limit. */
  dollarsPerDayMax: text.nullable(),
  dollarsPerMonthMax: text.nullable(),
  /** Maximum life from creation, even if kept. The machine shuts itself down then. */
  hoursMax: z.int(),
  /** From creation to the first step: image, data, compilation. */
  startMinutesMax: z.int(),
  /** Destroyed after this time without a new step. */
  idleMinutesMax: z.int(),
  /** The machine shuts itself down this long after its job ended, unless the watch destroys it earlier. */
  endMinutesMax: z.int(),
  /** A person can keep a machine this long from their request, but never beyond `hoursMax` or `dollarsMax`. */
  keepHoursMax: z.int(),
});
export type RentalTerms = Parsed<typeof rentalTerms>;

export const manifestSchema = z.object({
  v: z.literal(1),
  lane: text,
  runName: text,
  repository: text,
  /** Path → git tree (or blob) id of everything the job ships. */
  trees: texts,
  /** All changes against the target branch. */
  delta: z.array(change),
  /** Absent if the run starts from only the target branch. */
  base: base.exactOptional(),
  /** Checklist boxes used as gates, bound to their text. */
  preconditions: z.array(z.object({ text, checked: z.boolean() })),
  cluster: text,
  /** The exact argument array, with its environment as leading `NAME=value`; secret values are not included. */
  command: z.array(text),
  outputRoot: text,
  tracker: z.object({ kind: text, entity: text, project: text, runId: text }),
  resume: z.object({
    policy: text,
    initializeFrom: text.nullable(),
    /** The step in that checkpoint's metadata; absent if there is none. */
    initializeStep: z.int().exactOptional(),
    /** The attempt that a person rolled back, so that the repeated manifest has a new digest. */
    rolledBackAttempt: z.int().exactOptional(),
    /** Roots to search for checkpoints; absent if only the job's machine can read them. */
    roots: z.array(text).exactOptional(),
  }),
  retention: z.object({
    permanentEverySteps: integerOrNull,
    temporaryEveryMinutes: integerOrNull,
    keepTemporary: integerOrNull,
  }),
  cost: z.object({ acceleratorHours: text, source: text }),
  /** What may happen without another approval. */
  envelope: z.object({
    restarts: z.int(),
    /** Restarts after preemptions with progress. Absent: they count as other restarts. */
    preemptions: z.int().exactOptional(),
    /** Failures after which the job may restart, in addition to a replaced bad node. Absent: only after a replaced bad node. */
    restartAfter: z.array(text).exactOptional(),
    fixes: z.array(text),
    reductions: z.array(text),
    /** Packages and variables to add, one per dependency failure. */
    repairs: z.array(text).exactOptional(),
    /** Absent for clusters that do not rent machines. */
    rental: rentalTerms.exactOptional(),
  }),
  /** The policy keys that gates read, as `key` → text. */
  policy: texts,
});
export type Manifest = Parsed<typeof manifestSchema>;
