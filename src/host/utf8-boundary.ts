/**
 * Number of bytes without an unfinished character at the end. Invalid bytes count as whole, so that a reader always makes progress (RFC
 * 3629).
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

/** Length of a character by its first byte (RFC 3629). */
export function utf8SequenceLength(lead: number): number {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
}
