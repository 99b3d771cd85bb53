/** The checks on a pushed branch before it is merged: its config, and the files of its clusters. */

import { GitError } from '../../domain/git.ts';
import type { ReconcileRequest } from '../../domain/reconcile-request.ts';
import type { OpenLab } from '../open-lab.ts';
import { contained, onBranch, type Trouble } from '../trouble.ts';
import type { Branch } from './branch.ts';
import { checkConfig } from './config-check.ts';
import { checkInfra } from './infra-check.ts';

/** Each says whether its check stands on the head now; none is put where the branch changes nothing of what it looks at. */
const CHECKS: readonly (readonly [
  name: string,
  check: (open: OpenLab, branch: Branch) => Promise<boolean>,
])[] = [
  ['config', checkConfig],
  ['infra', checkInfra],
];

/**
 * Puts the checks on the tip of every branch that was pushed to. `checked` holds the commits that have theirs; one that
 * could not be put there is tried again at the next push.
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
        // What git cannot tell gets no check: one that said *fine* would be a lie.
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
