/** The keys of a lane that every kind's launch gates read: cost, freshness, required checks, preconditions. */

import { z } from 'zod';
import { amount, name } from '../settings/words.ts';

/** The boxes of a proposal. `usual`: those of a lane that names none. */
export function checklistSetting(usual: string[]) {
  return z
    .strictObject({
      preconditions: z
        .array(z.string().min(1).max(200))
        .max(20)
        .default(usual)
        .describe('Boxes that people tick in the pull request before a launch; ferrybot ticks the outcomes.'),
    })
    .prefault({})
    .describe("The checklist in a proposal's pull request.");
}

/** Spread into the lane. */
export const laneGateKeys = {
  costBudget: z
    .strictObject({
      maxAcceleratorHours: amount.describe('What one run may cost by the cost table of its cluster.'),
      perWeek: amount
        .nullable()
        .default(null)
        .describe('What all launches of the lane may cost in a week, from Monday in UTC, or null.'),
      perMonth: amount
        .nullable()
        .default(null)
        .describe('What all launches of the lane may cost in a month, in UTC, or null.'),
      enforce: z.enum(['warn', 'block']).default('block').describe('Whether more is a warning or blocks.'),
    })
    .nullable()
    .default(null)
    .describe('What a run and the runs of a period may cost, or null for no budget.'),
  freshnessHours: z
    .int()
    .min(1)
    .max(8_760)
    .default(24)
    .describe('How old the merge base with the target branch may be.'),
  requiredChecks: z
    .union([z.literal('all'), z.array(name).max(50)], {
      error: 'the word all, or a list of names of checks',
    })
    .default('all')
    .describe('Checks that have to be green on the head: all that ran except our own, or those named here.'),
  checklist: checklistSetting([]),
} as const;
