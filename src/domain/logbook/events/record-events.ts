/** Events about the record itself. */

import * as z from 'zod';
import { type DataOf, defineEvents } from '../define.ts';
import { integer, runId, text } from '../parts.ts';

const runAt = z.object({
  run: runId,
  began: text.describe('time of its first entry, in whose month it lies'),
  seq: integer,
  hash: text,
  launched: z.boolean().describe('whether the runner has written into it'),
});

const data = {
  'record-checkpointed': z.object({
    ended: z
      .array(runAt)
      .describe('each run that is over and that no earlier checkpoint has: its last entry (`seq`, `hash`)'),
    live: z.array(runAt).describe('each run that is not over: an entry that it has'),
  }),
};

/** A run, and an entry that its record had when the checkpoint was written. */
export type CheckpointedRun = DataOf<typeof data>['record-checkpointed']['ended'][number];
export type RecordEventData = DataOf<typeof data>;

export const recordEvents = defineEvents(data, {
  'record-checkpointed': {
    title: 'checkpoint of the record',
    means:
      'In the journal, once a month: the runs that have ended since, and those that go on. It vouches for their files, so that the marks of older runs can go.',
    writers: ['control'],
    isInJournal: true,
    isDecisive: true,
    tell: ({ data: { ended, live } }) => ({
      status: `${ended.length} runs ended since the last checkpoint, ${live.length} go on`,
      evidence: 'the last entry of each, in `events.jsonl`',
      decision: 'processes read the marks of older runs no more',
      next: '`ferrybot logbook verify` and the next checkpoint hold every run against it',
    }),
  },
});
