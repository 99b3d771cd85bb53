/** What each event about the watch of a run carries, as read from a line. */

import * as z from 'zod';
import { SURFACES } from '../domain/command.ts';
import { JOB_STATUSES } from '../domain/engine.ts';
import {
  DESCRIPTIONS,
  HANDOFF_STATES,
  TAKEN,
  WATCH_END_CAUSES,
} from '../domain/logbook/events/watch-events.ts';
import { actorSchema, sha, texts } from '../domain/logbook/parts.ts';

/** One schema a type. */
export const watchSchemas = {
  described: z.looseObject({
    found: z.enum(DESCRIPTIONS),
    why: z.string(),
    engine: z.string(),
    status: z.enum(JOB_STATUSES).nullable(),
    since: z.string().nullable(),
    submitter: z.string().nullable(),
    entrypoint: z.string().nullable(),
    commit: sha.nullable(),
    commitIsHere: z.boolean(),
    session: z.string().nullable(),
    urls: texts,
  }),
  adopted: z.looseObject({ described: z.int() }),
  handoff: z.looseObject({ state: z.enum(HANDOFF_STATES), to: actorSchema, until: z.string() }),
  'watch-bounded': z.looseObject({ step: z.int().nullable(), time: z.string().nullable() }),
  'watch-ended': z.looseObject({
    attempt: z.int(),
    cause: z.enum(WATCH_END_CAUSES),
    reason: z.string().nullable(),
  }),
  'watch-resumed': z.looseObject({ attempt: z.int() }),
  taken: z.looseObject({ what: z.enum(TAKEN), comment: z.int(), surface: z.enum(SURFACES) }),
} as const;
