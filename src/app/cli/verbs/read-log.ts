/** `ferrybot read-log < job.log`: what the watch would make of a training log. */

import { redact } from '../../../host/redactor.ts';
import { tellableLine } from '../../../watch/look.ts';
import { readLogInput } from '../read-log-input.ts';
import { EXIT, misused, type VerbIo } from '../verb-io.ts';

// No value is known to be secret here.
const SHAPES_ONLY = { redact: (text: string): string => redact(text, []) };

/** Exit 0 if the log shows progress and no failure signature. */
export async function readLogVerb(args: readonly string[], io: VerbIo): Promise<number> {
  const wantsJson = args.includes('--json');
  if (args.some((arg) => arg !== '--json'))
    return misused(io, wantsJson, 'read-log reads standard input and takes no argument');
  const read = await readLogInput(io.stdin);
  if (!read.ok) return misused(io, wantsJson, read.error);
  const facts = read.value;
  const failures = facts.failures.map((failure) => ({
    ...failure,
    line: tellableLine(SHAPES_ONLY, failure.line),
  }));
  const { carry: _carry, skipping: _skipping, lastException, ...told } = facts;
  const answer = {
    ...told,
    failures,
    lastException: lastException === null ? null : tellableLine(SHAPES_ONLY, lastException),
  };
  if (wantsJson) io.stdout.write(`${JSON.stringify(answer)}\n`);
  else {
    io.stdout.write(
      `progress ~${facts.step?.value ?? 0}/${facts.exactTotal ?? 'unknown'}, loss ${facts.loss ?? 'unknown'}, checkpoint ${facts.checkpointStep ?? 'none'}\n`,
    );
    for (const failure of failures)
      io.stdout.write(
        `line ${failure.lineNumber}: ${failure.id} (${failure.count} times): ${failure.line}\n`,
      );
  }
  return facts.step !== null && failures.length === 0 ? EXIT.yes : EXIT.no;
}
