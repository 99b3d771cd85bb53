/** Parses the hunks of one file's patch as GitHub returns them (unified diff without the two header lines). */

export type DiffRow =
  | { readonly kind: 'hunk'; readonly text: string }
  | { readonly kind: 'note'; readonly text: string }
  | {
      readonly kind: 'same' | 'added' | 'removed';
      readonly before: number | null;
      readonly after: number | null;
      readonly text: string;
    };

/**
 * The first `count` lines of a patch, and its total number of lines: of five megabytes, only the visible part is
 * parsed.
 */
export function patchHead(patch: string, count: number): { readonly head: string; readonly lines: number } {
  let [lines, end, headEnd] = [patch === '' ? 0 : 1, patch.indexOf('\n'), patch.length];
  for (; end !== -1; end = patch.indexOf('\n', end + 1)) {
    if (lines === count) headEnd = end;
    lines += 1;
  }
  return { head: count === 0 ? '' : patch.slice(0, headEnd), lines };
}

/** Line numbers start from the hunk's own `@@ -a,b +c,d @@`; `\ No newline at end of file` becomes a note. */
export function parsePatch(patch: string): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  let before = 0;
  let after = 0;
  for (const line of patch.split('\n')) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line);
    if (hunk !== null) {
      before = Number(hunk[1]);
      after = Number(hunk[2]);
      rows.push({ kind: 'hunk', text: line });
    } else if (line.startsWith('\\')) {
      rows.push({ kind: 'note', text: line.slice(2) });
    } else if (line.startsWith('+')) {
      rows.push({ kind: 'added', before: null, after, text: line.slice(1) });
      after += 1;
    } else if (line.startsWith('-')) {
      rows.push({ kind: 'removed', before, after: null, text: line.slice(1) });
      before += 1;
    } else if (line.startsWith(' ')) {
      rows.push({ kind: 'same', before, after, text: line.slice(1) });
      before += 1;
      after += 1;
    }
  }
  return rows;
}
