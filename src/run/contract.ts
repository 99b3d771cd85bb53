/** Reads and records contracts. */

import type { IssueFacts, PullFacts } from '../domain/facts.ts';
import { type Contract, isSameContract } from '../domain/launch/contract.ts';
import { isFixPushed } from '../domain/launch/next-attempt.ts';
import type { EventDataByType } from '../domain/logbook/event.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { known, type Observed } from '../domain/observed.ts';
import type { LaneScopedConfig } from './lane-scope.ts';
import { append, type Step } from './step.ts';

type Threads = { readonly pull: Observed<PullFacts>; readonly issue: Observed<IssueFacts> };

/** The issue's current contract, read with the lane's own settings. Null for kinds without contracts and for a removed lane. */
export function contractNow(
  { kind: { contracts }, lanes, laneName }: LaneScopedConfig,
  { pull, issue }: Threads,
  { request }: Pick<EventDataByType['proposed'], 'request'>,
): Observed<Contract> | null {
  const lane = lanes[laneName];
  if (contracts === undefined || lane === undefined) return null;
  if (issue.kind === 'unknown') return issue;
  if (pull.kind === 'unknown') return pull;
  const { title, body } = issue.value;
  const asked = request?.knobs ?? [];
  return known(contracts.read({ title, body, author: pull.value.author, asked }, lane));
}

/** Records a changed contract before the launch, and after a failed attempt if it names another commit. */
export function decideContract(state: RunState, facts: Threads, config: LaneScopedConfig): Step | null {
  const now = contractNow(config, facts, state.proposal);
  if (now === null || now.kind === 'unknown' || state.contract === null) return null;
  if (isSameContract(now.value, state.contract) || state.order?.status === 'claimed') return null;
  const source = config.kind.contracts?.source(now.value) ?? null;
  const isFix = source !== null && isFixPushed(state, source.commit);
  if (state.submission !== null && !isFix) return null;
  return append({ type: 'contracted', role: 'control', data: { contract: now.value } });
}
