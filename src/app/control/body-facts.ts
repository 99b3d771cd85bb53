/** The PR body as the gates want it: read from its syntax tree and held against the real delta and the last ferry. */

import type { LaneScopedConfig } from '../../config/lane-scope.ts';
import type { BodyFacts, ChangeFacts } from '../../domain/facts.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { known, type Observed, unknown } from '../../domain/observed.ts';
import { remembered } from '../../domain/remembered.ts';
import { bodyFacts, type KnownFerry } from '../../kinds/ferry/body/body-facts.ts';
import { bodyFingerprintText } from '../../kinds/ferry/body/fingerprint-text.ts';
import { readPullBody } from '../../kinds/ferry/body/read-pull-body.ts';
import type { Lab } from '../lab.ts';

/** Reads one body. Without a known change the table cannot be held against anything, and nothing is declared. */
export function readBody(
  lab: Pick<Lab, 'digestOf'>,
  config: LaneScopedConfig,
  markdown: string,
  change: Observed<ChangeFacts>,
  last: KnownFerry | null,
): Observed<BodyFacts> {
  const body = readBodyOnce(markdown);
  if (body === null) return unknown('the body is too large or too deeply nested to be read');
  const { preconditions } = config.lane.checklist;
  const fingerprint = lab.digestOf(bodyFingerprintText(markdown, preconditions));
  const delta = change.kind === 'known' ? change.value.delta : ({ kind: 'none' } as const);
  return known(bodyFacts({ body, delta, last, fingerprint }));
}

/** The last ferry that the proposal named, as the record knows it. */
export function lastKnownFerry(state: RunState, runs: readonly RunState[]): KnownFerry | null {
  const last = runs.find((run) => run.run === state.proposal.interval.lastRun);
  return last === undefined ? null : { issue: last.proposal.issue, pull: last.proposal.pull };
}

const readBodyOnce = remembered(readPullBody, (markdown) => markdown);
