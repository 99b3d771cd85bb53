/** Deceptive text is shown so that its invisible characters are visible. */
import { describe, expect, it } from 'vitest';
import { toMarkup } from '../../pages/html.ts';
import { renderMarkdown } from '../../pages/markdown/render-markdown.ts';
import { showHiddenCharacters } from '../../pages/parts/written.ts';

const show = (text: string): string => toMarkup(showHiddenCharacters(text));
const sign = (name: string): string => `<span class="hidden-sign" title="A sign that is not seen">[${name}]</span>`;

describe('written', () => {
  it('names a character that changes text direction, and one without a width', () => {
    expect(show('a\u202Eb')).toBe(`<bdi>a${sign('U+202E')}b</bdi>`);
    expect(show('\u200B<b>')).toBe(`<bdi>${sign('U+200B')}&lt;b&gt;</bdi>`);
    expect(show('ra\u200Dte')).toContain('[U+200D]');
  });

  it('does not change ordinary text', () => {
    for (const text of ['plain <b>', 'größer', '👩‍🔬', 'क्‍ष', '']) expect(show(text)).not.toContain('hidden-sign');
    expect(show('שלום #3')).toBe('<bdi>שלום #3</bdi>');
  });

  it('applies to comments too, where images are links', () => {
    const body =
      '`a\u202Eb` ![a plot](https://example.com/p.png) [![x](https://example.com/x.png)](https://example.com)';
    const shown = toMarkup(renderMarkdown(body, { repoPath: '/lab/ferries' }));
    expect(shown).toContain('<code>a[U+202E]b</code>');
    expect(shown).toContain('<a href="https://example.com/p.png">picture: a plot</a>');
    expect(shown).toContain('<a href="https://example.com">picture: x</a>');
    expect(shown).not.toContain('<img');
  });
});
