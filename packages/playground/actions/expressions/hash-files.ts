/** `hashFiles(...)`: one SHA-256 over the workspace files that the patterns match. */

import { createHash } from 'node:crypto';
import { globSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * Hash of the hashes in path order, as in actions/runner (`src/Misc/expressionFunc/hashFiles`); '' if nothing matches.
 */
export function hashFiles(workspace: string, patterns: readonly string[]): string {
  const wanted = patterns.filter((pattern) => !pattern.startsWith('!'));
  const unwanted = patterns.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1));
  const files = globSync(wanted, { cwd: workspace, exclude: unwanted })
    .map((file) => path.join(workspace, file))
    .filter((file) => statSync(file).isFile())
    .sort();
  if (files.length === 0) return '';
  const total = createHash('sha256');
  for (const file of files) total.update(createHash('sha256').update(readFileSync(file)).digest());
  return total.digest('hex');
}
