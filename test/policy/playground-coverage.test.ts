/** docs/playground.md matches what src/ requests from GitHub, and every operation is checked. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { coverageRows, listGaps, replaceTable } from '../../scripts/playground/coverage-page.ts';

const ROOT = join(import.meta.dirname, '../..');

describe('the table of the playground’s operations', () => {
  it('is current and has no empty cell', async () => {
    const rows = await coverageRows(ROOT);
    expect(listGaps(rows)).toEqual([]);
    const page = readFileSync(join(ROOT, 'docs/playground.md'), 'utf8');
    expect(replaceTable(page, rows)).toBe(page);
    expect(rows.map(({ operation }) => operation)).toContain('POST /graphql');
  });

  it('reports an operation that the playground does not serve', () => {
    const row = {
      operation: 'GET /gists',
      served: '–',
      schema: 'REST',
      permission: 'matrix',
      fault: 'six kinds',
    };
    expect(listGaps([row])).toEqual(['GET /gists']);
  });
});
