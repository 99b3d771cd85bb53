/** Judges a pushed `.github/ferrybot.yml` before it is merged: problems as annotations, or what it would have decided otherwise. */

import { readConfig } from '../../config/read-config.ts';
import { GitError } from '../../domain/git.ts';
import type { Sha } from '../../domain/ids.ts';
import type { Wake } from '../../domain/wake.ts';
import { type ConfigVerdict, renderConfigCheck } from '../../render/config-check.ts';
import { backtest } from '../../run/backtest/backtest.ts';
import { CONFIG_PATH } from '../config-source.ts';
import type { OpenLab } from '../open-lab.ts';
import { perform } from './perform.ts';

/**
 * Puts the check on the tip of every branch that was pushed to and has another config than where it left the default
 * branch. `checked` holds the commits that have theirs; one that could not be put there is tried again at the next push.
 */
export async function checkConfigs(
  open: OpenLab,
  defaultBranch: string,
  wakes: readonly Wake[],
  checked: Set<Sha>,
): Promise<void> {
  const own = [`refs/heads/${defaultBranch}`, `refs/heads/${open.config.logbookBranch}`];
  const refs = new Set(wakes.flatMap((wake) => (wake.kind === 'push' ? [wake.ref] : [])));
  for (const ref of refs) {
    if (own.includes(ref)) continue;
    try {
      await checkBranch(open, defaultBranch, ref, checked);
    } catch (error) {
      // What git cannot tell gets no check: one that said *fine* would be a lie.
      if (!(error instanceof GitError)) throw error;
      open.lab.log(`the config of ${ref} could not be read: ${error.message}`);
    }
  }
}

async function checkBranch(
  open: OpenLab,
  defaultBranch: string,
  ref: string,
  checked: Set<Sha>,
): Promise<void> {
  const { git } = open;
  const [head, base] = [await git.resolve(ref), await git.resolve(`refs/heads/${defaultBranch}`)];
  if (head === null || base === null || checked.has(head)) return;
  const fork = await git.mergeBase(base, head);
  if (fork === null) return;
  const text = await git.readText(head, CONFIG_PATH);
  if (text === null || text === (await git.readText(fork, CONFIG_PATH))) return;
  if (await putConfigCheck(open, head, text)) checked.add(head);
}

/** Puts the check for a config's text on a commit; whether it stands there. */
export async function putConfigCheck(open: OpenLab, head: Sha, text: string): Promise<boolean> {
  const outcome = await perform(open.lab, open.git, {
    kind: 'put-check-run',
    check: 'config',
    head,
    externalId: 'config',
    existing: null,
    ...renderConfigCheck(verdictOf(open, text), CONFIG_PATH),
  });
  return outcome.kind === 'done';
}

function verdictOf({ keeper, lab, configHealth }: OpenLab, text: string): ConfigVerdict {
  const reading = readConfig(text, lab.now());
  return reading.kind === 'invalid'
    ? { kind: 'invalid', problems: reading.problems, inForce: configHealth.inForce }
    : { kind: 'valid', warnings: reading.warnings, backtest: backtest(keeper.histories(), reading.config) };
}
