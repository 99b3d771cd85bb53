/** Reads a proposal's text for the gates: what its kind finds in it, and the fingerprint that approvals bind. */

import { bodyFingerprintText } from '../../commands/grammar/fingerprint-text.ts';
import type { BodyFacts, ChangeFacts } from '../../domain/facts.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { known, type Observed, unknown } from '../../domain/observed.ts';
import type { DeclaredText, TextAbout } from '../../run/kind.ts';
import type { LaneScopedConfig } from '../../run/lane-scope.ts';
import type { Lab } from '../lab.ts';

const NOTHING_DECLARED: DeclaredText = {
  risk: null,
  objectiveKind: null,
  linksLastFerry: false,
  hasDeltaTable: false,
  mismatches: [],
  boxes: [],
};

/** Reads one text. Without a known change there is no delta to compare it with. */
export function readBody(
  lab: Pick<Lab, 'digestOf'>,
  { kind, lane }: LaneScopedConfig,
  markdown: string,
  change: Observed<ChangeFacts>,
  last: TextAbout['last'],
): Observed<BodyFacts> {
  const delta = change.kind === 'known' ? change.value.delta : ({ kind: 'none' } as const);
  const read = kind.proposes?.readText ?? (() => NOTHING_DECLARED);
  const facts = read(markdown, { delta, last });
  if (facts === null) return unknown('the body is too large or too deeply nested to be read');
  const fingerprint = lab.digestOf(bodyFingerprintText(markdown, lane.checklist.preconditions));
  return known({ fingerprint, ...facts });
}

/** The proposal that this proposal names as its predecessor, from the record. */
export function lastKnownRun(state: RunState, runs: readonly RunState[]): TextAbout['last'] {
  return runs.find((run) => run.run === state.proposal.interval.lastRun)?.proposal ?? null;
}
