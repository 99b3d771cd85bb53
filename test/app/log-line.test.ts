/** No text in the log of a workflow run can act as a workflow command, no matter its source. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cleanLogLines, formatLogLine } from '../../src/app/action/full.ts';

const same = (text: string): string => text;

it('writes one line without control characters or workflow commands, for any text', () => {
  const said = 'stop of job-1: unknown: no answer\n::set-output name=ok::true\r\n##[command]rm\u001b[31m\u2028::x::';
  expect(formatLogLine(said, { run: 'a\n::b' }, same)).toBe(
    'stop of job-1: unknown: no answer ::set-output name=ok::true ## [command]rm [31m ::x:: {"run":"a\\n::b"}',
  );
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      for (const line of formatLogLine(`${text}::a`, undefined, same).split(/[\r\n\u2028\u2029]/))
        expect(line).not.toMatch(/^\s*::|##\[/);
    }),
  );
  // The older form is recognized anywhere in a line (actions/runner, ActionCommand.TryParse).
  expect(formatLogLine('the head said ##[set-output name=job-id]evil', undefined, same)).toBe(
    'the head said ## [set-output name=job-id]evil',
  );
  expect(formatLogLine('::add-mask::x', undefined, same)).toBe('| ::add-mask::x');
});

it('masks secrets, also one that contains a line break', () => {
  const clean = (text: string): string => text.replaceAll('hunter\n2', '***');
  expect(formatLogLine('login hunter\n2', undefined, clean)).toBe('login ***');
});

it('keeps the lines of a longer text and disarms workflow commands in each', () => {
  expect(
    cleanLogLines('ferrybot: submit-rejected: no\n::set-output name=job-id::evil\r  ##[stop-commands]x', same),
  ).toEqual(['ferrybot: submit-rejected: no', '| ::set-output name=job-id::evil', '  ## [stop-commands]x']);
  const clean = (text: string): string => text.replaceAll('hunter\n2', '***');
  expect(cleanLogLines('login hunter\n2', clean)).toEqual(['login ***']);
});
