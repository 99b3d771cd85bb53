/** Who may say what: approvers, their number, and the least permission of every other command. */

import { z } from 'zod';
import { amount } from '../settings/words.ts';

const permission = z.enum(['triage', 'write', 'maintain', 'admin']);
/** What sets a run going or ends it for good is never left to triage. */
const strongPermission = z.enum(['write', 'maintain', 'admin']);
const people = z.int().min(1).max(10);

/** Who may approve a launch, and how many it takes. */
export const approvalsSchema = z
  .strictObject({
    permission: strongPermission
      .default('maintain')
      .describe('Least permission of an approver, asked for at the moment of the approval.'),
    users: z
      .array(z.int().positive())
      .max(200)
      .default([])
      .describe('Numeric ids of people who may approve with write permission alone.'),
    quorum: people.default(1).describe('How many people have to approve.'),
    quorumByCost: z
      .array(
        z.strictObject({
          fromAcceleratorHours: amount.describe('The row counts for a run that costs at least so much.'),
          people: people.describe('How many people such a run needs.'),
        }),
      )
      .max(10)
      .default([])
      .describe('More people for dearer runs: the row with the highest cost that the run reaches counts.'),
    onePersonIsEnough: z
      .boolean()
      .default(false)
      .describe('Whether the author, or who last edited the body, may approve their own ferry.'),
    shownForMs: z
      .int()
      .min(0)
      .max(86_400_000)
      .default(0)
      .describe(
        'How long a manifest has to have been on show before an approval of it is written: time to read it.',
      ),
    maxAgeHours: z
      .int()
      .min(1)
      .max(168)
      .default(24)
      .describe(
        'How old an approval may be when the launch that rests on it is ordered, and when the runner claims the order.',
      ),
  })
  .prefault({})
  .describe('Who may approve a launch.');

/** The least permission of each command that changes something, approvals excepted. */
export const permissionsSchema = z
  .strictObject({
    stop: permission.default('write').describe('Least permission for /stop.'),
    ack: permission.default('write').describe('Least permission for /ack.'),
    watch: permission
      .default('write')
      .describe(
        'Least permission for /handoff, /accept, /until and /stop-watching, which also take the owner of the watch or who may approve.',
      ),
    adopt: strongPermission
      .nullable()
      .default(null)
      .describe(
        'Least permission to have a job taken over that somebody else has launched, /watch and its /accept; null: who may approve a launch.',
      ),
    seal: strongPermission.default('maintain').describe('Least permission for /seal.'),
    hold: permission.default('write').describe('Least permission for /hold and /unhold.'),
    propose: strongPermission.default('write').describe('Least permission for /propose.'),
    care: strongPermission
      .default('maintain')
      .describe(
        'Least permission to consent to a change of a cluster, asked for again just before it is made.',
      ),
    revoke: permission
      .default('write')
      .describe(
        "Least permission for a /revoke of another person's approval; one's own can always be taken back.",
      ),
  })
  .prefault({})
  .describe('Least permission for the other commands that change something.');

export type Permissions = z.infer<typeof permissionsSchema>;
