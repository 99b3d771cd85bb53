/** `ferrybot read-log < job.log`: what the watch reads in a training log. */

import { present } from '../../../domain/present.ts';
import { redact } from '../../../host/redactor.ts';
import { finishLog, NO_LOG_FACTS, readLogBytes } from '../../../watch/log-facts.ts';
import { redactAndTruncateLine } from '../../../watch/look.ts';
import { paceOf } from '../../../watch/training.ts';
import { logLines } from '../read-argument.ts';
import { answer, EXIT, type VerbIo } from '../verb-io.ts';

// The verb knows no secret values, so only patterns are redacted.
const SHAPES_ONLY = { redact: (text: string): string => redact(text, []) };

/** Exit 0 if the log shows progress and no failure signature. */
export async function readLogVerb(io: VerbIo): Promise<number> {
  let read = NO_LOG_FACTS;
  for await (const line of logLines(io.stdin)) read = readLogBytes(read, Buffer.from(`${line}\n`, 'utf8'));
  const facts = finishLog(read);
  const failures = facts.failures.map((failure) => ({
    ...failure,
    line: redactAndTruncateLine(SHAPES_ONLY, failure.line),
  }));
  const { carry: _carry, skipping: _skipping, training, ...told } = facts;
  const value = {
    ...told,
    ...present({ pace: paceOf(training) }),
    failures,
  };
  const lines = [
    `progress ~${facts.step?.value ?? 0}/${facts.exactTotal ?? 'unknown'}, loss ${facts.loss ?? 'unknown'}, checkpoint ${facts.checkpointStep ?? 'none'}\n`,
    ...failures.map(({ lastLineNumber, id, line }) => `line ${lastLineNumber}: ${id}: ${line}\n`),
  ];
  answer(io, value, lines.join(''));
  return facts.step !== null && failures.length === 0 ? EXIT.yes : EXIT.no;
}
