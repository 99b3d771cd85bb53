/** The gate of the lab's checks under another config: the record names the first that kept it from being green. */

import type { LaneScopedConfig } from '../../config/lane-scope.ts';
import type { Verdict } from '../../domain/launch/verdict.ts';
import { readFacts } from '../../domain/payload.ts';
import { type GateAnswer, notRecorded, type RecordedLook } from './recorded-look.ts';

/** Null: the same answer as then. */
export function replayChecks(
  { gated }: RecordedLook,
  config: LaneScopedConfig,
  verdict: Verdict | null,
): GateAnswer | null {
  const { requiredChecks } = config.lane;
  const now = requiredChecks === 'all' ? 'all' : JSON.stringify(requiredChecks);
  const then = gated.manifest?.policy['lane.requiredChecks'];
  if (then === now || verdict?.outcome === 'unknown') return null;
  if (verdict === null || then !== 'all' || requiredChecks === 'all')
    return notRecorded('checks-not-recorded');
  if (verdict.code === 'awaits-approval') return null;
  if (verdict.outcome === 'pass') {
    if (requiredChecks.length === 0) return { outcome: 'pass', why: 'none' };
    // Nothing had run at all, so the named ones had not either.
    return verdict.code === 'none' ? { outcome: 'fail', why: 'missing' } : notRecorded('checks-not-recorded');
  }
  return requiredChecks.includes(readFacts({ check: 'text' }, verdict.found)?.check ?? '')
    ? null
    : notRecorded('checks-not-recorded');
}
