/** Which paths a list of patterns names, as the lines of a .gitignore at the root do. */

import ignore from 'ignore';

/** Whether a path from the repository's root is named, itself or by a folder above it. */
export function namedBy(patterns: readonly string[]): (path: string) => boolean {
  const matcher = ignore({ ignorecase: false }).add(patterns.join('\n'));
  return (path) => matcher.ignores(path);
}
