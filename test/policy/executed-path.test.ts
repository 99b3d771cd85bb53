/** What `npm run bench -- path` counts as executed. */

import { readFileSync } from 'node:fs';
import type { Profiler } from 'node:inspector/promises';
import { describe, expect, it } from 'vitest';
import { executedPath } from '../../bench/executed-path.ts';
import { BARS } from '../../bench/path.ts';
import { PAGE, pathIn } from '../../bench/path-page.ts';

const SOURCES = 'file:///bot/src/';

function ran(functionName: string, startOffset: number, count: number): Profiler.FunctionCoverage {
  return { functionName, isBlockCoverage: false, ranges: [{ startOffset, endOffset: 900, count }] };
}

function script(url: string, ...functions: Profiler.FunctionCoverage[]): Profiler.ScriptCoverage {
  return { scriptId: url, url, functions };
}

describe('the path of a command', () => {
  it('counts files of src with an executed function, not files that were only loaded', () => {
    const path = executedPath(
      [
        script(`${SOURCES}run/reconcile.ts`, ran('', 0, 1), ran('reconcile', 40, 3), ran('', 60, 1)),
        script(`${SOURCES}run/only-loaded.ts`, ran('', 0, 1), ran('neverCalled', 40, 0)),
        script('file:///bot/test/support/talk.ts', ran('say', 40, 1)),
      ],
      SOURCES,
    );
    expect(path).toEqual({ files: 1, functions: 2, gateEvaluations: 0 });
  });

  it('counts each evaluation of the gates of a run', () => {
    const gates = script(`${SOURCES}gates/run-gates.ts`, ran('changeVerdicts', 40, 8), ran('approvalVerdicts', 90, 12));
    expect(executedPath([gates], SOURCES).gateEvaluations).toBe(8);
  });
});

describe('the measured path in docs/architecture.md', () => {
  const root = new URL('../../', import.meta.url);
  const part = pathIn(readFileSync(new URL(PAGE, root), 'utf8'));

  it('has counts within the limits of the bench', () => {
    const rows = [...part.matchAll(/^\| `\/[a-z-]+(?: DIGEST)?` \| (\d+) \| (\d+) \| (\d+) \|$/gm)].map((row) =>
      row.slice(1).map(Number),
    );
    expect(rows).toHaveLength(3);
    for (const [index, { files, functions, gateEvaluations }] of Object.values(BARS).entries())
      for (const [column, bar] of [files, functions, gateEvaluations].entries())
        expect(rows[index]?.[column]).toBeLessThanOrEqual(bar);
  });
});
