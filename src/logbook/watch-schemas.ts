/** What each event about the watch of a run carries, as read from a line. */

import * as z from 'zod';
import { HANDOFF_STATES, WATCH_END_CAUSES } from '../domain/logbook/events/watch-events.ts';
import { actorSchema } from './part-schemas.ts';

/** One schema a type. */
export const watchSchemas = {
  handoff: z.looseObject({ state: z.enum(HANDOFF_STATES), to: actorSchema, until: z.string() }),
  'watch-bounded': z.looseObject({ step: z.int().nullable(), time: z.string().nullable() }),
  'watch-ended': z.looseObject({
    attempt: z.int(),
    cause: z.enum(WATCH_END_CAUSES),
    reason: z.string().nullable(),
  }),
  'watch-resumed': z.looseObject({ attempt: z.int() }),
} as const;
