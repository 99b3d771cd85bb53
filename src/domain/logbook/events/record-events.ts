/** Events about the record itself. */

import * as z from 'zod';
import { type DataOf, defineEvents } from '../define.ts';
import { integer, runId, text } from '../parts.ts';

const runAt = z.object({
  run: runId,
  firstEntryAt: text.describe('time of its first entry, which gives its month'),
  seq: integer,
  hash: text,
  launched: z.boolean().describe('whether it contains an entry of the runner'),
});

const data = {
  'record-checkpointed': z.object({
    ended: z
      .array(runAt)
      .describe('each ended run that no earlier checkpoint contains, with its last entry (`seq`, `hash`)'),
    live: z.array(runAt).describe('each live run, with one of its entries'),
  }),
};

/** A run, and an entry that its record had when the checkpoint was written. */
export type CheckpointedRun = DataOf<typeof data>['record-checkpointed']['ended'][number];
export type RecordEventData = DataOf<typeof data>;

export const recordEvents = defineEvents(data, {
  'record-checkpointed': {
    title: 'checkpoint of the record',
    meaning:
      'In the journal, once a month: the runs that ended since the last checkpoint, and the live runs. It covers their files, so that the marks of older runs can be deleted.',
    writers: ['control'],
    isInJournal: true,
    isDecisive: true,
    describe: ({ data: { ended, live } }) => ({
      status: `${ended.length} runs ended since the last checkpoint, ${live.length} are live`,
      evidence: 'the last entry of each, in `events.jsonl`',
      decision: 'processes no longer read the marks of older runs',
      next: '`ferrybot logbook verify` and the next checkpoint compare every run with it',
    }),
  },
});
