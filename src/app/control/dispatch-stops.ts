/** Starts the stop workflow for runs with a broken record: it stops jobs by their id and takes over rented machines. */

import type { Instant } from '../../domain/ids.ts';
import type { ReconcileRequest } from '../../domain/reconcile-request.ts';
import { configFor } from '../../run/run-config.ts';
import type { OpenLab } from '../open-lab.ts';
import { brokenRentals, findStop, runsToStopById } from '../stop-by-job-id.ts';
import { apartFromComments, contained, type Trouble } from '../trouble.ts';
import { perform } from './perform.ts';

/** Retry interval while the record is broken. */
export const STOP_AGAIN_MS = 10 * 60 * 1_000;

/** `asked` holds when this process last started the workflow, by run and reason. */
export async function dispatchStops(
  open: OpenLab,
  triggers: readonly ReconcileRequest[],
  asked: Map<string, Instant>,
  troubles: Trouble[],
): Promise<void> {
  const { config, lab, store } = open;
  const isWokenBy = (...kinds: readonly ReconcileRequest['kind'][]): boolean =>
    triggers.some(({ kind }) => kinds.includes(kind));
  const stoppable = isWokenBy('comment', 'sweep', 'push') ? runsToStopById(store.current()) : [];
  const rentals = isWokenBy('sweep', 'workflow-ended') ? brokenRentals(store.current()) : [];
  const all = [
    stoppable.map((state) => ({ state, isRental: false })),
    rentals.map((state) => ({ state, isRental: true })),
  ];
  for (const { state, isRental } of all.flat()) {
    const { run } = state;
    const reason = `${run} ${isRental ? 'rents' : 'stop'}`;
    if (lab.now() - (asked.get(reason) ?? 0) < STOP_AGAIN_MS) continue;
    await contained(open, troubles, { run, thread: null }, async () => {
      const stop = await apartFromComments(open, troubles, async (withoutText) =>
        isRental ? null : findStop(open, state, withoutText),
      );
      if (stop === null && !isRental) return;
      asked.set(reason, lab.now());
      lab.log('the record is broken: the stop workflow is started', { run });
      await perform(open, {
        kind: 'dispatch-workflow',
        workflow: config.workflows.stop,
        ref: configFor(config, state).lane.targetBranch,
        inputs: { run },
      });
    });
  }
}
