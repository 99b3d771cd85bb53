/** Who is told when an incident needs a person: who is on call when, when nobody is woken, and when it is told again. */

import { z } from 'zod';
import { WEEKDAYS } from '../domain/time.ts';
import { CHANNEL_KINDS } from '../notify/registry.ts';
import { variable, word } from '../settings/words.ts';

/** A person by the number that GitHub gives an account for ever: a login may change hands. */
export const personId = z.int().positive();

const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time of day in quotes, such as "06:30"');
const date = z.iso.date({ error: 'a day in quotes, such as "2026-11-21"' });

const shift = z.strictObject({
  users: z.array(personId).min(1).max(20).describe('Numeric ids of those who are on call then.'),
  days: z
    .array(z.enum(WEEKDAYS))
    .min(1)
    .max(7)
    .default(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'])
    .describe('Days of the week on which the shift begins, in UTC.'),
  from: timeOfDay.default('00:00').describe('When it begins, in UTC.'),
  until: timeOfDay
    .default('00:00')
    .describe('When it ends, in UTC; a time that is not after `from` is of the next day.'),
  since: date.nullable().default(null).describe('The first day on which it begins; null: always.'),
  through: date.nullable().default(null).describe('The last day on which it begins; null: for ever.'),
});

export const onCallSchema = z
  .strictObject({
    shifts: z.array(shift).max(200).default([]).describe('Who is on call when.'),
    quietHours: z
      .strictObject({
        from: timeOfDay.describe('When they begin, in UTC.'),
        until: timeOfDay.describe(
          'When they end, in UTC; a time that is not after `from` is of the next day.',
        ),
      })
      .nullable()
      .default(null)
      .describe(
        'Hours in which only an incident that cannot wait mentions anybody; the others do when the hours are over. null: none.',
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
      .describe('Where an incident is told besides GitHub. The name is what stands in the record.'),
    againAfterMinutes: z
      .int()
      .min(5)
      .max(1_440)
      .nullable()
      .default(60)
      .describe('After how long without an `/ack` the same incident is told once more. null: never.'),
    handoffMinutes: z
      .int()
      .min(5)
      .max(1_440)
      .default(60)
      .describe(
        'How long somebody has to `/accept` a watch before those on call are told that nobody took it.',
      ),
  })
  .prefault({})
  .describe(
    'Who is mentioned and assigned when an incident needs a person, besides those in charge of its lane.',
  );

export type OnCall = z.infer<typeof onCallSchema>;
