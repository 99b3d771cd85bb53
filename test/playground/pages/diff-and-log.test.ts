/** Patches and logs: read line by line, shown with their numbers and colours. */
import { describe, expect, it } from 'vitest';
import { parsePatch } from '../../../playground/pages/diff/parse-patch.ts';
import { toMarkup } from '../../../playground/pages/html.ts';
import { ansiLine } from '../../../playground/pages/log/ansi.ts';
import { logView } from '../../../playground/pages/log/log-view.ts';
import { pageLimits } from '../../../playground/pages/page-limits.ts';

describe('parsePatch', () => {
  it('numbers both sides from the hunk’s own start', () => {
    expect(parsePatch('@@ -38,2 +40,2 @@ def f():\n same\n-old\n+new\n\\ No newline at end of file')).toEqual(
      [
        { kind: 'hunk', text: '@@ -38,2 +40,2 @@ def f():' },
        { kind: 'same', before: 38, after: 40, text: 'same' },
        { kind: 'removed', before: 39, after: null, text: 'old' },
        { kind: 'added', before: null, after: 41, text: 'new' },
        { kind: 'note', text: 'No newline at end of file' },
      ],
    );
  });

  it('takes a hunk of one line, and a removed line that looks like a header', () => {
    expect(parsePatch('@@ -1 +1 @@\n--- a\n+++ b')).toEqual([
      { kind: 'hunk', text: '@@ -1 +1 @@' },
      { kind: 'removed', before: 1, after: null, text: '-- a' },
      { kind: 'added', before: null, after: 1, text: '++ b' },
    ]);
  });
});

describe('ansiLine', () => {
  const show = (line: string): string => toMarkup(ansiLine(line));

  it('turns colours into classes and ends them at reset', () => {
    expect(show('\u001b[1;31mbad\u001b[0m fine \u001b[92mgood\u001b[39m')).toBe(
      '<span class="ansi-bold ansi-red">bad</span> fine <span class="ansi-green">good</span>',
    );
  });

  it('removes other sequences and escapes what is left', () => {
    expect(show('\u001b]0;title\u0007a\u001b[2K\u001b[1A<b>\u001b')).toBe('a&lt;b&gt;');
  });
});

describe('logView', () => {
  it('folds groups, marks errors and keeps the numbers of the lines', () => {
    const shown = toMarkup(
      logView('::group::Set up <x>\nnode\n::endgroup::\n##[error]no <order>\nend\n', '7'),
    );
    expect(shown).toContain('<summary>Set up &lt;x&gt;</summary>');
    expect(shown).toContain('log-error"><span class="log-number" aria-hidden="true">4</span>');
    expect(shown).toContain('no &lt;order&gt;');
  });

  it('leaves a group open in which something went wrong, also under a time stamp', () => {
    const at = '2026-11-21T06:00:00.000Z ';
    const shown = toMarkup(
      logView(`${at}##[group]fine\n${at}##[endgroup]\n${at}##[group]bad\n${at}##[error]no\n`, '7'),
    );
    expect(shown).toMatch(/data-key="7-2" ><summary>fine/);
    expect(shown).toMatch(/data-key="7-\d+" open><summary>bad/);
  });

  it('shows the newest lines of a long log and says how many are missing', () => {
    const lines = Array.from({ length: pageLimits.logLinesMax + 3 }, (_, index) => `line ${index + 1}`);
    const shown = toMarkup(logView(lines.join('\n'), '7'));
    expect(shown).toContain('3 earlier lines are not shown');
    expect(shown).not.toContain('>line 3<');
    expect(shown).toContain('>line 4<');
  });
});
