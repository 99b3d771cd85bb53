/** Who may do what: approvers, permissions, and people on call. */

import { z } from 'zod';
import { LOGIN, type Permission, permits } from '../domain/actor.ts';
import { WEEKDAYS } from '../domain/values.ts';
import { CHANNEL_KINDS } from '../notify/registry.ts';
import { amount, orNull, setting, variable, word } from '../settings/words.ts';

const permission = z.enum(['triage', 'write', 'maintain', 'admin']);
/** Permissions for actions that start or permanently end a run; `triage` is not accepted. */
const strongPermission = z.enum(['write', 'maintain', 'admin']);
const count = z.int().min(1).max(10);

/** An entry of a list of people. The ids of a login or a team are read from GitHub when the config is opened; before, there are none. */
export type ListedPeople = { readonly written: string; readonly ids: readonly number[] };

/** The accounts of a list, each once. */
export function idsOf(list: readonly ListedPeople[]): readonly number[] {
  return [...new Set(list.flatMap(({ ids }) => ids))];
}

const NAMED = new RegExp(`^@${LOGIN}(?:/[a-z0-9][a-z0-9_-]{0,99})?$`);

const LISTED_FORMS = 'the numeric id of an account, or in quotes "@login" or "@organization/team"';
const listed = z
  .union([z.int().positive(), z.string().regex(NAMED, LISTED_FORMS)], { error: LISTED_FORMS })
  .transform((one): ListedPeople => ({ written: String(one), ids: typeof one === 'number' ? [one] : [] }));

/** A list of accounts, logins and teams. `about`: its description. */
export function people(most: number, about: string) {
  const forms =
    'Each is the numeric id of an account, `"@login"` or `"@organization/team"`. Teams need an App with *Members: read*; the token of a workflow cannot read them.';
  return z.array(listed).max(most).describe(`${about} ${forms}`);
}

/** Who may approve a launch, and how many approvals are required. */
export const approvalsSchema = z
  .strictObject({
    permission: setting(
      strongPermission,
      'maintain',
      'Least permission of an approver, asked for at the moment of the approval.',
    ),
    users: people(200, 'People who may approve with write permission only.').prefault([]),
    quorum: setting(count, 1, 'How many people have to approve.'),
    quorumByCost: setting(
      z
        .array(
          z.strictObject({
            fromAcceleratorHours: amount.describe('The row counts for a run that costs at least so much.'),
            people: count.describe('How many people such a run needs.'),
          }),
        )
        .max(10),
      [],
      'More people for dearer runs: the row with the highest cost that the run reaches counts.',
    ),
    onePersonIsEnough: setting(
      z.boolean(),
      false,
      'Whether the author, or who last edited the body, may approve their own ferry.',
    ),
    shownForMs: setting(
      z.int().min(0).max(86_400_000),
      0,
      'How long the card must show a manifest before an approval counts: time to read it.',
    ),
    maxAgeHours: setting(
      z.int().min(1).max(168),
      24,
      'How old an approval may be when the launch that rests on it is ordered, and when the runner claims the order.',
    ),
  })
  .prefault({})
  .describe('Who may approve a launch.');

/** The minimum permission of each command that changes something, except approvals. */
export const permissionsSchema = z
  .strictObject({
    stop: setting(permission, 'write', 'Least permission for /stop.'),
    ack: setting(permission, 'write', 'Least permission for /ack.'),
    watch: setting(
      permission,
      'write',
      'Least permission for /handoff, /accept, /until and /stop-watching, which also take the owner of the watch or who may approve.',
    ),
    adopt: orNull(
      strongPermission,
      'Lowest permission to adopt a job of another person with /watch and /accept; null: the same as for approving a launch.',
    ),
    seal: setting(strongPermission, 'maintain', 'Least permission for /seal.'),
    hold: setting(permission, 'write', 'Least permission for /hold and /unhold.'),
    propose: setting(strongPermission, 'write', 'Least permission for /propose.'),
    care: setting(
      strongPermission,
      'maintain',
      'Least permission to consent to a change of a cluster, asked for again just before it is made.',
    ),
    revoke: setting(
      permission,
      'write',
      "Least permission for a /revoke of another person's approval; one's own can always be taken back.",
    ),
  })
  .prefault({})
  .describe('Least permission for the other commands that change something.');

/** `06:30`, in UTC. */
export const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time of day in quotes, such as "06:30"');
const date = z.iso.date({ error: 'a day in quotes, such as "2026-11-21"' });

const shift = z.strictObject({
  users: people(20, 'Those who are on call then.').min(1),
  days: setting(
    z.array(z.enum(WEEKDAYS)).min(1).max(7),
    ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
    'Days of the week on which the shift starts, in UTC.',
  ),
  from: setting(timeOfDay, '00:00', 'Start time, in UTC.'),
  until: setting(timeOfDay, '00:00', 'When it ends, in UTC; a time that is not after `from` is of the next day.'),
  since: orNull(date, 'The first day with this shift; null: no limit.'),
  through: orNull(date, 'The last day with this shift; null: no limit.'),
});

export const onCallSchema = z
  .strictObject({
    shifts: z.array(shift).max(200).prefault([]).describe('Who is on call when.'),
    quietHours: orNull(
      z.strictObject({
        from: timeOfDay.describe('Start time, in UTC.'),
        until: timeOfDay.describe('When they end, in UTC; a time that is not after `from` is of the next day.'),
      }),
      'Hours in which only urgent incidents mention people; the others do so afterwards. null: none.',
    ),
    channels: z
      .record(
        word,
        z.strictObject({
          kind: z.enum(CHANNEL_KINDS).describe('What it is.'),
          address: variable.describe(
            'Name of the variable, a secret of the environments ferrybot-control and ferrybot-watch, that has its address: of a webhook, or of mail as `smtps://USER:PASSWORD@HOST/?from=A@LAB&to=B@LAB,C@LAB`. Never the address.',
          ),
        }),
      )
      .default({})
      .describe('Where incidents are posted in addition to GitHub. The record shows the name.'),
    againAfterMinutes: setting(
      z.int().min(5).max(1_440).nullable(),
      60,
      'After how long without an `/ack` the incident mentions people once more. null: never.',
    ),
    handoffMinutes: setting(
      z.int().min(5).max(1_440),
      60,
      'How long a person has to `/accept` a watch before the people on call are notified.',
    ),
  })
  .prefault({})
  .describe('Who is mentioned and assigned when an incident needs a person, besides those in charge of its lane.');

const MS_PER_HOUR = 3_600_000;

/** Maximum age of an approval in ms, from the comment's time on GitHub's clock until the order and until the claim. */
export function approvalMaxAgeMs({ approvals }: { readonly approvals: { readonly maxAgeHours: number } }): number {
  return approvals.maxAgeHours * MS_PER_HOUR;
}

/** Whether a person may approve: by permission, or as a listed person with at least write permission. */
export function canApprove(
  permission: Permission,
  user: number,
  { permission: least, users }: { readonly permission: Permission; readonly users: readonly ListedPeople[] },
): boolean {
  return permits(permission, least) || (permits(permission, 'write') && idsOf(users).includes(user));
}
