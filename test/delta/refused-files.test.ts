/** What the parser refused to read is told with its own reason and line, and not as some error of syntax. */

import { expect, it } from 'vitest';
import { syntaxErrorIn } from '../../src/delta/syntax-error.ts';
import { limits } from '../../src/domain/limits.ts';
import { createPythonParser } from '../../src/host/python-parser.ts';

const parser = await createPythonParser();

it('a file that is nested beyond the limit is refused for that, where it is', () => {
  const depth = limits.pythonDepthMax + 1;
  const text = `x = 1\ny = ${'['.repeat(depth)}${']'.repeat(depth)}\n`;
  expect(syntaxErrorIn(parser.parse(text))).toEqual({
    line: 2,
    message: `nested deeper than ${limits.pythonDepthMax} levels`,
  });
});
