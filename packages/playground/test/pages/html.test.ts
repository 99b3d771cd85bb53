/** The escaping of templates: no inserted value can become markup. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { html, laterHtml, safeHref, streamMarkup, toMarkup } from '../../pages/html.ts';

describe('html', () => {
  it('escapes text in elements and in quoted attributes, and keeps finished markup', () => {
    const inner = html`<b>${'a & b'}</b>`;
    expect(toMarkup(html`<p title="${`"x' <`}">${inner}${[1, '<', null, false, undefined]}</p>`)).toBe(
      '<p title="&quot;x&#39; &lt;"><b>a &amp; b</b>1&lt;</p>',
    );
  });

  it('escapes every tag, quote and ampersand of a text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const markup = toMarkup(html`${text}`);
        expect(markup).not.toMatch(/[<>"']/);
        expect(markup.replace(/&(?:amp|lt|gt|quot|#39);/g, '')).not.toContain('&');
      }),
    );
  });
});

describe('later markup', () => {
  it('appears in its place at any depth, and is generated only after the text before it was read', async () => {
    let isRequested = false;
    const later = laterHtml(async function* () {
      isRequested = true;
      yield html`<li>${'<1>'}</li>`;
      yield html`<li>2</li>`;
    });
    const page = streamMarkup(html`<ul>${[html`<b>${'&'}</b>`, later]}</ul>`);
    expect((await page.next()).value).toBe('<ul><b>&amp;</b>');
    expect(isRequested).toBe(false);
    const rest: string[] = [];
    for await (const text of page) rest.push(text);
    expect(rest.join('')).toBe('<li>&lt;1&gt;</li><li>2</li></ul>');
  });

  it('throws if the whole text is requested at the same time', () => {
    expect(() =>
      toMarkup(
        html`<p>${laterHtml(async function* () {
          yield html`x`;
        })}</p>`,
      ),
    ).toThrow('has to be streamed');
  });
});

describe('safeHref', () => {
  it('keeps web addresses and paths', () => {
    for (const good of ['https://x.org/a', 'http://127.0.0.1:1/x', 'mailto:a@b.c', '/a/b?c#d', '#top', '?q=1']) {
      expect(safeHref(good)).toBe(good);
    }
  });

  it('replaces addresses that could run code or lead to another site with #', () => {
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
