/** The served part of GitHub's issue search language (docs: searching issues and pull requests). */

export type Term = {
  /** Empty for words to find in the text. */
  readonly key: string;
  readonly value: string;
  readonly isNegated: boolean;
};

/** The supported qualifiers; `sort` orders the results and does not filter. */
const served = [
  'assignee',
  'author',
  'base',
  'closed',
  'commenter',
  'created',
  'draft',
  'head',
  'in',
  'involves',
  'is',
  'label',
  'mentions',
  'merged',
  'milestone',
  'no',
  'number',
  'org',
  'repo',
  'review-requested',
  'reviewed-by',
  'sha',
  'sort',
  'state',
  'type',
  'updated',
  'user',
] as const;
/** Qualifiers that only GitHub supports. Treating them as words would return wrong results. */
const known = new Set([
  'app',
  'archived',
  'comments',
  'draft-by',
  'interactions',
  'language',
  'linked',
  'project',
  'reactions',
  'reason',
  'review',
  'status',
  'team',
  'team-review-requested',
  'user-review-requested',
]);

/**
 * The terms of a query, and the GitHub qualifiers that are not served. A colon after an unknown name is part of a word.
 */
export function readQuery(text: string): { readonly terms: readonly Term[]; readonly unserved: readonly string[] } {
  const terms: Term[] = [];
  const unserved: string[] = [];
  for (const [, minus = '', name = '', quoted, bare = ''] of text.matchAll(
    /(-?)(?:([a-z-]{2,24}):)?(?:"([^"]*)"|([^\s"]+))/g,
  )) {
    const key = name === 'author' || (served as readonly string[]).includes(name) ? name : '';
    if (known.has(name)) unserved.push(name);
    const value = quoted ?? bare;
    const words = key === '' && name !== '' ? `${name}:${value}` : value;
    if (words !== '') terms.push({ key, value: words, isNegated: minus === '-' });
  }
  return { terms, unserved };
}

/** Whether a moment is in one of GitHub's ranges: `2026-11-20`, `>=2026-11-20`, `2026-11-01..2026-11-20`, `*`. */
export function inRange(atMs: number | null, range: string): boolean {
  if (atMs === null) return false;
  const [, sign = '', text = ''] = /^(>=|<=|>|<)?(.*)$/.exec(range) ?? [];
  const [from = '', to] = text.split('..');
  if (to !== undefined) return (from === '*' || atMs >= rangeStart(from)) && (to === '*' || atMs <= rangeEnd(to));
  switch (sign) {
    case '>':
      return atMs > rangeEnd(from);
    case '>=':
      return atMs >= rangeStart(from);
    case '<':
      return atMs < rangeStart(from);
    case '<=':
      return atMs <= rangeEnd(from);
    default:
      return atMs >= rangeStart(from) && atMs <= rangeEnd(from);
  }
}

const dayMs = 24 * 60 * 60 * 1000;

function rangeStart(text: string): number {
  return Date.parse(text);
}

/** The end of a date is the end of its day; a timestamp is its own end. */
function rangeEnd(text: string): number {
  return text.includes('T') ? Date.parse(text) : Date.parse(text) + dayMs - 1;
}
