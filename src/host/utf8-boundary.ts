/** Where a piece of UTF-8 may be cut without dividing a character. */

/**
 * How many of the bytes form whole characters: everything except an unfinished character at the end.
 * Bytes that are no UTF-8 at all count as whole, so that a reader always gets on (RFC 3629).
 */
export function completeUtf8Length(bytes: Uint8Array): number {
  const end = bytes.length;
  for (let back = 1; back <= Math.min(3, end); back += 1) {
    const byte = bytes[end - back] ?? 0;
    if (byte < 0x80) return end;
    if (byte >= 0xc0) return utf8SequenceLength(byte) > back ? end - back : end;
  }
  return end;
}

/** Bytes of the character that begins with this one, as far as that byte says (RFC 3629). */
export function utf8SequenceLength(lead: number): number {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
}
