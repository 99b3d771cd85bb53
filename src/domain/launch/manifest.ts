/**
 * The manifest: everything that decides what will run. Its digest is what a person approves (architecture, D4).
 * Decimals are strings, so that the canonical JSON has integers only.
 */

import type { RentalTerms } from './rental-terms.ts';

/** One changed knob: source text before and after, null = absent. */
export type ManifestChange = {
  readonly knob: string;
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly bucket: string | null;
};

/**
 * The lane's last sealed pass, where the run starts from it: `changes` are new against it; every other row of `delta` runs
 * as it ran there. `notTaken` are settings of the pass that the target branch overrules (`NotTaken`).
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

/** A checklist box that is a gate: bound to the text that was checked. */
export type Precondition = { readonly text: string; readonly checked: boolean };

export type Manifest = {
  readonly v: 1;
  readonly lane: string;
  readonly runName: string;
  readonly repository: string;
  /** Path → git tree (or blob) id of everything the job ships. */
  readonly trees: { readonly [path: string]: string };
  /** Against the target branch: everything that the proposal changes there. */
  readonly delta: readonly ManifestChange[];
  /** Missing where it starts from the target branch alone. */
  readonly base?: ManifestBase;
  readonly preconditions: readonly Precondition[];
  readonly cluster: string;
  /** The exact command as an argument array, with the environment it gets as `NAME=value` before it; what is passed to it in secret is not in it. */
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
    /** The step of that checkpoint, by its own metadata; missing where there is none. */
    readonly initializeStep?: number;
    /** The attempt after which a person went back to it: the same again is another manifest. Missing where nobody did. */
    readonly backAfter?: number;
    /** Where its checkpoints are looked for; missing where only the job's own machine can look. */
    readonly roots?: readonly string[];
  };
  readonly retention: {
    readonly permanentEverySteps: number | null;
    readonly temporaryEveryMinutes: number | null;
    readonly keepTemporary: number | null;
  };
  readonly cost: { readonly acceleratorHours: string; readonly source: string };
  /** What may happen without asking again. */
  readonly envelope: {
    readonly restarts: number;
    /**
     * What the job may be started again after, besides a bad node that was replaced. Missing in manifests of before it was
     * recorded: then after that alone.
     */
    readonly restartAfter?: readonly string[];
    readonly fixes: readonly string[];
    readonly reductions: readonly string[];
    /** Packages and variables that the job may get when it dies of what it runs on, one after the other; missing where none may. */
    readonly repairs?: readonly string[];
    /** Missing where the machines of its cluster are not rented. */
    readonly rental?: RentalTerms;
  };
  /** The policy keys that the gates read, as `key` → text. */
  readonly policy: { readonly [key: string]: string };
};
