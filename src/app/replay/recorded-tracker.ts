/** A tracker that answers what it answered at that moment of a trace. */

import type { Instant } from '../../domain/ids.ts';
import type { TrackerAnswer } from '../../domain/tracker.ts';
import type { AskedTracker } from '../watch/look.ts';
import type { TraceRecord } from './trace.ts';

/** Null where the trace has no answer of a tracker by `now`: nobody asks one. */
export function recordedTracker(records: readonly TraceRecord[], now: () => Instant): AskedTracker | null {
  const said = records.findLast((one) => 'tracker' in one && one.at <= now());
  if (said === undefined || !('tracker' in said)) return null;
  return {
    identityOf: (logged) => logged.at(-1) ?? (typeof said.tracker === 'string' ? '' : said.tracker.run),
    port: { describe: async () => answerOf(said), logTail: async () => ({ kind: 'none' }) },
  };
}

function answerOf({ at, tracker }: Extract<TraceRecord, { tracker: unknown }>): TrackerAnswer {
  if (typeof tracker === 'string') return { kind: tracker, message: 'the tracker gave no answer' };
  const { run, name = run, state, globalStep, loss, heartbeatAt, rowAt = at } = tracker;
  const metrics = loss === null ? {} : { 'train/loss': loss };
  return {
    kind: 'found',
    run: { identity: run, name, url: '', state, heartbeatAt, rowAt, step: globalStep, metrics },
  };
}
