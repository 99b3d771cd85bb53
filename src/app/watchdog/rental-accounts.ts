/** Each account that rents is looked at once a day, though nothing runs: a creation that came late bills until somebody looks. */

import { traitsOf } from '../../config/engine-traits.ts';
import { listWorkflowRuns } from '../../github/workflows.ts';
import { anyLane } from '../../run/lane-scope.ts';
import { type AccountLook, judgeAccountLook } from '../../watch/account-look.ts';
import { perform } from '../control/perform.ts';
import type { OpenLab } from '../open-lab.ts';
import { contained, inCluster, type Trouble } from '../trouble.ts';

/** One cluster that rents, and what was done about its account. */
export type AccountFinding = {
  readonly cluster: string;
  readonly done: Exclude<AccountLook, 'owed'> | 'started' | 'start-refused';
};

/** Starts the watch where it is owed: only a watch has the key of the account, and it destroys what it finds and is nobody's. */
export async function lookAfterAccounts(
  open: OpenLab,
  troubles: Trouble[],
): Promise<readonly AccountFinding[]> {
  const { lab, config } = open;
  const renting = Object.keys(config.clusters).filter(
    (cluster) => traitsOf(config, cluster)?.rental !== undefined,
  );
  const findings: AccountFinding[] = [];
  for (const cluster of renting)
    await contained(open, troubles, inCluster(cluster), async () => {
      const watchRuns = await listWorkflowRuns(lab.client, config.workflows.watch);
      const look = judgeAccountLook(cluster, watchRuns, lab.now());
      findings.push({ cluster, done: look === 'owed' ? await start(open, cluster) : look });
    });
  return findings;
}

async function start(open: OpenLab, cluster: string): Promise<AccountFinding['done']> {
  const { config } = open;
  const outcome = await perform(open, {
    kind: 'dispatch-workflow',
    workflow: config.workflows.watch,
    ref: anyLane(config).lane.targetBranch,
    inputs: { cluster },
  });
  return outcome.kind === 'done' ? 'started' : 'start-refused';
}
