/** The language of GitHub's search for issues (docs: searching issues and pull requests), as far as it is served. */

export type Term = {
  /** Empty for words to be found in the text. */
  readonly key: string;
  readonly value: string;
  readonly isNegated: boolean;
};

/** What a search may ask here; `sort` orders instead of choosing. */
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
/** What GitHub's search knows beyond that: taking these for words would find what nobody asked for. */
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

/** The terms of a query, and the qualifiers of GitHub's that are not served. A colon without a known name is a word. */
export function readQuery(text: string): {
  readonly terms: readonly Term[];
  readonly unserved: readonly string[];
} {
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

/** Whether a moment is in a range as GitHub writes it: `2026-11-20`, `>=2026-11-20`, `2026-11-01..2026-11-20`, `*`. */
export function inRange(atMs: number | null, range: string): boolean {
  if (atMs === null) return false;
  const [, sign = '', text = ''] = /^(>=|<=|>|<)?(.*)$/.exec(range) ?? [];
  const [from = '', to] = text.split('..');
  if (to !== undefined) return (from === '*' || atMs >= start(from)) && (to === '*' || atMs <= end(to));
  switch (sign) {
    case '>':
      return atMs > end(from);
    case '>=':
      return atMs >= start(from);
    case '<':
      return atMs < start(from);
    case '<=':
      return atMs <= end(from);
    default:
      return atMs >= start(from) && atMs <= end(from);
  }
}

const dayMs = 24 * 60 * 60 * 1000;

function start(text: string): number {
  return Date.parse(text);
}

/** A day lasts until its end, a moment is its own. */
function end(text: string): number {
  return text.includes('T') ? Date.parse(text) : Date.parse(text) + dayMs - 1;
}
