/** The one place of escaping: nothing that is put into a template can become markup. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { html, safeHref, toMarkup } from '../../../playground/pages/html.ts';

describe('html', () => {
  it('escapes text in elements and in quoted attributes, and leaves finished markup alone', () => {
    const inner = html`<b>${'a & b'}</b>`;
    expect(toMarkup(html`<p title="${`"x' <`}">${inner}${[1, '<', null, false, undefined]}</p>`)).toBe(
      '<p title="&quot;x&#39; &lt;"><b>a &amp; b</b>1&lt;</p>',
    );
  });

  it('lets no text bring a tag, a quote or a bare ampersand', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const markup = toMarkup(html`${text}`);
        expect(markup).not.toMatch(/[<>"']/);
        expect(markup.replace(/&(?:amp|lt|gt|quot|#39);/g, '')).not.toContain('&');
      }),
    );
  });
});

describe('safeHref', () => {
  it('keeps web addresses and paths', () => {
    for (const good of [
      'https://x.org/a',
      'http://127.0.0.1:1/x',
      'mailto:a@b.c',
      '/a/b?c#d',
      '#top',
      '?q=1',
    ]) {
      expect(safeHref(good)).toBe(good);
    }
  });

  it('turns everything that could run or lead elsewhere unseen into #', () => {
    for (const bad of [
      'javascript:alert(1)',
      ' javascript:alert(1)',
      'JaVaScRiPt:x',
      'data:text/html,x',
      '//evil.org',
      '/\\evil.org',
      'x',
      '',
      null,
    ]) {
      expect(safeHref(bad)).toBe('#');
    }
  });
});
