/** `mode: care`: one consented change of a cluster. */

import { care } from '../care/care.ts';
import { executorFor } from '../care/executor-for.ts';
import type { OpenLab } from '../open-lab.ts';
import { type ActionParts, type ActionResult, failed } from './parts.ts';

/** Carries out the proposal that the inputs name; red where it was not done. */
export async function careFor(parts: ActionParts, open: OpenLab): Promise<ActionResult> {
  parts.secrets.learn(open.config);
  const { cloudOf, disks, storeOf, sleep, event } = parts;
  const { run, mutation } = parts.inputs;
  const outcome = await care(open, {
    record: run,
    mutation,
    place: { event: event.name, ref: event.ref, workflowRef: event.workflowRef },
    defaultBranch: parts.defaultBranch,
    workflowRun: event.runId,
    executorFor: (proposed) => executorFor(open, proposed, { cloudOf, disks, storeOf, sleep }),
    redact: parts.secrets.clean,
  });
  if (outcome.kind === 'refused') return { ...failed(outcome.code, outcome.why), run };
  const ok = outcome.outcome === 'done';
  return { ok, result: outcome.code, run, jobId: '', detail: ok ? '' : outcome.outcome };
}
