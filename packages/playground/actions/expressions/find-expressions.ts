/** Splits a text of a workflow file into plain text and `${{ }}` expressions. */

export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'expression'; readonly text: string };

/** The pieces in order. An unclosed `${{` is plain text. A quoted `}}` does not close an expression. */
export function findExpressions(source: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (;;) {
    const open = source.indexOf('${{', from);
    const close = open < 0 ? -1 : findClosing(source, open + 3);
    if (close < 0) break;
    if (open > from) pieces.push({ kind: 'text', text: source.slice(from, open) });
    pieces.push({ kind: 'expression', text: source.slice(open + 3, close).trim() });
    from = close + 2;
  }
  if (from < source.length) pieces.push({ kind: 'text', text: source.slice(from) });
  return pieces;
}

function findClosing(source: string, from: number): number {
  let quoted = false;
  for (let at = from; at < source.length; at += 1) {
    if (source[at] === "'") quoted = !quoted;
    else if (!quoted && source.startsWith('}}', at)) return at;
  }
  return -1;
}
