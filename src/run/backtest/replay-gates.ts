/** The gates of a recorded look under another config: asked anew where the record holds what they read. */

import type { LaneScopedConfig } from '../../config/lane-scope.ts';
import { compareDecimals } from '../../domain/decimal.ts';
import type { GateId, Verdict } from '../../domain/launch/verdict.ts';
import { readFacts } from '../../domain/payload.ts';
import { fromRfc3339 } from '../../domain/time.ts';
import { type GateAnswer, notRecorded, type RecordedLook } from './recorded-look.ts';
import { replayChecks } from './replay-checks.ts';

/** `verdict` null: the gate was not asked then. A null answer: the config says nothing that the gate reads. */
type Replay = (look: RecordedLook, config: LaneScopedConfig, verdict: Verdict | null) => GateAnswer | null;

/** A gate's recorded and new answer; a gate that was not asked then let the run through. */
export type ReplayedGate = {
  readonly gate: GateId;
  readonly from: Verdict['outcome'];
  readonly to: GateAnswer;
};

/** Every gate of the look, and those that have come since. */
export function replayGates(look: RecordedLook, config: LaneScopedConfig): readonly ReplayedGate[] {
  const asked = look.gated.verdicts.map(({ gate }) => gate);
  const since = REPLAYED.filter((gate) => !asked.includes(gate));
  return [...asked, ...since].map((gate) => {
    const verdict = look.gated.verdicts.find((one) => one.gate === gate) ?? null;
    const from = verdict?.outcome ?? 'pass';
    const same: GateAnswer = { outcome: from, why: verdict?.code ?? 'not-asked' };
    return { gate, from, to: replayed(look, config, verdict, gate) ?? same };
  });
}

function replayed(
  look: RecordedLook,
  config: LaneScopedConfig,
  verdict: Verdict | null,
  gate: GateId,
): GateAnswer | null {
  const own = config.kind.replays[gate];
  return own === undefined
    ? (REPLAYS[gate]?.(look, config, verdict) ?? null)
    : own(look, config.lane, verdict);
}

const targetBranch: Replay = ({ proposal }, config, verdict) => {
  if (verdict === null || verdict.outcome === 'unknown' || !BRANCH_CODES.includes(verdict.code)) return null;
  const base = readBase(verdict) ?? proposal.baseBranch;
  return base === config.lane.targetBranch
    ? { outcome: 'pass', why: 'targets-branch' }
    : { outcome: 'fail', why: 'wrong-branch' };
};

const costBudget: Replay = (_, config) => {
  const { costBudget: most, cluster } = config.lane;
  const cost = config.clusters[cluster]?.acceleratorHoursPerRun;
  if (most === null) return { outcome: 'pass', why: 'no-budget' };
  if (cost === undefined) return notRecorded('cluster-unknown');
  if (compareDecimals(cost, most.maxAcceleratorHours) <= 0) return { outcome: 'pass', why: 'within' };
  return { outcome: most.enforce === 'block' ? 'fail' : 'warn', why: 'over' };
};

const runNameDated: Replay = ({ proposal }, config) =>
  proposal.runName === config.lane.runName.replaceAll('{date}', proposal.date)
    ? { outcome: 'pass', why: 'dated' }
    : { outcome: 'fail', why: 'wrong-name' };

/** Boxes are recorded with the manifest, those that were preconditions then. */
const preconditions: Replay = ({ gated }, config, verdict) => {
  const wanted = config.lane.checklist.preconditions;
  if (wanted.length === 0) return { outcome: 'pass', why: 'ticked' };
  if (gated.manifest === null)
    return verdict?.outcome === 'unknown' ? null : notRecorded('boxes-not-recorded');
  const boxes = new Map(gated.manifest.preconditions.map(({ text, checked }) => [text, checked]));
  // A box that is not ticked and one that is not there are told apart in no manifest; both block.
  if (wanted.some((text) => boxes.get(text) === false)) return { outcome: 'fail', why: 'box-open' };
  return wanted.every((text) => boxes.get(text) === true)
    ? { outcome: 'pass', why: 'ticked' }
    : notRecorded('boxes-not-recorded');
};

/** The branch that was found, whether it was the wanted one or not. */
function readBase({ found }: Verdict): string | undefined {
  const read = readFacts({ branch: 'text?', found: 'text?' }, found);
  return read?.branch ?? read?.found;
}

const freshness: Replay = ({ at }, config, verdict) => {
  if (verdict === null) return notRecorded('base-not-recorded');
  if (verdict.code === 'at-tip' || verdict.outcome === 'unknown') return null;
  const found = readFacts({ baseAt: 'text', later: 'list' }, verdict.found);
  const base = fromRfc3339(found?.baseAt ?? '');
  const looked = fromRfc3339(at);
  if (base === null || looked === null) return notRecorded('base-not-recorded');
  if (looked - base > config.lane.freshnessHours * MS_PER_HOUR) return { outcome: 'fail', why: 'stale' };
  return found === null || found.later.length === 0
    ? { outcome: 'pass', why: 'fresh' }
    : { outcome: 'warn', why: 'fresh-behind' };
};

const manifestComplete: Replay = ({ gated }, config) => {
  const { manifest } = gated;
  if (manifest === null) return null;
  return config.lane.ships.every((path) => Object.hasOwn(manifest.trees, path))
    ? null
    : notRecorded('trees-not-recorded');
};

/** Gates that read the config; the answer of every other one stands. */
const REPLAYS: Readonly<Partial<Record<GateId, Replay>>> = {
  'target-branch': targetBranch,
  freshness,
  'checks-green': replayChecks,
  'run-name-dated': runNameDated,
  preconditions,
  'cost-budget': costBudget,
  'manifest-complete': manifestComplete,
};

/** Gates with a policy of their own that older records do not have; those without one say nothing about the past. */
const REPLAYED: readonly GateId[] = ['cost-budget'];

const BRANCH_CODES: readonly string[] = ['targets-branch', 'wrong-branch'];
const MS_PER_HOUR = 3_600_000;
