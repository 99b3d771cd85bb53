/** The rental: a run on a rented machine, started from its issue or with `/rent` in an issue. */

import { z } from 'zod';
import { cadenceSetting, LANE_KEYS, type LaneConfig, type LaneRule, settingsReader } from '../../config/lane-schema.ts';
import { inLane, metricsHaveARule } from '../../config/rules/lane-rules.ts';
import {
  commandSettings,
  fieldNames,
  findOption,
  readCommandLine,
  readCount,
  readPinnedSource,
  readValue,
  STEP_OPTIONS,
} from '../../contracts/fields.ts';
import { contractComplete, contractCurrent } from '../../contracts/gates.ts';
import { contractReader } from '../../contracts/read-contract.ts';
import type { SealedMetrics } from '../../domain/facts.ts';
import { type Responses, USUAL_RESPONSES } from '../../domain/failure-class.ts';
import type { Contract, ContractIssue, MachineNeeds } from '../../domain/launch/contract.ts';
import { applyReduction, type LaunchCommand, readReduction, valueNow } from '../../domain/launch/ladder.ts';
import type { Ending } from '../../domain/logbook/run-state.ts';
import type { RunVerdict } from '../../domain/past-runs.ts';
import { omitUndefined } from '../../domain/values.ts';
import { defineGate, ifKnown, requireContract } from '../../gates/gate.ts';
import { defineKind, judgeRun } from '../../run/kind.ts';
import { error } from '../../settings/problem.ts';
import { argumentArray, name, setting } from '../../settings/words.ts';
import type { Cadence } from '../../watch/cadence.ts';
import {
  type EarlyStop,
  FIELDS,
  type FieldName,
  formatEarlyStop,
  listTooSmallParts,
  readEarlyStop,
} from './contract/fields.ts';

/**
 * Policy VA, Babysitter Monitoring Strategy: early polls, then every 10 minutes until two polls are healthy, then every 30 minutes.
 * A shorter idle limit means more frequent polls, so that a working machine is never taken for an idle one.
 */
const RENTAL_CADENCE: Cadence = {
  startupMs: [60_000, 180_000, 420_000, 900_000],
  // rule VA-11
  settleMs: 600_000,
  settleObservations: 2,
  pollMs: 1_800_000,
  // rule VA-12
  alertMs: 180_000,
};

/** The contract's commit may be as old as the maximum lifetime of a machine. */
const FRESHNESS_HOURS = 720;

export const rentalSettings = z.strictObject({
  kind: z.literal('rental').describe('What a run of this lane is.'),
  ...LANE_KEYS,
  runName: setting(name, 'rental_{date}', 'Name of the run in the tracker; {date} is filled in.'),
  command: setting(argumentArray, ['false'], 'Left out: the contract has the command.'),
  outputRoot: setting(name, 'outputs/{run}', 'Where the job writes, on its machine.'),
  finalStep: setting(LANE_KEYS.finalStep, null, 'Left out: the contract has the final step.'),
  freshnessHours: setting(
    LANE_KEYS.freshnessHours,
    FRESHNESS_HOURS,
    'How old the merge base with the target branch may be.',
  ),
  restartsMax: setting(
    LANE_KEYS.restartsMax,
    3,
    'How often the job is started again, each time on a machine of its own; part of what is approved.',
  ),
  cadence: cadenceSetting(RENTAL_CADENCE),
  defaults: setting(
    z.record(name, z.string().min(1).max(500)),
    {},
    'Values for a contract if its issue and `/rent` give none, by the names of the contract: command, objective, kill, earlyStop, reductions, image and so on, as in the form.',
  ),
});

/** A lane with the values of a contract: when its job may stop early, and which repairs and reductions are allowed. */
export type RentalLane = z.infer<typeof rentalSettings> & {
  readonly earlyStop?: EarlyStop | null;
  readonly reductions?: readonly string[];
  readonly repairs?: readonly string[];
};

export const rentalLane = settingsReader<RentalLane>('rental', 'defaults');

/** An unreadable default would be missing in every contract. */
const defaultsAreReadable: LaneRule = (lane) =>
  Object.entries(rentalLane(lane).defaults).flatMap(([key, said]) => {
    const found = fieldNames(FIELDS).find((one) => one === key);
    if (found === undefined)
      return [
        error('bad-value', inLane('defaults', key), `is no name of a contract: ${fieldNames(FIELDS).join(', ')}`),
      ];
    const read = FIELDS[found].read(said);
    return 'unclear' in read ? [error('bad-value', inLane('defaults', key), `has to be ${read.unclear}`)] : [];
  });

/** A rental lane needs a cluster that rents machines: on any other cluster its caps have no effect. */
const clusterCanRent: LaneRule = (_lane, traits) =>
  traits === null || traits.rental !== undefined
    ? []
    : [error('bad-value', inLane('cluster'), 'is none whose machines are rented')];

export const RENTAL_RULES: readonly LaneRule[] = [defaultsAreReadable, clusterCanRent];

/** The babysitter's tasks (policy VA, Launch Protocol). */
const MANDATE = 'keep training alive, fix failures, no idle spend, report milestones';

/** The policy's defaults: without a request, nothing is reduced, repaired, stopped early or kept. */
const USUAL: readonly (readonly [FieldName, string])[] = [
  // rule VA-09
  ['mandate', MANDATE],
  ['earlyStop', 'none'],
  ['teardown', 'destroy'],
  ['reductions', 'none'],
  ['repairs', 'none'],
  ['optimisation', 'none'],
];

const readContract = contractReader<FieldName>({ fields: FIELDS });

/** Reads the contract. Money, hours and hardware are never guessed: the requester or the lab's config gives them. */
export function readRentalContract(issue: ContractIssue, lane: LaneConfig): Contract {
  return readContract(issue, (infer, given) => {
    const { defaults } = rentalLane(lane);
    const laneDefault = (name: FieldName): string | null => {
      const read = FIELDS[name].read(defaults[name] ?? '');
      return defaults[name] !== undefined && 'value' in read ? read.value : null;
    };
    for (const name of fieldNames(FIELDS)) infer(name, laneDefault(name), 'the lane');
    infer('owner', issue.author.login, 'the author of the issue');
    const command = readCommandLine(given('command') ?? laneDefault('command') ?? '');
    const steps = command === null ? null : readCount(findOption(command, STEP_OPTIONS) ?? '');
    infer('finalStep', steps === null ? null : String(steps), 'the command');
    for (const [name, value] of USUAL) infer(name, value, 'the policy');
  });
}

/** How much worse the contract's metric may be than before. A first run has nothing to compare with. */
const TOLERANCE_PERCENT = '10';

/** A missing value keeps the lane's default, which no gate passes. */
export function laneSettings(configured: LaneConfig, contract: Contract): RentalLane {
  const lane = rentalLane(configured);
  const readField = (name: FieldName): string | null => readValue(contract, name);
  const [better, key] = readField('objective')?.split(' ') ?? [];
  const finalStep = readField('finalStep');
  const secrets = splitNames(readField('secrets'));
  return {
    ...lane,
    ...commandSettings(readCommandLine(readField('command') ?? ''), lane),
    finalStep: finalStep === null ? lane.finalStep : Number(finalStep),
    passSecrets: secrets === null ? lane.passSecrets : lane.passSecrets.filter((name) => secrets.includes(name)),
    metrics:
      key === undefined || (better !== 'lower' && better !== 'higher')
        ? lane.metrics
        : [{ key, better, tolerancePercent: TOLERANCE_PERCENT }],
    earlyStop: readEarlyStop(readField('earlyStop') ?? ''),
    reductions: splitList(readField('reductions'), '; '),
    repairs: splitList(readField('repairs'), ' '),
  };
}

/** What the machine must have and may cost; a missing value means the cluster's default. */
export function machineNeeds(contract: Contract): MachineNeeds {
  const readTextField = (name: FieldName): string | undefined => readValue(contract, name) ?? undefined;
  const readCountField = (name: FieldName): number | undefined => {
    const value = readValue(contract, name);
    return value === null ? undefined : Number(value);
  };
  const [minutes] = /\d+/.exec(readValue(contract, 'teardown') ?? '') ?? [];
  return omitUndefined({
    gpu: readTextField('gpu'),
    gpus: readCountField('gpus'),
    vramGb: readCountField('vram'),
    ramGb: readCountField('ram'),
    diskGb: readCountField('disk'),
    reliability: readTextField('reliability'),
    image: readTextField('image'),
    dollarsPerHourMax: readTextField('price'),
    dollarsMax: readTextField('cap'),
    hoursMax: readCountField('hours'),
    endGraceMinutes: minutes === undefined ? undefined : Number(minutes),
  });
}

/** Names of secrets; null if the contract does not mention them. */
export function splitNames(said: string | null): readonly string[] | null {
  return said === null ? null : splitList(said, ' ');
}

function splitList(said: string | null, between: string): readonly string[] {
  return said === null || said === 'none' ? [] : said.split(between);
}

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
