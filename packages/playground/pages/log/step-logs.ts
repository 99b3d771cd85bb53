/** Which part of a job's log belongs to which step. */

/**
 * `offsets` say where each step's part begins, in characters; null for a step that has not begun. A part ends where the
 * next one begins; what stands before the first belongs to the first. Null for a step that said nothing.
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

/** Lines of a log; a last line break begins none. */
export function linesOf(log: string): readonly string[] {
  return log.replace(/\r\n?/g, '\n').replace(/\n$/, '').split('\n');
}
