/** Reads the contract of a rental from its issue, `/rent` and the lane, and puts it in the place of the lane's own settings. */

import type { LaneConfig } from '../../../config/lane-schema.ts';
import { commandIn, optionOf, readCommandLine, STEP_OPTIONS } from '../../../contracts/command-line.ts';
import { namesOf, readCount, valueIn } from '../../../contracts/fields.ts';
import { contractReader } from '../../../contracts/read-contract.ts';
import type { Contract, ContractIssue, MachineNeeds } from '../../../domain/launch/contract.ts';
import { present } from '../../../domain/values.ts';
import { type RentalLane, rentalLane } from '../settings.ts';
import { FIELDS, type FieldName, readEarlyStop } from './fields.ts';

/** Who babysits, and for what (policy VA, Launch Protocol). */
const MANDATE = 'keep training alive, fix failures, no idle spend, report milestones';

/** What the policy has where nobody says otherwise: nothing is reduced, repaired, stopped early or kept unasked. */
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

/** The contract. Money, hours and hardware are never guessed: who asks says them, or the lab does in its config. */
export function readRentalContract(issue: ContractIssue, lane: LaneConfig): Contract {
  return readContract(issue, (infer, given) => {
    const { defaults } = rentalLane(lane);
    const standing = (name: FieldName): string | null => {
      const read = FIELDS[name].read(defaults[name] ?? '');
      return defaults[name] !== undefined && 'value' in read ? read.value : null;
    };
    for (const name of namesOf(FIELDS)) infer(name, standing(name), 'the lane');
    infer('owner', issue.author.login, 'the author of the issue');
    const command = readCommandLine(given('command') ?? standing('command') ?? '');
    const steps = command === null ? null : readCount(optionOf(command, STEP_OPTIONS) ?? '');
    infer('finalStep', steps === null ? null : String(steps), 'the command');
    for (const [name, value] of USUAL) infer(name, value, 'the policy');
  });
}

/** How much worse than before a metric may be that the contract names: a first run has nothing to be compared with. */
const TOLERANCE_PERCENT = '10';

/** What is missing leaves the lane's own value, which no gate lets through. */
export function settingsOf(configured: LaneConfig, contract: Contract): RentalLane {
  const lane = rentalLane(configured);
  const value = (name: FieldName): string | null => valueIn(contract, name);
  const [better, key] = value('objective')?.split(' ') ?? [];
  const finalStep = value('finalStep');
  const secrets = namesIn(value('secrets'));
  return {
    ...lane,
    ...commandIn(readCommandLine(value('command') ?? ''), lane),
    finalStep: finalStep === null ? lane.finalStep : Number(finalStep),
    passSecrets:
      secrets === null ? lane.passSecrets : lane.passSecrets.filter((name) => secrets.includes(name)),
    metrics:
      key === undefined || (better !== 'lower' && better !== 'higher')
        ? lane.metrics
        : [{ key, better, tolerancePercent: TOLERANCE_PERCENT }],
    earlyStop: readEarlyStop(value('earlyStop') ?? ''),
    reductions: listIn(value('reductions'), '; '),
    repairs: listIn(value('repairs'), ' '),
  };
}

/** What the machine has to be and may cost; what it does not say is as the cluster has it. */
export function needsOf(contract: Contract): MachineNeeds {
  const text = (name: FieldName): string | undefined => valueIn(contract, name) ?? undefined;
  const count = (name: FieldName): number | undefined => {
    const value = valueIn(contract, name);
    return value === null ? undefined : Number(value);
  };
  const [minutes] = /\d+/.exec(valueIn(contract, 'teardown') ?? '') ?? [];
  return present({
    gpu: text('gpu'),
    gpus: count('gpus'),
    vramGb: count('vram'),
    ramGb: count('ram'),
    diskGb: count('disk'),
    reliability: text('reliability'),
    image: text('image'),
    dollarsPerHourMax: text('price'),
    dollarsMax: text('cap'),
    hoursMax: count('hours'),
    endGraceMinutes: minutes === undefined ? undefined : Number(minutes),
  });
}

/** Names of secrets; null where nothing is said of them. */
export function namesIn(said: string | null): readonly string[] | null {
  return said === null ? null : listIn(said, ' ');
}

function listIn(said: string | null, between: string): readonly string[] {
  return said === null || said === 'none' ? [] : said.split(between);
}
