/**
 * A ferry that is proposed, approved, ordered and dispatched: the launch job waits while a test changes the
 * world.
 */

import { requireApprovalLine } from '../support/approve.ts';
import {
  type BundleWorld,
  type BundleWorldOptions,
  bookmark,
  HOSTED,
  LAUNCHER,
  openBundleWorld,
  proposedIn,
  stateIn,
} from './bundle-world.ts';

export type BundleLab = BundleWorld & {
  readonly run: string;
  readonly pull: number;
  readonly approval: number;
  readonly order: string;
  /** Starts the launch workflow on main, by default for the ferry's order, and returns the jobs' output. */
  readonly launch: (inputs?: { readonly run: string; readonly order: string }) => Promise<string>;
  /** Restores the world from right after the dispatch of the order. */
  readonly rewind: () => Promise<void>;
};

/** Opens the lab. `close` removes every file. */
export async function openBundleLab(options: Omit<BundleWorldOptions, 'server'> = {}): Promise<BundleLab> {
  const lab = await openBundleWorld({ ...options, server: true });
  const ordered = await untilOrdered(lab);
  await cancelWaiting(lab);
  await lab.runJobs();
  await lab.useRunners(HOSTED, LAUNCHER);
  return {
    ...lab,
    ...ordered,
    launch: async (inputs = { run: ordered.run, order: ordered.order }) => {
      const path = '/actions/workflows/ferrybot-launch.yml/dispatches';
      await lab.as('ada', 'POST', path, { ref: 'main', inputs });
      return lab.runJobs();
    },
    rewind: await bookmark(lab),
  };
}

async function untilOrdered(lab: BundleWorld): Promise<Pick<BundleLab, 'run' | 'pull' | 'approval' | 'order'>> {
  const { pull } = (await proposedIn(lab)).proposal;
  const said = (await lab.as('mira', 'POST', `/issues/${pull}/comments`, { body: requireApprovalLine(lab) })) as {
    readonly id: number;
  };
  await lab.sweep();
  const state = await stateIn(lab);
  if (state?.order?.status !== 'open') throw new Error(`no order: ${JSON.stringify(state?.commands)}`);
  return { run: state.run, pull, approval: said.id, order: state.order.digest };
}

/** Cancels the launch that control dispatched and no runner took, because each test starts its own. */
async function cancelWaiting({ world: { state }, as }: BundleWorld): Promise<void> {
  const runs = Object.values(state.runs).filter((run) => run.path.endsWith('ferrybot-launch.yml'));
  if (runs.length !== 1) throw new Error(`control dispatched ${runs.length} launches`);
  for (const run of runs) await as('mira', 'POST', `/actions/runs/${run.id}/cancel`);
}
