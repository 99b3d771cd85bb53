/** Assigns parts of a job's log to its steps. */

/**
 * `offsets` are the positions in characters at which the steps' parts start; null for a step that has not started. A
 * part ends at the next one; text before the first belongs to the first. Null for a step without output.
 */
export function stepLogs(log: string, offsets: readonly (number | null)[]): readonly (string | null)[] {
  const first = offsets.findIndex((offset) => offset !== null);
  return offsets.map((offset, index) => {
    if (offset === null) return null;
    const end = offsets.slice(index + 1).find((next) => next !== null) ?? log.length;
    const part = log.slice(index === first ? 0 : offset, end);
    return part === '' ? null : part;
  });
}

/** Lines of a log; a trailing line break adds none. */
export function splitLogLines(log: string): readonly string[] {
  return log.replace(/\r\n?/g, '\n').replace(/\n$/, '').split('\n');
}
