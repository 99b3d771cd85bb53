/** The difference between a file and its correction, as people and `git apply` read it. */

/** Of two texts that differ in single lines, or in lines that were put in at one place. */
export function unifiedDiff(path: string, before: string, after: string): string {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const shift = now.length - old.length;
  const first = old.findIndex((line, at) => line !== now[at]);
  const changed = old.flatMap((line, at) => (shift === 0 && line !== now[at] ? [at] : []));
  const hunks =
    shift === 0 ? grouped(changed).map((at) => hunk(old, now, at, 0)) : [hunk(old, now, [first], shift)];
  return [`--- a/${path}`, `+++ b/${path}`, ...hunks.flat(), ''].join('\n');
}

/** Lines whose surroundings touch stand in one hunk. */
function grouped(changed: readonly number[]): readonly (readonly number[])[] {
  const groups: number[][] = [];
  for (const at of changed) {
    const last = groups.at(-1);
    if (last !== undefined && at - (last.at(-1) ?? 0) <= 2 * CONTEXT_LINES) last.push(at);
    else groups.push([at]);
  }
  return groups;
}

/** `added`: lines put in before the first of `at`; where there are none, the lines `at` are changed. */
function hunk(
  old: readonly string[],
  now: readonly string[],
  at: readonly number[],
  added: number,
): readonly string[] {
  const [first = 0, last = first] = [at[0], at.at(-1)];
  const from = Math.max(0, first - CONTEXT_LINES);
  const isEnd = (line: number): boolean => line === old.length - 1 && old[line] === '';
  const upTo = Math.min(old.length, last + CONTEXT_LINES + (added > 0 ? 0 : 1));
  const lines: string[] = [];
  for (let line = from; line < upTo; line += 1) {
    if (line === first && added > 0)
      for (let more = 0; more < added; more += 1) lines.push(`+${now[first + more] ?? ''}`);
    if (isEnd(line)) break;
    if (added === 0 && at.includes(line)) lines.push(`-${old[line] ?? ''}`, `+${now[line] ?? ''}`);
    else lines.push(` ${old[line] ?? ''}`);
  }
  const count = (signs: string): number => lines.filter((line) => signs.includes(line[0] ?? '')).length;
  return [`@@ -${from + 1},${count(' -')} +${from + 1},${count(' +')} @@`, ...lines];
}

const CONTEXT_LINES = 2;
