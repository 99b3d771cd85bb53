/** The settings of a rental lane; the issue defines the machine and the run, within the limits of the cluster. */

import { z } from 'zod';
import { cadenceSetting, LANE_KEYS, type LaneConfig, type LaneRule, settingsReader } from '../../config/lane-schema.ts';
import { inLane } from '../../config/rules/lane-rules.ts';
import {
  commandSettings,
  fieldNames,
  findOption,
  readCommandLine,
  readCount,
  readValue,
  STEP_OPTIONS,
} from '../../contracts/fields.ts';
import { contractReader } from '../../contracts/read-contract.ts';
import type { Contract, ContractIssue, MachineNeeds } from '../../domain/launch/contract.ts';
import { omitUndefined } from '../../domain/values.ts';
import { error } from '../../settings/problem.ts';
import { argumentArray, name, setting } from '../../settings/words.ts';
import type { Cadence } from '../../watch/cadence.ts';
import { type EarlyStop, FIELDS, type FieldName, readEarlyStop } from './contract/fields.ts';

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
