/** The playground serves and checks every operation that src/ requests from GitHub. */

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { coverageRows, listGaps } from './playground-operations.ts';

const ROOT = join(import.meta.dirname, '../..');

describe('the playground’s operations', () => {
  it('are all served and checked', async () => {
    const rows = await coverageRows(ROOT);
    expect(listGaps(rows)).toEqual([]);
    expect(rows.map(({ operation }) => operation)).toContain('POST /graphql');
  });

  it('include a gap where the playground does not serve an operation', () => {
    const row = { operation: 'GET /gists', served: '–', schema: 'REST', permission: 'matrix', fault: 'six kinds' };
    expect(listGaps([row])).toEqual(['GET /gists']);
  });
});
