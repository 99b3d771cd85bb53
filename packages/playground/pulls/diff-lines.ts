/** Finds the lines that a review can comment on: those in the diff, on either side. */

/** Line numbers of the new file (RIGHT) or the old one (LEFT) in a patch, including context lines. */
export function listPatchLines(patch: string, side: 'LEFT' | 'RIGHT'): ReadonlySet<number> {
  const lines = new Set<number>();
  const absent = side === 'LEFT' ? '+' : '-';
  let at = 0;
  for (const text of patch.split('\n')) {
    const start = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(text);
    if (start !== null) {
      at = Number(start[side === 'LEFT' ? 1 : 2]);
      continue;
    }
    if (text.startsWith(absent) || text.startsWith('\\')) continue;
    lines.add(at);
    at += 1;
  }
  return lines;
}

/** The hunk that contains the line; a comment stores it. The first hunk for a comment on the whole file. */
export function findHunk(patch: string, line: number | null, side: 'LEFT' | 'RIGHT'): string {
  const hunks = patch.split(/\n(?=@@ )/);
  const found = line === null ? undefined : hunks.find((hunk) => listPatchLines(hunk, side).has(line));
  return found ?? hunks[0] ?? '';
}
