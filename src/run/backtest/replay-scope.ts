/** The scope gate under another config: the record holds the first path outside and the number of files, not all of them. */

import type { LaneScopedConfig } from '../../config/lane-scope.ts';
import type { Verdict } from '../../domain/launch/verdict.ts';
import { type GateAnswer, type RecordedLook, untold } from './recorded-look.ts';

/** Null: the same answer as then. */
export function replayScope(
  { gated }: RecordedLook,
  config: LaneScopedConfig,
  verdict: Verdict | null,
): GateAnswer | null {
  const { scope } = config.lane;
  if (verdict === null) return untold('paths-not-recorded');
  if (verdict.outcome === 'unknown') return null;
  const before = scopeThen(gated.manifest?.policy['lane.scope']);
  if (before !== null && before.length === scope.length && before.every((path) => scope.includes(path)))
    return null;
  return verdict.outcome === 'fail' ? afterBlock(verdict, scope, before) : afterPass(verdict, scope, before);
}

function afterBlock(
  verdict: Verdict,
  scope: readonly string[],
  before: readonly string[] | null,
): GateAnswer {
  const { first, count } = verdict.found;
  if (typeof first !== 'string' || !scope.includes(first))
    return typeof first === 'string' ? { outcome: 'fail', why: 'outside' } : untold('paths-not-recorded');
  const keepsAll = before?.every((path) => scope.includes(path)) ?? false;
  return count === 1 && keepsAll ? { outcome: 'pass', why: 'inside' } : untold('paths-not-recorded');
}

function afterPass(verdict: Verdict, scope: readonly string[], before: readonly string[] | null): GateAnswer {
  const { files } = verdict.found;
  if (files === 0) return { outcome: 'pass', why: 'inside' };
  if (before === null) return untold('paths-not-recorded');
  if (before.every((path) => scope.includes(path))) return { outcome: 'pass', why: 'inside' };
  // As many files changed as there were in scope: each of them did.
  return files === before.length ? { outcome: 'fail', why: 'outside' } : untold('paths-not-recorded');
}

function scopeThen(recorded: string | undefined): readonly string[] | null {
  return recorded === undefined ? null : recorded.split(',');
}
