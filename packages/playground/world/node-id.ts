/** Global node ids: opaque to callers, but readable by the playground. */

/** The types with a node id, and GitHub's prefix for each. */
export const nodePrefixes = [
  'A',
  'BOT',
  'C',
  'CR',
  'CS',
  'DE',
  'DES',
  'I',
  'IC',
  'LA',
  'MI',
  'MDU',
  'O',
  'PI',
  'PR',
  'PRR',
  'PRRC',
  'PSH',
  'R',
  'RA',
  'RE',
  'REA',
  'REF',
  'UCE',
  'U',
  'WFJ',
  'WFR',
  'W',
  'B',
  'T',
  'S',
  'INS',
  'RRS',
  'EN',
  'LE',
  'UNLE',
  'TE',
  'L',
] as const;
export type NodePrefix = (typeof nodePrefixes)[number];

export function nodeId(prefix: NodePrefix, key: string | number): string {
  return `${prefix}_${Buffer.from(`${key}`).toString('base64url')}`;
}

/** The type and key of a node id, or null for a text that the playground never issued. */
export function readNodeId(id: string): { readonly prefix: NodePrefix; readonly key: string } | null {
  const cut = id.indexOf('_');
  if (cut < 0) return null;
  const prefix = nodePrefixes.find((one) => one === id.slice(0, cut));
  return prefix === undefined ? null : { prefix, key: Buffer.from(id.slice(cut + 1), 'base64url').toString('utf8') };
}
