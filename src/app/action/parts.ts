/** What one run of the action is given, and what it answers. */

import type { ExecutorTools } from '../care/executor-for.ts';
import type { DisksOf } from '../disk-scan/disks.ts';
import type { RunFixer } from '../fixer/run-fixer.ts';
import type { CloudOf, EngineOf, Lab } from '../lab.ts';
import type { ShipTree } from '../runner/ship-tree.ts';
import type { SecretRegistry } from '../secret-registry.ts';
import type { TrackerOf } from '../trackers.ts';
import type { MetricsReader } from '../watch/look.ts';
import type { ActionMode } from './inputs.ts';

export type ActionEvent = {
  readonly name: string;
  readonly payload: unknown;
  readonly ref: string;
  /** `owner/name/.github/workflows/FILE@REF`; empty where the runner does not say. */
  readonly workflowRef: string;
  readonly runId: number;
  readonly runUrl: string;
  readonly runAttempt: number;
};

export type ActionParts = {
  readonly lab: Lab;
  readonly mode: ActionMode;
  readonly inputs: {
    readonly run: string;
    readonly order: string;
    readonly mutation: string;
    readonly failure: string;
    readonly cluster: string;
    readonly stateDirectory: string;
    readonly shiftMs: number;
  };
  readonly event: ActionEvent;
  readonly defaultBranch: string;
  readonly engineOf: EngineOf;
  readonly cloudOf: CloudOf;
  readonly disks: DisksOf;
  /** Stores with their deletion, which asks for a capability. */
  readonly storeOf: ExecutorTools['storeOf'];
  readonly readMetrics: MetricsReader;
  readonly trackerOf: TrackerOf;
  readonly shipTree: ShipTree;
  readonly runFixer: RunFixer;
  /** Writes what a later step of the job leaves as an artifact, and says where. */
  readonly keepAnswer: (text: string) => Promise<string>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly secrets: SecretRegistry;
  /** What the runner empties after each job. */
  readonly temporaryDirectory: string;
  readonly sleep: (durationMs: number) => Promise<void>;
  /** Gives back what a long process does not need any more. */
  readonly saveMemory: () => void;
};

/** `ok` decides the job's conclusion; `result` is a closed word; `detail` is for the job summary. */
export type ActionResult = {
  readonly ok: boolean;
  readonly result: string;
  readonly run: string;
  readonly jobId: string;
  /** Where the answer of a fixer lies. */
  readonly answerFile?: string;
  readonly detail: string;
};

/** A run of the action that did not do what it was asked for; `result` names the reason. */
export function failed(result: string, detail: string): ActionResult {
  return { ok: false, result, run: '', jobId: '', detail };
}
