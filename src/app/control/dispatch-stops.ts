/** Has jobs stopped by their id whose record cannot take a `/stop`. */

import type { Instant, RunId } from '../../domain/ids.ts';
import type { ReconcileRequest } from '../../domain/reconcile-request.ts';
import { configFor } from '../../run/run-config.ts';
import type { OpenLab } from '../open-lab.ts';
import { findStop, runsToStopById } from '../stop-by-job-id.ts';
import { apartFromComments, contained, type Trouble } from '../trouble.ts';
import { perform } from './perform.ts';

/** A stop workflow is started again after this long, while the record is not repaired. */
const AGAIN_MS = 10 * 60 * 1_000;

/** Starts the stop workflow for each; it looks for the `/stop` in the threads again. `asked`: when this process did so last. */
export async function dispatchStops(
  open: OpenLab,
  triggers: readonly ReconcileRequest[],
  asked: Map<RunId, Instant>,
  troubles: Trouble[],
): Promise<void> {
  if (!triggers.some(({ kind }) => kind === 'comment' || kind === 'sweep' || kind === 'push')) return;
  const { config, lab, store } = open;
  for (const state of runsToStopById(store.current())) {
    const { run } = state;
    if (lab.now() - (asked.get(run) ?? 0) < AGAIN_MS) continue;
    await contained(open, troubles, { run, thread: null }, async () => {
      const stop = await apartFromComments(open, troubles, (withoutText) =>
        findStop(open, state, withoutText),
      );
      if (stop === null) return;
      asked.set(run, lab.now());
      lab.log('the record cannot take the stop: its job is stopped by id', { run });
      await perform(open, {
        kind: 'dispatch-workflow',
        workflow: config.workflows.stop,
        ref: configFor(config, state).lane.targetBranch,
        inputs: { run },
      });
    });
  }
}
