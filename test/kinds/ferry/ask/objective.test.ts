/** What a ferry is for, as people say it: two objectives, and everything else is a question. */

import { describe, expect, it } from 'vitest';
import { readObjective } from '../../../../src/kinds/ferry/ask/objective.ts';

describe('the objective of a ferry', () => {
  it.each([
    ['integration', 'integration'],
    ['normal daily integration check', 'integration'],
    ['Integration: does the new loader keep up?', 'integration'],
    ['integration: no regression is expected', 'integration'],
    ['regression', 'regression'],
    ['confirm the regression of #12', 'regression'],
    ['Regression: eval loss is 2 % up since #12, not sure why', 'regression'],
    ['REGRESSION : again', 'regression'],
    ['two regressions at once', 'regression'],
  ])('%j is %s', (text, kind) => {
    expect(readObjective(text)).toEqual({ kind: 'clear', objective: { kind, text } });
  });

  it.each([
    ['does warmup matter?', 'names-neither'],
    ['', 'names-neither'],
    ['daily', 'names-neither'],
    ['disintegration', 'names-neither'],
    ['progression', 'names-neither'],
    ['integration or regression?', 'names-both'],
    ['this is not a regression check', 'negated'],
    ["don't confirm the regression", 'negated'],
  ])('%j is asked about: %s', (text, why) => {
    expect(readObjective(text)).toEqual({ kind: 'unclear', why });
  });
});
