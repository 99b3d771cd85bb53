/** What the parser refused to read is told with its own reason and line, and not as some error of syntax. */

import { expect, it } from 'vitest';
import { syntaxErrorIn } from '../../src/delta/syntax-error.ts';
import { createPythonParser } from '../../src/host/python-parser.ts';
import { PYTHON_DEPTH_MAX } from '../../src/host/python-tree.ts';

const parser = await createPythonParser();

it('a file that is nested beyond the limit is refused for that, where it is', () => {
  const depth = PYTHON_DEPTH_MAX + 1;
  const text = `x = 1\ny = ${'['.repeat(depth)}${']'.repeat(depth)}\n`;
  expect(syntaxErrorIn(parser.parse(text))).toEqual({
    line: 2,
    message: `nested deeper than ${PYTHON_DEPTH_MAX} levels`,
  });
});
