/** IP addresses as programs print them: one address has one canonical form here, so that two spellings of it are the same. */

const GROUPS = 8;

/**
 * An IPv4 address as it is; an IPv6 address in lower case with every group written out and no leading zeros. Null for
 * anything else, and for an address with a zone.
 */
export function canonicalAddress(text: string): string | null {
  if (!text.includes(':')) return isV4(text) ? text : null;
  const address = `http://[${text}]`;
  if (!/^[0-9a-f:.]+$/i.test(text) || !URL.canParse(address)) return null;
  const [head = [], tail = []] = new URL(address).hostname
    .slice(1, -1)
    .split('::')
    .map((side) => side.split(':').filter(Boolean));
  return [...head, ...Array<string>(GROUPS - head.length - tail.length).fill('0'), ...tail].join(':');
}

/** Whether both are the same address, however each is written. */
export function isSameAddress(a: string, b: string): boolean {
  return (canonicalAddress(a) ?? a) === (canonicalAddress(b) ?? b);
}

/** A URL takes far more for one: fewer parts, octal and hexadecimal ones. */
function isV4(text: string): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255);
}
