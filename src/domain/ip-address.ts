/** Canonical forms of IP addresses, so that two spellings compare as equal. */

const GROUPS = 8;

/** IPv4 unchanged; IPv6 in lower case, fully expanded, without leading zeros. Null for other text and for zoned addresses. */
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

/** Compares canonical forms. */
export function isSameAddress(a: string, b: string): boolean {
  return (canonicalAddress(a) ?? a) === (canonicalAddress(b) ?? b);
}

/** `URL` alone also accepts fewer parts, octal and hexadecimal numbers. */
function isV4(text: string): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255);
}
