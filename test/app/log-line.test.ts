/** What stands in the log of a workflow run is no command to its runner, whoever said it. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { logLine, logLines } from '../../src/app/action/full.ts';

const same = (text: string): string => text;

it('is one line without escapes, whatever a cluster or git said', () => {
  const said =
    'stop of job-1: unknown: no answer\n::set-output name=ok::true\r\n##[command]rm\u001b[31m\u2028::x::';
  expect(logLine(said, { run: 'a\n::b' }, same)).toBe(
    'stop of job-1: unknown: no answer ::set-output name=ok::true ## [command]rm [31m ::x:: {"run":"a\\n::b"}',
  );
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      for (const line of logLine(`${text}::a`, undefined, same).split(/[\r\n\u2028\u2029]/))
        expect(line).not.toMatch(/^\s*::|##\[/);
    }),
  );
  // The older form counts anywhere in a line (actions/runner, ActionCommand.TryParse).
  expect(logLine('the head said ##[set-output name=job-id]evil', undefined, same)).toBe(
    'the head said ## [set-output name=job-id]evil',
  );
  expect(logLine('::add-mask::x', undefined, same)).toBe('| ::add-mask::x');
});

it('is without secrets, also without one that a line break was put into', () => {
  const clean = (text: string): string => text.replaceAll('hunter\n2', '***');
  expect(logLine('login hunter\n2', undefined, clean)).toBe('login ***');
});

it('keeps the lines of a longer text, and none of them is a command', () => {
  expect(
    logLines('ferrybot: submit-rejected: no\n::set-output name=job-id::evil\r  ##[stop-commands]x', same),
  ).toEqual(['ferrybot: submit-rejected: no', '| ::set-output name=job-id::evil', '  ## [stop-commands]x']);
  const clean = (text: string): string => text.replaceAll('hunter\n2', '***');
  expect(logLines('login hunter\n2', clean)).toEqual(['login ***']);
});
