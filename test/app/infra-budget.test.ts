/**
 * A fork sends thirty cluster files that are expensive to parse: checking all of them takes a few seconds at
 * most.
 */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readLabConfig } from '../../src/app/config-source.ts';
import { INFRA_FILES_MAX, lintFilesTogether } from '../../src/app/control/repository.ts';
import { INFRA_CHARACTERS_MAX, readSetupLists } from '../../src/care/infra/lint.ts';
import { measureCpuMs } from '../support/cpu-ms.ts';

const read = readLabConfig(readFileSync(new URL('../../fixtures/lab/.github/ferrybot.yml', import.meta.url), 'utf8'));
if (read.kind === 'invalid') throw new Error('the example config is not read');
const { config } = read;

const filled = (head: string, line: (index: string) => string): string => {
  const lines = [head];
  let length = head.length;
  for (let index = 0; length < INFRA_CHARACTERS_MAX - 200; index += 1) {
    const next = line(index.toString(36));
    lines.push(next);
    length += next.length + 1;
  }
  return lines.join('\n');
};

const SHAPES = {
  'keys of one map': filled('setup_commands: []', (index) => `k${index}: 1`),
  'keys of one flow': `${filled('setup_commands: []\na: {', (index) => `k${index}: 1,`)}\n}`,
  'lists of commands': filled('setup_commands: [a]', (index) => `k${index}_commands: [mkdir -p /mnt/$A]`),
  'commands of one list': filled('setup_commands:', (index) => `  - A=$A$A; cd $A/${index} && mkdir -p "$B"`),
  tags: filled('setup_commands:', () => '  - !x 1'),
  'maps in maps': filled('setup_commands: []', (index) => `k${index}: {a: {b: 1}}`),
};

describe('thirty cluster files of one branch', () => {
  it.each(Object.entries(SHAPES))('full of %s take a few seconds together at most', (_name, text) => {
    const files = Array.from({ length: INFRA_FILES_MAX }, (_, index) => ({
      path: `infra/marin-${index}.yaml`,
      text: `# ${index}\n${text}`,
    }));
    let judged: ReturnType<typeof lintFilesTogether> = [];
    expect(measureCpuMs(() => (judged = lintFilesTogether(config, files)))).toBeLessThan(4_000);
    expect(judged).toHaveLength(INFRA_FILES_MAX);
    expect(judged.at(-1)?.findings).toMatchObject([{ line: 1 }]);
  });

  it('with twelve thousand keys in one map take no longer than the same keys in maps of a hundred', () => {
    const small = filled('setup_commands: []', (index) => {
      const key = Number.parseInt(index, 36);
      return `${key % 100 === 0 ? `m${index}:\n` : ''} k${index.slice(-3)}: 1`;
    });
    const shapes = [SHAPES['keys of one map'], small];
    for (const text of shapes) expect(readSetupLists(text).ok).toBe(true);
    // Runs in the same process, best of several, so that load of the machine cancels out.
    const [one = 0, many = 0] = shapes.map((text) =>
      Math.min(...[1, 2, 3, 4].map(() => measureCpuMs(() => readSetupLists(text)))),
    );
    expect(one / many).toBeLessThan(4);
  });
});
