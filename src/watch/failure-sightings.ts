/** Which failure signatures a log has shown, how often, and in which line first. */

import { limits } from '../domain/limits.ts';
import { signaturesOf } from './signatures.ts';

/** One signature seen. `line` is the first line that showed it, cut to a length for people; scrub before posting. */
export type FailureSighting = {
  readonly id: string;
  readonly line: string;
  readonly lineNumber: number;
  readonly count: number;
};

type Sightings = {
  readonly lines: number;
  readonly failures: readonly FailureSighting[];
  readonly lastException: string | null;
};

// The last line of a Python traceback starts at the margin with the exception's dotted name.
const EXCEPTION =
  /^(?:[A-Za-z_]\w*\.)*(?:[A-Z]\w*(?:Error|Exception|Interrupt)|SystemExit|GeneratorExit)(?::|$)/;
/** Each line that is one holds one of these, with the newline that ends it. */
export const EXCEPTION_NEEDLES: readonly string[] = [
  'Error',
  'Exception',
  'Interrupt',
  'SystemExit',
  'GeneratorExit',
].flatMap((name) => [`${name}:`, `${name}\n`, `${name}\r`]);

/** Adds what one line says; `lines` is the number of this line. */
export function readFailure<Facts extends Sightings>(facts: Facts, line: string): Facts {
  const found = signaturesOf(line);
  const isException = EXCEPTION.test(line);
  if (found.length === 0 && !isException) return facts;
  const shown = line.slice(0, limits.messageCharactersMax).toWellFormed();
  const failures = found.reduce((all, { id }) => addSighting(all, id, shown, facts.lines), facts.failures);
  return { ...facts, failures, lastException: isException ? shown : facts.lastException };
}

function addSighting(
  all: readonly FailureSighting[],
  id: string,
  line: string,
  lineNumber: number,
): readonly FailureSighting[] {
  if (!all.some((seen) => seen.id === id)) return [...all, { id, line, lineNumber, count: 1 }];
  return all.map((seen) => (seen.id === id ? { ...seen, count: seen.count + 1 } : seen));
}
