/** Checks a pushed `.github/ferrybot.yml` before its merge: problems become annotations, a valid config gets a backtest. */

import { leftBehind } from '../../config/left-behind.ts';
import { GitError } from '../../domain/git.ts';
import type { ReconcileRequest } from '../../domain/reconcile-request.ts';
import { dateOf } from '../../domain/time.ts';
import { type ConfigVerdict, renderConfigCheck } from '../../render/check.ts';
import { backtest } from '../../run/backtest/backtest.ts';
import { CONFIG_PATH, readLabConfig } from '../config-source.ts';
import type { OpenLab } from '../open-lab.ts';
import { contained, onBranch, type Trouble } from '../trouble.ts';
import { recordFactsOf } from './gather.ts';
import { type Branch, checkInfra } from './infra-check.ts';
import { perform } from './perform.ts';

/** Each returns whether its check is on the head; a branch that does not change the checked files gets no check. */
const CHECKS: readonly (readonly [
  name: string,
  check: (open: OpenLab, branch: Branch) => Promise<boolean>,
])[] = [
  ['config', checkConfig],
  ['infra', checkInfra],
];

/**
 * Checks every branch that was pushed to. `checked` holds the commits that have their checks; a check that GitHub
 * rejected is retried at the next push.
 */
export async function checkBranches(
  open: OpenLab,
  defaultBranch: string,
  triggers: readonly ReconcileRequest[],
  checked: Set<string>,
  troubles: Trouble[],
): Promise<void> {
  const own = [`refs/heads/${defaultBranch}`, `refs/heads/${open.config.logbookBranch}`];
  const refs = new Set(triggers.flatMap((trigger) => (trigger.kind === 'push' ? [trigger.ref] : [])));
  for (const ref of refs) {
    if (own.includes(ref)) continue;
    for (const [name, check] of CHECKS)
      try {
        await contained(open, troubles, onBranch(ref), async () => {
          const branch = await branchAt(open, defaultBranch, ref);
          const key = `${name} ${branch?.head}`;
          if (branch !== null && !checked.has(key) && (await check(open, branch))) checked.add(key);
        });
      } catch (error) {
        // If git fails, put no check: a passing one would be wrong.
        if (!(error instanceof GitError)) throw error;
        open.lab.log(`the check of ${name} on ${ref} could not be made: ${error.message}`);
      }
  }
}

async function branchAt({ git }: OpenLab, defaultBranch: string, ref: string): Promise<Branch | null> {
  const [head, base] = [await git.resolve(ref), await git.resolve(`refs/heads/${defaultBranch}`)];
  const fork = head === null || base === null ? null : await git.mergeBase(base, head);
  return head === null || fork === null ? null : { head, fork };
}

/** Puts the check on a head that changes the config. Returns whether the check is on it. */
async function checkConfig(open: OpenLab, { head, fork }: Branch): Promise<boolean> {
  const text = await open.git.readText(head, CONFIG_PATH);
  if (text === null || text === (await open.git.readText(fork, CONFIG_PATH))) return false;
  const outcome = await perform(open, {
    kind: 'put-check-run',
    check: 'config',
    head,
    externalId: 'config',
    existing: null,
    ...renderConfigCheck(verdictOf(open, text), CONFIG_PATH),
  });
  return outcome.kind === 'done';
}

function verdictOf({ store, lab, configHealth }: OpenLab, text: string): ConfigVerdict {
  const reading = readLabConfig(text, lab.now());
  if (reading.kind === 'invalid')
    return { kind: 'invalid', problems: reading.problems, inForce: configHealth.inForce };
  const { config, warnings } = reading;
  const { recordedRuns, journalHolds } = recordFactsOf(store.current());
  return {
    kind: 'valid',
    warnings,
    left: leftBehind(config, recordedRuns, journalHolds, dateOf(lab.now())),
    backtest: backtest(store.histories(), config),
  };
}
