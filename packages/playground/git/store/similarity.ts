/** Measures how much of one file is contained in another, as git's rename detection does. */

/** From 0 (nothing in common) to 1: bytes of equal lines in both, relative to the larger file; order does not count. */
export function similarity(before: Uint8Array, after: Uint8Array): number {
  const larger = Math.max(before.length, after.length);
  if (larger === 0) return 0;
  const left = bytesByPiece(before);
  let shared = 0;
  for (const [piece, bytes] of bytesByPiece(after)) shared += Math.min(bytes, left.get(piece) ?? 0);
  return shared / larger;
}

/** Long lines are compared in pieces, so that one changed word in a minified file does not make it a new file. */
const pieceBytes = 64;

function bytesByPiece(content: Uint8Array): ReadonlyMap<string, number> {
  const text = Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('latin1');
  const counts = new Map<string, number>();
  for (let at = 0; at < text.length; ) {
    const lineEnd = text.indexOf('\n', at);
    const end = Math.min(lineEnd < 0 ? text.length : lineEnd + 1, at + pieceBytes);
    const piece = text.slice(at, end);
    counts.set(piece, (counts.get(piece) ?? 0) + piece.length);
    at = end;
  }
  return counts;
}
