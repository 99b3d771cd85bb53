/** Judges a pushed `.github/ferrybot.yml` before it is merged: problems as annotations, or what it would have decided otherwise. */

import { leftBehind } from '../../config/left-behind.ts';
import type { Sha } from '../../domain/ids.ts';
import { dateOf } from '../../domain/time.ts';
import { type ConfigVerdict, renderConfigCheck } from '../../render/check.ts';
import { backtest } from '../../run/backtest/backtest.ts';
import { CONFIG_PATH, readLabConfig } from '../config-source.ts';
import type { OpenLab } from '../open-lab.ts';
import type { Branch } from './branch.ts';
import { recordFactsOf } from './gather.ts';
import { perform } from './perform.ts';

/** Puts the check on a branch's head that has another config than where it left the default branch; whether it stands there. */
export async function checkConfig(open: OpenLab, { head, fork }: Branch): Promise<boolean> {
  const text = await open.git.readText(head, CONFIG_PATH);
  if (text === null || text === (await open.git.readText(fork, CONFIG_PATH))) return false;
  return putConfigCheck(open, head, text);
}

/** Puts the check for a config's text on a commit; whether it stands there. */
export async function putConfigCheck(open: OpenLab, head: Sha, text: string): Promise<boolean> {
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
