/** Markdown as GitHub shows it in a comment. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toMarkup } from '../../pages/html.ts';
import { renderMarkdown } from '../../pages/markdown/render-markdown.ts';
import { findDangers } from './dangers.ts';

const show = (source: string, options = {}): string =>
  toMarkup(renderMarkdown(source, { repoPath: '/lab/marin' }, options));

describe('renderMarkdown', () => {
  it('keeps the markup that GitHub keeps', () => {
    const shown = show('<details><summary>More</summary>\n\n**bold** H<sub>2</sub><br>x\n\n</details>');
    expect(shown).toContain('<details><summary>More</summary>');
    expect(shown).toContain('<strong>bold</strong> H<sub>2</sub><br>x');
  });

  it('drops HTML comments, handlers, scripts, styles, drawings and script addresses', () => {
    const shown = show(
      'a <!-- secret --> <img src=x onerror=alert(1)> [x](javascript:alert(1)) <svg onload=a()></svg>\n\n<script>alert(1)</script>\n\n<style>*{}</style>\n\n<iframe src=//x></iframe> <form action=/x><button>b</button></form>',
    );
    for (const word of [
      'secret',
      'onerror',
      'javascript:',
      '<svg',
      '<script',
      '<style',
      '<iframe',
      '<form',
      '<button',
    ]) {
      expect(shown).not.toContain(word);
    }
  });

  it('renders task lists with boxes that a screen reader can name', () => {
    const shown = show('- [x] issue updated\n- [ ] human approval');
    expect(shown).toContain(
      '<li class="task-list-item"><input type="checkbox" disabled checked aria-label="issue updated">',
    );
    expect(shown).toContain('<input type="checkbox" disabled aria-label="human approval">');
  });

  it('passes Mermaid blocks to the client as text', () => {
    const shown = show('```mermaid\nflowchart LR\n A["<b>x</b>"]-->B\n```');
    expect(shown).toContain('<figure class="chart" data-chart=""><pre class="chart-source" tabindex="0">flowchart LR');
    expect(shown).not.toContain('<b>x');
  });

  it('links threads and marks people, but not in code, links or words', () => {
    const shown = show('see #12 and @ada\nnext `#13` [#14](https://x.org) abc#15 a@b.c');
    expect(shown).toContain('<a href="/lab/marin/issues/12">#12</a> and <span class="mention">@ada</span><br>next');
    for (const number of [13, 14, 15]) expect(shown).not.toContain(`issues/${number}`);
  });

  it('renders a line break as a break in comments only', () => {
    expect(show('a\nb')).toContain('a<br>b');
    expect(show('a\nb', { breaks: false })).not.toContain('<br>');
  });

  it('renders tables with their alignment', () => {
    expect(show('| a | b |\n|---|--:|\n| 1 | 2 |')).toContain('<td align="right">2</td>');
  });

  it('never passes a script or a handler through, for any input', () => {
    const piece = fc.constantFrom(
      '<script>',
      '</script>',
      '<img src=x onerror=x()>',
      '`',
      '```',
      '\n',
      '[a](javascript:x)',
      '<a href="javascript:x">',
      '<!--',
      '-->',
      '"',
      '<svg/onload=x()>',
      '|',
      '- [ ] ',
      '<details open ontoggle=x()>',
      '&lt;',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        expect(findDangers(show(pieces.join('')))).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});
