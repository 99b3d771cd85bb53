/** Reads the contract of a rental: what its issue and `/rent` say, and what stands in the lane where they say nothing. */

import type { LaneConfig } from '../../../config/lane-schema.ts';
import { optionOf, readCommandLine, STEP_OPTIONS } from '../../../contracts/command-line.ts';
import { namesOf } from '../../../contracts/fields.ts';
import { readCount } from '../../../contracts/quantity.ts';
import { contractReader } from '../../../contracts/read-contract.ts';
import type { Contract, ContractIssue } from '../../../domain/launch/contract.ts';
import { rentalLane } from '../settings.ts';
import { FIELDS, type FieldName } from './fields.ts';

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
