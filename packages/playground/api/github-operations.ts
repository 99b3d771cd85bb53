/**
 * Every operation of GitHub's REST API by method and path, served here or not. An operation that GitHub lacks is a 404.
 */

import { readFileSync } from 'node:fs';

let patterns: readonly RegExp[] | null = null;

/**
 * Whether GitHub has the operation; `path` without `/api/v3`. scripts/openapi.ts makes the list from GitHub's
 * description.
 */
export function isOperation(method: string, path: string): boolean {
  patterns ??= readOperations();
  return patterns.some((pattern) => pattern.test(`${method === 'HEAD' ? 'GET' : method} ${path}`));
}

function readOperations(): readonly RegExp[] {
  const text = readFileSync(new URL('./github-operations.txt', import.meta.url), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const source = line
        .replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&')
        .replaceAll('{\\*}', '.+')
        .replaceAll('{}', '[^/]+');
      return new RegExp(`^${source}$`);
    });
}
