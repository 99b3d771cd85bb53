/**
 * The manifest: everything that determines what runs. People approve its digest (architecture, D4). Decimals are strings, so that the
 * canonical JSON holds only integers.
 */

import type { RentalTerms } from './rental-terms.ts';

/** Source text before and after; null = absent. */
export type ManifestChange = {
  readonly knob: string;
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly bucket: string | null;
};

/**
 * The lane's last sealed pass. `changes` are new against it; the other rows of `delta` ran in that pass. `notTaken`: settings that the
 * target branch overrules (`NotTaken`).
 */
export type ManifestBase = {
  readonly run: string;
  readonly commit: string;
  readonly changes: readonly ManifestChange[];
  readonly notTaken: readonly {
    readonly path: string;
    readonly ran: string | null;
    readonly target: string | null;
    readonly why: string;
  }[];
};

/** A checklist box used as a gate, bound to its text. */
export type Precondition = { readonly text: string; readonly checked: boolean };

export type Manifest = {
  readonly v: 1;
  readonly lane: string;
  readonly runName: string;
  readonly repository: string;
  /** Path → git tree (or blob) id of everything the job ships. */
  readonly trees: { readonly [path: string]: string };
  /** All changes against the target branch. */
  readonly delta: readonly ManifestChange[];
  /** Absent if the run starts from the target branch alone. */
  readonly base?: ManifestBase;
  readonly preconditions: readonly Precondition[];
  readonly cluster: string;
  /** The exact argument array, with its environment as leading `NAME=value`; secret values are not included. */
  readonly command: readonly string[];
  readonly outputRoot: string;
  readonly tracker: {
    readonly kind: string;
    readonly entity: string;
    readonly project: string;
    readonly runId: string;
  };
  readonly resume: {
    readonly policy: string;
    readonly initializeFrom: string | null;
    /** The step in that checkpoint's metadata; absent if there is none. */
    readonly initializeStep?: number;
    /** The attempt that a person rolled back, so that the repeated manifest has a new digest. */
    readonly backAfter?: number;
    /** Roots to search for checkpoints; absent if only the job's machine can read them. */
    readonly roots?: readonly string[];
  };
  readonly retention: {
    readonly permanentEverySteps: number | null;
    readonly temporaryEveryMinutes: number | null;
    readonly keepTemporary: number | null;
  };
  readonly cost: { readonly acceleratorHours: string; readonly source: string };
  /** What may happen without another approval. */
  readonly envelope: {
    readonly restarts: number;
    /** Failures after which the job may restart, besides a replaced bad node. If absent: only that. */
    readonly restartAfter?: readonly string[];
    readonly fixes: readonly string[];
    readonly reductions: readonly string[];
    /** Packages and variables to add, one per dependency failure. */
    readonly repairs?: readonly string[];
    /** Absent for clusters that do not rent machines. */
    readonly rental?: RentalTerms;
  };
  /** The policy keys that gates read, as `key` → text. */
  readonly policy: { readonly [key: string]: string };
};
