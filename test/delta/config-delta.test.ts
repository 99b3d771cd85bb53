import { describe, expect, it } from 'vitest';
import { diffConfigs } from '../../src/delta/config-delta.ts';
import type { Delta, FileReading } from '../../src/domain/launch/change-facts.ts';
import { newestPython, readExperiments } from '../support/read-experiments.ts';
import { type CorpusCase, type Expectation, readCorpus } from './corpus.ts';

const { python, minor } = await newestPython();
const corpus = readCorpus();
const texts = [...new Set(corpus.flatMap(({ base, head }) => [base, head]))];
const readings = new Map((await readExperiments(texts, python)).map((reading, at) => [texts[at], reading]));

function readingOf(text: string): FileReading {
  const reading = readings.get(text);
  if (reading === undefined) throw new Error('every text of the corpus was read');
  return reading;
}

/** The part of a delta that the corpus fixes, in the corpus's own format. */
function told(delta: Delta, expected: Expectation): unknown {
  switch (delta.kind) {
    case 'none':
      return 'none';
    case 'knobs':
      return delta.changes;
    case 'structural':
      return typeof expected === 'object' && 'structural' in expected
        ? {
            structural: delta.side,
            ...('line' in expected ? { line: delta.line } : {}),
            ...('statement' in expected ? { statement: delta.statement } : {}),
          }
        : delta;
    case 'unparsable':
      return typeof expected === 'object' && 'unparsable' in expected
        ? { unparsable: delta.side, line: expected.line === null ? null : delta.line }
        : delta;
  }
}

describe.each([...new Set(corpus.map((one) => one.group))])('the delta of %s', (group) => {
  it.each(corpus.filter((one) => one.group === group))(
    '$name: $reason',
    ({ base, head, expect: expected, python: oldest }: CorpusCase) => {
      const delta = diffConfigs(readingOf(base), readingOf(head));
      // An interpreter that is too old for a file reports it as unparsable.
      if (minor < oldest) expect(delta.kind).toBe('unparsable');
      else expect(told(delta, expected)).toEqual(expected);
    },
  );
});

it('has at least a hundred pairs, with unique names per file', () => {
  expect(corpus.length).toBeGreaterThanOrEqual(100);
  const names = corpus.map((one) => `${one.group}: ${one.name}`);
  expect(new Set(names).size).toBe(names.length);
});
