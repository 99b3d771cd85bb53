/** Patches and logs: parsed line by line, shown with their numbers and colours. */
import { describe, expect, it } from 'vitest';
import { changedParts } from '../../pages/diff/changed-words.ts';
import { parsePatch, patchHead } from '../../pages/diff/parse-patch.ts';
import { toMarkup } from '../../pages/html.ts';
import { ansiLine } from '../../pages/log/ansi.ts';
import { fairShares } from '../../pages/log/fair-shares.ts';
import { logView } from '../../pages/log/log-view.ts';
import { stepLogs } from '../../pages/log/step-logs.ts';
import { pageLimits } from '../../pages/page-limits.ts';

describe('parsePatch', () => {
  it('numbers both sides from the hunk’s own start', () => {
    expect(parsePatch('@@ -38,2 +40,2 @@ def f():\n same\n-old\n+new\n\\ No newline at end of file')).toEqual([
      { kind: 'hunk', text: '@@ -38,2 +40,2 @@ def f():' },
      { kind: 'same', before: 38, after: 40, text: 'same' },
      { kind: 'removed', before: 39, after: null, text: 'old' },
      { kind: 'added', before: null, after: 41, text: 'new' },
      { kind: 'note', text: 'No newline at end of file' },
    ]);
  });

  it('reads only the head of a long patch, and counts its lines', () => {
    expect(patchHead('a\nb\nc', 2)).toEqual({ head: 'a\nb', lines: 3 });
    expect(patchHead('a\nb', 2)).toEqual({ head: 'a\nb', lines: 2 });
    expect(patchHead('a\nb', 0)).toEqual({ head: '', lines: 2 });
    expect(patchHead('', 5)).toEqual({ head: '', lines: 0 });
  });

  it('parses a one-line hunk, and a removed line that resembles a header', () => {
    expect(parsePatch('@@ -1 +1 @@\n--- a\n+++ b')).toEqual([
      { kind: 'hunk', text: '@@ -1 +1 @@' },
      { kind: 'removed', before: 1, after: null, text: '-- a' },
      { kind: 'added', before: null, after: 1, text: '++ b' },
    ]);
  });
});

describe('ansiLine', () => {
  const show = (line: string): string => toMarkup(ansiLine(line));

  it('converts colours to classes and ends them at a reset', () => {
    expect(show('\u001b[1;31mbad\u001b[0m fine \u001b[92mgood\u001b[39m')).toBe(
      '<span class="ansi-bold ansi-red">bad</span> fine <span class="ansi-green">good</span>',
    );
  });

  it('supports the sixteen named colours of 256, and skips the numbers of other colours', () => {
    expect(show('\u001b[38;5;9mred\u001b[38;5;131mno name\u001b[0m')).toBe('<span class="ansi-red">red</span>no name');
    expect(show('\u001b[38;2;31;1;4mmillions\u001b[48;5;31mground')).toBe('millionsground');
    expect(show('\u001b[1;4mx\u001b[22;24my')).toBe('<span class="ansi-bold ansi-underlined">x</span>y');
  });

  it('removes other sequences and escapes the rest', () => {
    expect(show('\u001b]0;title\u0007a\u001b[2K\u001b[1A<b>\u001b')).toBe('a&lt;b&gt;');
  });
});

describe('logView', () => {
  it('folds groups, marks errors and keeps line numbers', () => {
    const shown = toMarkup(logView('::group::Set up <x>\nnode\n::endgroup::\n##[error]no <order>\nend\n', '7'));
    expect(shown).toContain('<summary>Set up &lt;x&gt;</summary>');
    expect(shown).toContain('log-error"><span class="log-number" aria-hidden="true">4</span>');
    expect(shown).toContain('no &lt;order&gt;');
  });

  it('keeps a group with an error open, also with timestamps', () => {
    const at = '2026-11-21T06:00:00.000Z ';
    const shown = toMarkup(
      logView(`${at}##[group]fine\n${at}well\n${at}##[endgroup]\n${at}##[group]bad\n${at}##[error]no\n`, '7'),
    );
    expect(shown).toMatch(/data-key="7-2" ><summary>fine/);
    expect(shown).toMatch(/data-key="7-\d+" open><summary>bad/);
  });

  it('shows the newest lines of a long log and the number of omitted ones', () => {
    const lines = Array.from({ length: pageLimits.logLinesMax + 3 }, (_, index) => `line ${index + 1}`);
    const shown = toMarkup(logView(lines.join('\n'), '7'));
    expect(shown).toContain('3 earlier lines are not shown');
    expect(shown).not.toContain('>line 3<');
    expect(shown).toContain('>line 4<');
  });
});

describe('a growing log', () => {
  it('leaves every full block of a hundred lines unchanged', () => {
    const log = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index}\n`).join('');
    const pieces = (count: number): readonly string[] =>
      toMarkup(logView(log(count), '7'))
        .split('<div class="log-piece"')
        .slice(1);
    expect(pieces(250)).toHaveLength(3);
    expect(pieces(251).slice(0, 2)).toEqual(pieces(250).slice(0, 2));
    // This holds even when the first lines are cut off.
    const [long, longer] = [pieces(pageLimits.logLinesMax + 201), pieces(pageLimits.logLinesMax + 260)];
    expect(longer.slice(1, 40)).toEqual(long.slice(1, 40));
  });
});

describe('the parts of a job’s log', () => {
  it('are split at the start of each step; earlier text belongs to the first step', () => {
    expect(stepLogs('head\none\ntwo\n', [5, 9, null])).toEqual(['head\none\n', 'two\n', null]);
    expect(stepLogs('one\n', [0, 4, 4])).toEqual(['one\n', null, null]);
    expect(stepLogs('early\n', [null, null])).toEqual([null, null]);
  });

  it('share the page’s lines: short logs are complete, long ones get equal parts', () => {
    expect(fairShares([3, 100, 50], 63)).toEqual([3, 30, 30]);
    expect(fairShares([1, 2], 10)).toEqual([1, 2]);
    expect(fairShares([], 10)).toEqual([]);
  });
});

describe('the changed part of a line', () => {
  const marked = (patch: string): readonly string[] => {
    const rows = parsePatch(patch);
    return [...changedParts(rows)].map(([index, { from, until }]) => rows[index]?.text.slice(from, until) ?? '');
  };

  it('is the whole number or word, in both lines', () => {
    expect(marked('@@ -1,2 +1,2 @@\n-    rate=3e-3,\n+    rate=2.5e-3,')).toEqual(['3e-3', '2.5e-3']);
    expect(marked('@@ -1 +1 @@\n-a = 1\n+a = 1  # why')).toEqual(['', '  # why']);
  });

  it('is not marked if the lines have nothing in common or cannot be paired', () => {
    expect(marked('@@ -1 +1 @@\n-import torch\n+x = 1')).toEqual([]);
    expect(marked('@@ -1 +1,2 @@\n-rate=1\n+rate=2\n+rate=3')).toEqual([]);
  });
});
