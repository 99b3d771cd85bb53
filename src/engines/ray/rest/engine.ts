/** The `ray` engine over the Jobs API of a head (ray-project/ray, python/ray/dashboard/modules/job). */

import { spendCapability } from '../../../domain/actions/capability.ts';
import {
  type Engine,
  type JobObservation,
  type StopOutcome,
  saysItIsOver,
  stopStep,
  submitStep,
} from '../../../domain/engine.ts';
import { limits } from '../../../domain/limits.ts';
import { createLogReader, type LogReader } from './log-reader.ts';
import { isJobId } from './look-up.ts';
import { describeOverRest, observeOverRest } from './observe.ts';
import { observeManyOverRest } from './observe-many.ts';
import { readSession } from './session.ts';
import { type RestOptions, restSettings } from './settings.ts';
import { stopOverRest } from './stop.ts';
import { submitOverRest } from './submit.ts';

/**
 * An engine over one dashboard. Everything that it knows lies on the head, but for the logs that it follows, which are
 * read anew where another process goes on.
 */
export function createRestEngine(options: RestOptions): Engine {
  const settings = restSettings(options);
  const readers = new Map<string, LogReader>();
  const readerOf = (jobId: string): LogReader => {
    const reader = readers.get(jobId) ?? createLogReader(settings, jobId);
    // The one that was asked least lately gives way: a socket a job is a burden on the head.
    readers.delete(jobId);
    readers.set(jobId, reader);
    for (const [oldest, old] of readers) {
      if (readers.size <= limits.rayTailsOpenMax) break;
      old.close();
      readers.delete(oldest);
    }
    return reader;
  };
  const noteEnd = (jobId: string, seen: JobObservation | StopOutcome): void => {
    if (saysItIsOver(seen)) readerOf(jobId).markEnded();
  };
  return {
    name: 'ray',
    forgetsWithSession: true,
    session: () => readSession(settings),
    submit: async (spec, permit) => {
      spendCapability(permit, submitStep(spec));
      return submitOverRest(settings, spec);
    },
    observe: async (jobId, lastSession) => {
      const seen = await observeOverRest(settings, jobId, lastSession);
      noteEnd(jobId, seen);
      return seen;
    },
    observeMany: async (asked) => {
      const seen = await observeManyOverRest(settings, asked);
      for (const [index, { jobId }] of asked.entries()) {
        const job = seen[index];
        if (job !== undefined) noteEnd(jobId, job);
      }
      return seen;
    },
    describe: (jobId) => describeOverRest(settings, jobId, null),
    readLog: async (jobId, offset) => (isJobId(jobId) ? readerOf(jobId).read(offset) : { kind: 'absent' }),
    stop: async (jobId, permit) => {
      spendCapability(permit, stopStep(jobId));
      const outcome = await stopOverRest(settings, jobId);
      noteEnd(jobId, outcome);
      return outcome;
    },
  };
}
