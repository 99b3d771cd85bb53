/** Input and result of one run of the action. */

import { verifyWorkflowOrigin } from '../../actions/verify-order.ts';
import type { ExecutorTools } from '../care/executor-for.ts';
import type { DiskPortOpener } from '../disk-scan/disk-port.ts';
import type { TrackerLookup } from '../engines.ts';
import type { RunFixer } from '../fixer/fix-mode.ts';
import type { CloudLookup, EngineLookup, Lab } from '../lab.ts';
import type { ShipTree } from '../runner/ship-job.ts';
import type { SecretRegistry } from '../secret-registry.ts';
import type { MetricsReader } from '../watch/poll-job.ts';

export type ActionEvent = {
  readonly name: string;
  readonly payload: unknown;
  readonly ref: string;
  /** `owner/name/.github/workflows/FILE@REF`; empty if the runner does not set it. */
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
    readonly action: string;
    readonly failure: string;
    readonly cluster: string;
    readonly stateDirectory: string;
    readonly shiftMs: number;
  };
  readonly event: ActionEvent;
  readonly defaultBranch: string;
  readonly engineOf: EngineLookup;
  readonly cloudOf: CloudLookup;
  readonly disks: DiskPortOpener;
  /** Checkpoint stores that can delete, given a capability. */
  readonly storeOf: ExecutorTools['storeOf'];
  readonly readMetrics: MetricsReader;
  readonly trackerOf: TrackerLookup;
  readonly shipTree: ShipTree;
  readonly runFixer: RunFixer;
  /** Writes a file that a later step uploads as an artifact; returns its path. */
  readonly keepAnswer: (text: string) => Promise<string>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly secrets: SecretRegistry;
  /** The runner empties this folder after each job. */
  readonly temporaryDirectory: string;
  readonly sleep: (durationMs: number) => Promise<void>;
  /** Frees memory; a watch runs for hours. */
  readonly saveMemory: () => void;
};

/** `ok` decides the job's conclusion, `result` is a code, `detail` goes to the job summary. */
export type ActionResult = {
  readonly ok: boolean;
  readonly result: string;
  readonly run: string;
  readonly jobId: string;
  readonly answerFile?: string;
  readonly detail: string;
};

/** Builds a failed result; `result` is the reason. */
export function failedResult(result: string, detail: string): ActionResult {
  return { ok: false, result, run: '', jobId: '', detail };
}

/** Why this workflow run may not act; null if it is the expected workflow file of the default branch. */
export function findOriginFault({ lab, event, defaultBranch }: ActionParts, workflow: string): ActionResult | null {
  const place = { event: event.name, ref: event.ref, workflowRef: event.workflowRef };
  const fault = verifyWorkflowOrigin(place, { repository: lab.repository, defaultBranch, workflow });
  return fault === null ? null : failedResult(fault.code, fault.why);
}

/** What a workflow step can do (docs/architecture.md, Who runs where). */
export const MODES = ['propose', 'chat', 'launch', 'watch', 'stop', 'watchdog', 'care', 'disk-scan', 'fix'] as const;
type ActionMode = (typeof MODES)[number];

/** Whether the text is a mode of the action. */
export function isMode(text: string): text is ActionMode {
  return MODES.some((mode) => mode === text);
}
