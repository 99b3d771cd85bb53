/** A quick sample of `npm run strangers`: programs that nobody here wrote do on the playground what they do on GitHub. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { absence } from '../../../scripts/strangers/install.ts';
import { play } from '../../../scripts/strangers/play.ts';
import { PROGRAMS } from '../../../scripts/strangers/programs.ts';
import { tableOf } from '../../../scripts/strangers/table.ts';

const quick = await Promise.all(
  PROGRAMS.filter(({ isQuick }) => isQuick).map(async (program) => ({
    name: program.name,
    missing: await absence(program),
  })),
);

describe.each(quick)('$name', ({ name, missing }) => {
  const meta = { skipReason: missing ?? '' };
  it.skipIf(missing !== null)('does it all, and nothing that it asks is refused', { meta }, async () => {
    const { did, failed, refused } = await play(name);
    expect({ failed, refused }).toEqual({ failed: null, refused: [] });
    expect(did.length).toBeGreaterThan(3);
  });
});

describe('the table', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/playground.md'), 'utf8');
  const [, table = ''] = /<!-- strangers -->\n([\s\S]*?)\n<!-- \/strangers -->/.exec(page) ?? [];

  it('of the page has a row for each program at its version, and none of another', () => {
    const rows = table.split('\n').slice(2);
    const cells = rows.map((row) => row.split(' | ').map((cell) => cell.replaceAll(/^\| | \|$/g, '')));
    expect(cells.map(([name, version, from]) => ({ name, version, from }))).toEqual(
      PROGRAMS.map(({ name, version, from }) => ({ name, version, from })),
    );
    for (const row of cells) expect(row).toHaveLength(5);
    expect(table).not.toContain('failed:');
  });

  it('keeps the rows of those that were not played, and shows who failed and what was refused', () => {
    const failed = {
      name: 'danger',
      did: [],
      failed: 'waited | in vain\nwith more',
      refused: ['GET /x'],
      durationMs: 1,
    } as const;
    const rows = tableOf([failed], '| gh | 1 | here | did | nothing |').split('\n').slice(2);
    expect(rows).toEqual([
      '| gh | 1 | here | did | nothing |',
      '| danger | 14.0.7 | npm | failed: waited \\| in vain | `GET /x` |',
    ]);
  });
});
