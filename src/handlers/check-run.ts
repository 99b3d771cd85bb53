/** check_run: a check of the lab's own ended on a proposal's head: a launch that waited for it may be possible now. */

import { z } from 'zod';
import { handler } from './event-envelope.ts';

/** Checks that ferrybot wrote itself are no condition of anything (architecture, D4). */
const OWN = /^ferrybot \//;

const schema = z.object({
  action: z.string(),
  check_run: z.object({
    name: z.string(),
    pull_requests: z.array(z.object({ number: z.number().int() })).nullish(),
  }),
});

export const checkRun = handler('check_run', schema, ({ action, check_run }) => {
  const pull = check_run.pull_requests?.[0];
  if (action !== 'completed' || pull === undefined || OWN.test(check_run.name)) return null;
  return { kind: 'thread', thread: pull.number };
});
