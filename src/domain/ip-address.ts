/** IP addresses as programs print them: one address has one canonical form here, so that two spellings of it are the same. */

const GROUPS = 8;

/**
 * An IPv4 address as it is; an IPv6 address in lower case with every group written out and no leading zeros (RFC 5952
 * shortens, other programs do not). Null for anything else, and for an address with a zone.
 */
export function canonicalAddress(text: string): string | null {
  return text.includes(':') ? canonicalV6(text.toLowerCase()) : canonicalV4(text);
}

/** Whether both are the same address, however each is written. */
export function isSameAddress(a: string, b: string): boolean {
  return (canonicalAddress(a) ?? a) === (canonicalAddress(b) ?? b);
}

function canonicalV4(text: string): string | null {
  const parts = text.split('.');
  const isOne = parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255);
  return isOne ? text : null;
}

function canonicalV6(text: string): string | null {
  const halves = text.split('::').map(groupsOf);
  const [head, tail, ...more] = halves;
  if (head === undefined || head === null || tail === null || more.length > 0) return null;
  if (tail === undefined) return head.length === GROUPS ? head.join(':') : null;
  const missing = GROUPS - head.length - tail.length;
  return missing < 1 ? null : [...head, ...Array<string>(missing).fill('0'), ...tail].join(':');
}

/** The groups of one side of `::`; the last two may be written as an IPv4 address. Null where one is none. */
function groupsOf(side: string): readonly string[] | null {
  if (side === '') return [];
  const parts = side.split(':');
  const last = parts.at(-1) ?? '';
  const groups = last.includes('.') ? [...parts.slice(0, -1), ...mapped(last)] : parts;
  return groups.every((group) => /^[0-9a-f]{1,4}$/.test(group))
    ? groups.map((group) => Number.parseInt(group, 16).toString(16))
    : null;
}

function mapped(address: string): readonly string[] {
  if (canonicalV4(address) === null) return ['none'];
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  return [(a * 256 + b).toString(16), (c * 256 + d).toString(16)];
}
