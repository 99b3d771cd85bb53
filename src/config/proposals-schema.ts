/** The keys of a lane that its proposals read: candidates, memory, an outside proposer, checks before a push. */

import { z } from 'zod';
import { argumentArray, name, word } from '../settings/words.ts';

const candidate = z.strictObject({
  id: word.describe('Names the candidate in the record, so that it is not repeated.'),
  path: name.describe('Path of the knob as `ferrybot delta` prints it.'),
  values: z
    .array(z.string('source text in quotes, such as "3e-3"').min(1).max(200))
    .min(1)
    .max(20)
    .describe('Source texts that may be tried, in order.'),
  bucket: z
    .enum(['datamix', 'optimizer', 'architecture', 'system', 'observability'])
    .describe("The policy's bucket of the knob; the one tried least recently comes first."),
  risk: z.enum(['low', 'medium', 'high']).describe('Stands in the proposal.'),
  reason: z.string().min(1).max(500).describe('Why this is worth a day.'),
});

const proposer = z.strictObject({
  command: argumentArray.describe('Exact argument array; the context comes as JSON on its standard input.'),
  timeoutMs: z.int().min(1_000).max(600_000).default(60_000).describe('After so long it is stopped.'),
  outputBytesMax: z.int().min(1_000).max(1_000_000).default(100_000).describe('A longer answer is refused.'),
});

/** Spread into the lane. */
export const proposalKeys = {
  objective: z
    .enum(['integration', 'ask'])
    .default('integration')
    .describe(
      'What a ferry is for when nobody says: the normal integration check, or ask, which asks people and edits nothing.',
    ),
  candidates: z
    .array(candidate)
    .max(100)
    .default([])
    .describe('What may be proposed without a person saying what.'),
  memoryDays: z
    .int()
    .min(1)
    .max(365)
    .default(14)
    .describe('A value tried within so many days is not proposed again.'),
  proposer: proposer
    .nullable()
    .default(null)
    .describe(
      'A program of the lab that proposes edits, run with an empty environment and checked like anybody, or null.',
    ),
  checksBeforePush: z
    .array(argumentArray)
    .max(20)
    .default([])
    .describe(
      'Commands that have to succeed on an edit of ferrybot before it is pushed, run without any token: pre-commit, type check, tests.',
    ),
  issueFirst: z
    .boolean()
    .default(false)
    .describe(
      'Whether a ferry is proposed on its issue and a branch alone, without a proposal PR: everything that is said, approved and told stands in the issue. A ferry that stands already stays what it is.',
    ),
} as const;
