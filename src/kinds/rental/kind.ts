/** The rental: a run on a rented machine, started from its issue or with `/rent` in an issue. */

import type { LaneConfig } from '../../config/lane-schema.ts';
import { metricsHaveARule } from '../../config/rules/lane-rules.ts';
import { readPinnedSource, readValue } from '../../contracts/fields.ts';
import { contractComplete, contractCurrent } from '../../contracts/gates.ts';
import type { SealedMetrics } from '../../domain/facts.ts';
import { type Responses, USUAL_RESPONSES } from '../../domain/failure-class.ts';
import { applyReduction, type LaunchCommand, readReduction, valueNow } from '../../domain/launch/ladder.ts';
import type { Ending } from '../../domain/logbook/run-state.ts';
import type { RunVerdict } from '../../domain/past-runs.ts';
import { defineGate, ifKnown, requireContract } from '../../gates/gate.ts';
import { defineKind, judgeRun } from '../../run/kind.ts';
import { FIELDS, formatEarlyStop, listTooSmallParts } from './contract/fields.ts';
import {
  laneSettings,
  machineNeeds,
  RENTAL_RULES,
  readRentalContract,
  rentalLane,
  rentalSettings,
  splitNames,
} from './settings.ts';

/** The machine must be within the lab's limits for cards, hours and dollars. */
// To get more, raise the limits in the config, where people review the change.
const machineFitsGate = defineGate('machine-fits', ({ machine, contract, lane: { cluster } }, { block, pass }) => {
  if (contract === undefined || machine === undefined) return block('not-rented', 'maintainer', { cluster });
  return ifKnown(contract.read, () => {
    const { terms, exceededCaps } = machine;
    if (terms === null) return block('not-rented', 'maintainer', { cluster });
    const more = exceededCaps.map(({ need, requested, limit }) => `${need} ${requested}, at most ${limit}`);
    if (more.length > 0) return block('beyond-lab', 'author', { beyond: more });
    const { dollarsPerHourMax: price, hoursMax: hours, dollarsMax: total } = terms;
    return pass('fits', { price, hours, total });
  });
});

/** A stranger hosts the machine, so only secrets that the lane names may reach it. */
// `lane` has the secrets that both name. A secret that only the issue names is blocked.
const secretsNamedGate = defineGate('secrets-named', ({ contract, lane }, { block, pass }) =>
  ifKnown(requireContract(contract), (values) => {
    const asked = splitNames(readValue(values, 'secrets')) ?? [];
    const names = asked.filter((name) => !lane.passSecrets.includes(name));
    return names.length > 0 ? block('unnamed', 'author', { names }) : pass('named', { names: lane.passSecrets });
  }),
);

/** Each reduction allowed without approval is in the command and makes a value smaller; the first reduces the batch. */
export const reductionsBoundedGate = defineGate('reductions-bounded', ({ contract, lane }, { block, pass }) =>
  ifKnown(requireContract(contract), () => {
    const { reductions = [], command, environment } = rentalLane(lane);
    const [first] = reductions;
    if (first === undefined) return pass('none');
    // rule VA-27
    if (!/batch/i.test(readReduction(first)?.name ?? '')) return block('not-batch-first', 'author', { first });
    let before: LaunchCommand = { command, environment };
    for (const step of reductions) {
      const reduction = readReduction(step);
      const now = reduction === null ? null : valueNow(before, reduction);
      if (reduction === null || now === null) return block('not-in-command', 'author', { step });
      // A comparison with NaN is false, so a value that is not a number is refused.
      if (!(Number(reduction.value) < Number(now))) return block('not-smaller', 'author', { step, now });
      before = applyReduction(before, reduction);
    }
    return pass('bounded', { steps: reductions });
  }),
);

/** An early stop must be late and patient enough for a good run to finish (policy VA, Early-Stop Policy Guardrail). */
export const earlyStopSaneGate = defineGate('early-stop-sane', ({ contract, lane }, { block, pass }) =>
  ifKnown(requireContract(contract), () => {
    const { earlyStop = null, finalStep } = rentalLane(lane);
    if (earlyStop === null) return pass('none');
    if (finalStep === null) return block('no-final-step', 'author');
    const small = listTooSmallParts(earlyStop, finalStep);
    return small.length > 0
      ? block('too-small', 'author', { small })
      : pass('sane', { says: formatEarlyStop(earlyStop), of: finalStep });
  }),
);

/** An optimisation requires a bottleneck measured in a passed run: never speculation (policy VA, Efficiency and Risk Rules). */
export const bottleneckMeasured = defineGate('bottleneck-measured', ({ contract, sealedPasses }, { block, pass }) =>
  ifKnown(requireContract(contract), (values) => {
    const said = readValue(values, 'optimisation') ?? 'none';
    const [, measured, baseline] = /^(.*); baseline (\S+)$/.exec(said) ?? [];
    if (measured === undefined || baseline === undefined) return pass('none');
    return ifKnown(sealedPasses, (runs) =>
      // rule VA-28
      runs.includes(baseline) ? pass('measured', { measured, baseline }) : block('no-baseline', 'author', { baseline }),
    );
  }),
);

const RENTAL_RESPONSES: Responses = {
  ...USUAL_RESPONSES,
  dependency: 'repair',
  // rule VA-02
  'oom-hbm': 'reduce',
  'oom-host': 'reduce',
  'bad-node': 'other-machine',
  // On a rented machine, only the host or a higher bid stops a job.
  stopped: 'other-machine',
};

export const rentalKind = defineKind({
  name: 'rental',
  settings: rentalSettings,
  rules: [metricsHaveARule, ...RENTAL_RULES],
  gates: [
    contractComplete(FIELDS),
    contractCurrent(FIELDS),
    machineFitsGate,
    secretsNamedGate,
    reductionsBoundedGate,
    earlyStopSaneGate,
    bottleneckMeasured,
  ],
  responses: RENTAL_RESPONSES,
  judge: judgeRental,
  contracts: {
    labels: ['rental'],
    command: 'rent',
    fields: FIELDS,
    read: readRentalContract,
    settings: laneSettings,
    machine: machineNeeds,
    reductions: (lane) => rentalLane(lane).reductions ?? [],
    repairs: (lane) => rentalLane(lane).repairs ?? [],
    source: readPinnedSource,
    name: () => null,
    objective: (contract) => ({ kind: 'production', text: readValue(contract, 'reason') ?? '' }),
  },
});

/** A stop before `minSteps` is too early, even if the job reports success; the verdict then expects `minSteps`. */
export function judgeRental(end: Ending, lane: LaneConfig, history: readonly SealedMetrics[]): RunVerdict {
  const { earlyStop = null } = rentalLane(lane);
  const reached = end.lastStep;
  const isEarly =
    earlyStop !== null && end.status === 'SUCCEEDED' && reached !== null && reached < (lane.finalStep ?? 0);
  return judgeRun(end, isEarly ? { ...lane, finalStep: earlyStop.minSteps } : lane, history);
}
