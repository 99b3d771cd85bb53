/** What a log shows beside a job that got over it: alarming to look at, and no reason to call anybody. */

import type { JobObservation } from '../domain/engine.ts';
import type { LogFacts } from './log-facts.ts';
import type { SignatureMatch } from './signature-matches.ts';
import { signatureById } from './signatures.ts';

/**
 * The log without failures of this look that a success followed, as the tracebacks of a shutdown, or training that went
 * on. A loss that is no number stays: it goes on as well. What an earlier look has recorded stays too.
 */
export function settled(log: LogFacts, job: JobObservation): LogFacts {
  if (job.kind !== 'found' || log.failures.length === 0) return log;
  const { status } = job;
  const [since] = log.training.look.movedLines;
  const isOver = ({ id, line, lastLineNumber }: SignatureMatch): boolean => {
    if (line === '' || signatureById(id)?.class === 'numerical') return false;
    if (status === 'SUCCEEDED') return true;
    const isPassed = log.training.look.movedLines.length >= MOVED_AGAIN && lastLineNumber < (since ?? 0);
    return status === 'RUNNING' && isPassed;
  };
  const failures = log.failures.filter((one) => !isOver(one));
  return failures.length === log.failures.length ? log : { ...log, failures };
}

/** Other ranks may print a step or two while it dies. */
export const MOVED_AGAIN = 3;
