/** A short sample of `npm run strangers`: third-party programs work on the playground as on GitHub. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findAbsenceReason } from '../../../scripts/strangers/install.ts';
import { play } from '../../../scripts/strangers/play.ts';
import { PROGRAMS } from '../../../scripts/strangers/programs.ts';
import { renderTable } from '../../../scripts/strangers/table.ts';

const quick = await Promise.all(
  PROGRAMS.filter(({ isQuick }) => isQuick).map(async (program) => ({
    name: program.name,
    missing: await findAbsenceReason(program),
  })),
);

describe.each(quick)('$name', ({ name, missing }) => {
  const meta = { skipReason: missing ?? '' };
  it.skipIf(missing !== null)('completes its task without a refused request', { meta }, async () => {
    const { did, failed, refused } = await play(name);
    expect({ failed, refused }).toEqual({ failed: null, refused: [] });
    expect(did.length).toBeGreaterThan(3);
  });
});

describe('the table of programs', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/playground.md'), 'utf8');
  const [, table = ''] = /<!-- strangers -->\n([\s\S]*?)\n<!-- \/strangers -->/.exec(page) ?? [];

  it('has a row on the page for each program and version, and no others', () => {
    const rows = table.split('\n').slice(2);
    const cells = rows.map((row) => row.split(' | ').map((cell) => cell.replaceAll(/^\| | \|$/g, '')));
    expect(cells.map(([name, version, from]) => ({ name, version, from }))).toEqual(
      PROGRAMS.map(({ name, version, from }) => ({ name, version, from })),
    );
    for (const row of cells) expect(row).toHaveLength(5);
    expect(table).not.toContain('failed:');
  });

  it('keeps the rows of programs that were not run, and shows failures and refused requests', () => {
    const failed = {
      name: 'danger',
      did: [],
      failed: 'waited | in vain\nwith more',
      refused: ['GET /x'],
      durationMs: 1,
    } as const;
    const rows = renderTable([failed], '| gh | 1 | here | did | nothing |').split('\n').slice(2);
    expect(rows).toEqual([
      '| gh | 1 | here | did | nothing |',
      '| danger | 14.0.7 | npm | failed: waited \\| in vain | `GET /x` |',
    ]);
  });
});
