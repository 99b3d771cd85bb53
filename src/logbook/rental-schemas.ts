/** What each event about rented machines carries, as read from a line. */

import * as z from 'zod';
import { TEAR_DOWN_REASONS } from '../domain/logbook/events/rental-events.ts';
import { MACHINE_STATUSES } from '../domain/rented.ts';
import { digest } from './part-schemas.ts';

const amount = z.int().min(0);

const tearDown = z.looseObject({
  instance: z.int(),
  jobId: z.string(),
  cluster: z.string(),
  reason: z.enum(TEAR_DOWN_REASONS),
  microdollars: amount,
});

/** One schema a type. */
export const rentalSchemas = {
  'machines-seen': z.looseObject({
    machines: z.array(
      z.looseObject({
        instance: z.int(),
        jobId: z.string(),
        status: z.enum([...MACHINE_STATUSES, 'gone']).nullable(),
        machine: z.string().exactOptional(),
        createdAt: z.string(),
        microdollarsPerHour: amount,
        microdollarsPerHourStored: amount,
        microdollars: amount,
        microdollarsOfTraffic: amount,
        isEstimated: z.boolean().exactOptional(),
      }),
    ),
    cadenceMs: z.int(),
  }),
  'tear-down-begun': tearDown,
  'tear-down-ended': tearDown,
  'machine-kept': z.looseObject({ until: z.string(), reason: z.string() }),
  'offer-seen': z.looseObject({
    digest: digest,
    offer: z
      .looseObject({
        offer: z.int(),
        machine: z.string(),
        gpu: z.string(),
        gpus: amount,
        microdollarsPerHour: amount,
      })
      .nullable(),
    unread: z.string().exactOptional(),
  }),
  'tear-down-asked': z.looseObject({ comment: z.int() }),
} as const;
