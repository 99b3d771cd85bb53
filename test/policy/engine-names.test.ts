/** An engine is known by what it says of itself: outside of its folder nobody asks for one by name. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadAdapters } from '../../src/engines/registry.ts';
import { ROOT } from './cruise.ts';

it('is named in its folder and in the registry alone', async () => {
  const names = [...(await loadAdapters()).keys()];
  expect(names.length).toBeGreaterThan(1);
  const asks = new RegExp(
    `[!=]==? *['"](${names.join('|')})['"]|['"](${names.join('|')})['"] *[!=]==?|case ['"](${names.join('|')})['"]`,
  );
  const named = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('engines/'))
    .flatMap((file) =>
      readFileSync(join(ROOT, 'src', file), 'utf8')
        .split('\n')
        .flatMap((line, index) => (asks.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
    );
  expect(named).toEqual([]);
});
