/** Matches paths against patterns in .gitignore syntax. */

import ignore from 'ignore';

/** Whether a path from the repository's root, or a folder above it, matches. */
export function namedBy(patterns: readonly string[]): (path: string) => boolean {
  const matcher = ignore({ ignorecase: false }).add(patterns.join('\n'));
  return (path) => matcher.ignores(path);
}
