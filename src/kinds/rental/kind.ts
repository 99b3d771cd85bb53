/** The rental: a run on a machine that is rented for it, begun from its issue or with `/rent` in one. */

import type { LaneConfig } from '../../config/lane-schema.ts';
import { METRICS_JUDGE } from '../../config/rules/lane-rules.ts';
import { contractComplete, contractCurrent } from '../../contracts/gates.ts';
import type { SealedMetrics } from '../../domain/facts.ts';
import { type Responses, USUAL_RESPONSES } from '../../domain/failure-class.ts';
import type { Ending } from '../../domain/logbook/run-state.ts';
import type { RunVerdict } from '../../domain/run-verdict.ts';
import { judgeRun } from '../../run/judge-run.ts';
import { defineKind } from '../../run/kind.ts';
import { FIELDS } from './contract/fields.ts';
import { needsOf, objectiveOf, readRentalContract, settingsOf, sourceOf } from './contract/read-contract.ts';
import { bottleneckMeasured, earlyStopSane, machineFits, reductionsBounded, secretsNamed } from './gates.ts';
import { RENTAL_RULES, rentalLane, rentalSettings } from './settings.ts';

const RENTAL_RESPONSES: Responses = {
  ...USUAL_RESPONSES,
  dependency: 'repair',
  // rule VA-02
  'oom-hbm': 'reduce',
  'oom-host': 'reduce',
  'bad-node': 'other-machine',
  // On a rented machine nobody but its host or a higher bid stops a job.
  stopped: 'other-machine',
};

export const rentalKind = defineKind({
  name: 'rental',
  settings: rentalSettings,
  rules: [METRICS_JUDGE, ...RENTAL_RULES],
  gates: [
    contractComplete(FIELDS),
    contractCurrent(FIELDS),
    machineFits,
    secretsNamed,
    reductionsBounded,
    earlyStopSane,
    bottleneckMeasured,
  ],
  responses: RENTAL_RESPONSES,
  judge: judgeRental,
  contracts: {
    labels: ['rental'],
    command: 'rent',
    fields: FIELDS,
    read: readRentalContract,
    settings: settingsOf,
    machine: needsOf,
    reductions: (lane) => rentalLane(lane).reductions ?? [],
    repairs: (lane) => rentalLane(lane).repairs ?? [],
    source: sourceOf,
    name: () => null,
    objective: objectiveOf,
  },
});

/** Before `minSteps` it is too early, whatever the job says; the step that was expected is then what the verdict names. */
export function judgeRental(end: Ending, lane: LaneConfig, history: readonly SealedMetrics[]): RunVerdict {
  const { earlyStop = null } = rentalLane(lane);
  const reached = end.lastStep;
  const isEarly =
    earlyStop !== null && end.status === 'SUCCEEDED' && reached !== null && reached < (lane.finalStep ?? 0);
  return judgeRun(end, isEarly ? { ...lane, finalStep: earlyStop.minSteps } : lane, history);
}
