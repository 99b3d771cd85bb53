/** A ferry's own gates under another config, as far as the record holds what they read. */

import type { LaneConfig } from '../../config/lane-schema.ts';
import { newChanges } from '../../domain/launch/base.ts';
import { type GateId, VERDICTS, type Verdict } from '../../domain/launch/verdict.ts';
import { readFacts } from '../../domain/payload.ts';
import {
  type GateAnswer,
  notRecorded,
  type RecordedLook,
  type ReplayGate,
} from '../../run/backtest/recorded-look.ts';
import { ferryLane } from './settings.ts';
import { largeStep } from './step.ts';

/** The record holds the first path outside and the number of files, not all of them. */
const replayScope: ReplayGate = ({ gated }, lane, verdict) => {
  const { scope } = ferryLane(lane);
  if (verdict === null) return notRecorded('paths-not-recorded');
  if (verdict.outcome === 'unknown') return null;
  if (verdict.code.startsWith('fix-')) return replayFix(gated, lane);
  const before = scopeThen(gated.manifest?.policy['lane.scope']);
  if (before !== null && before.length === scope.length && before.every((path) => scope.includes(path)))
    return null;
  return verdict.outcome === 'fail' ? afterBlock(verdict, scope, before) : afterPass(verdict, scope, before);
};

/** Of a fix the record has a bounded number of paths: with the same lists the recorded answer stands. */
function replayFix({ manifest }: RecordedLook['gated'], lane: LaneConfig): GateAnswer | null {
  const { scope, fixScope } = ferryLane(lane);
  const then = manifest === null ? null : [manifest.policy['lane.scope'], manifest.policy['lane.fixScope']];
  const isSame = then?.[0] === scope.join(',') && (then[1] ?? '') === fixScope.join(',');
  return isSame ? null : notRecorded('paths-not-recorded');
}

function afterBlock(
  verdict: Verdict,
  scope: readonly string[],
  before: readonly string[] | null,
): GateAnswer {
  const found = readFacts(VERDICTS.scope.outside, verdict.found);
  if (found === null) return notRecorded('paths-not-recorded');
  const { first, count } = found;
  if (!scope.includes(first)) return { outcome: 'fail', why: 'outside' };
  const keepsAll = before?.every((path) => scope.includes(path)) ?? false;
  return count === 1 && keepsAll ? { outcome: 'pass', why: 'inside' } : notRecorded('paths-not-recorded');
}

function afterPass(verdict: Verdict, scope: readonly string[], before: readonly string[] | null): GateAnswer {
  const files = readFacts(VERDICTS.scope.inside, verdict.found)?.files;
  if (files === 0) return { outcome: 'pass', why: 'inside' };
  if (before === null) return notRecorded('paths-not-recorded');
  if (before.every((path) => scope.includes(path))) return { outcome: 'pass', why: 'inside' };
  // As many files changed as there were in scope: each of them did.
  return files === before.length ? { outcome: 'fail', why: 'outside' } : notRecorded('paths-not-recorded');
}

function scopeThen(recorded: string | undefined): readonly string[] | null {
  return recorded === undefined ? null : recorded.split(',');
}

function knobsIn(verdict: Verdict | null): number | undefined {
  return verdict === null ? undefined : readFacts({ knobs: 'integer' }, verdict.found)?.knobs;
}

const budget: ReplayGate = ({ gated }, lane, verdict) => {
  const { budget: most, steps } = ferryLane(lane);
  const stepped = steps.enforce === 'block' ? 'fail' : 'warn';
  const counted = gated.manifest === null ? knobsIn(verdict) : newChanges(gated.manifest).length;
  if (counted === undefined) return verdict?.outcome === 'unknown' ? null : notRecorded('delta-not-recorded');
  const isOver = counted > most.knobs;
  if (isOver && most.enforce === 'block') return { outcome: 'fail', why: 'over' };
  if (isOver && steps.enforce === 'warn') return { outcome: 'warn', why: 'over' };
  const large = gated.manifest === null ? null : largeStep(newChanges(gated.manifest), steps);
  if (large !== null) return { outcome: stepped, why: 'large-step' };
  // Whether the file could be put back is in no manifest: what was found then stands, and what another answer hid is unknown.
  if (verdict?.code === 'leaves-more') return { outcome: stepped, why: 'leaves-more' };
  return isOver ? { outcome: 'warn', why: 'over' } : { outcome: 'pass', why: 'within' };
};

const scaleStable: ReplayGate = ({ gated, proposal }, lane, verdict) => {
  if (gated.manifest === null)
    return verdict?.outcome === 'unknown' ? null : notRecorded('delta-not-recorded');
  const { scaleKnobs } = ferryLane(lane);
  const scaled = newChanges(gated.manifest).find(
    ({ path, knob }) => scaleKnobs.includes(path) || scaleKnobs.includes(knob),
  );
  const now = ferryLane(lane).scale;
  // What the run would spend is in no manifest: under another scale nobody can say it again.
  if (scaled === undefined && now !== null && JSON.stringify(now) !== gated.manifest.policy['lane.scale'])
    return notRecorded('delta-not-recorded');
  if (scaled === undefined && now !== null && verdict?.code === 'off-target')
    return { outcome: 'fail', why: 'off-target' };
  if (scaled === undefined) return { outcome: 'pass', why: 'unchanged' };
  return proposal.requestedBy !== null && proposal.objective.text.includes(scaled.knob)
    ? { outcome: 'pass', why: 'asked-for' }
    : { outcome: 'fail', why: 'scale-changed' };
};

/** The delta was read from the file that was the experiment then. */
const ofTheExperiment: ReplayGate = ({ proposal }, lane) =>
  proposal.experiment === ferryLane(lane).experiment ? null : notRecorded('other-experiment');

export const FERRY_REPLAYS: Readonly<Partial<Record<GateId, ReplayGate>>> = {
  scope: replayScope,
  'delta-readable': ofTheExperiment,
  'delta-declared': ofTheExperiment,
  'identical-rerun': ofTheExperiment,
  budget,
  'scale-stable': scaleStable,
};
