/** A second opinion on what a reader sees: renders a comment with micromark and reads the HTML, knowing nothing of our tree. */

import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';

// Hold nothing: void elements, and what is no element (an address between angle brackets), which GitHub drops.
const HOLD_NOTHING = new Set(['br', 'img', 'hr', 'input', 'https']);
const PIECE = /<!--[\s\S]*?(?:-->|$)|<(\/?)([a-z][a-z0-9]*)(?:"[^"]*"|[^">])*>|[^<]+|</gi;

/**
 * The lines of text that stand in a paragraph of the page itself, in nothing else, without any element in the line:
 * what a reader sees as a plain line.
 */
export function plainLinesOf(markdown: string): readonly string[] {
  const html = micromark(markdown, {
    allowDangerousHtml: true,
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
  });
  const lines: string[] = [];
  const open: string[] = [];
  let line = '';
  let isPlain = true;
  const endLine = (): void => {
    if (isPlain && line.trim() !== '') lines.push(line.trim());
    line = '';
    isPlain = true;
  };
  for (const [piece, slash, tag] of html.matchAll(PIECE)) {
    const name = (tag ?? '').toLowerCase();
    // A hard break is rendered with a slash; a `<br>` of the author's own is an element in the line.
    if (name === 'br' && piece !== '<br />') isPlain = false;
    if (name === 'p' || name === 'br') endLine();
    if (name === '' && !piece.startsWith('<!--')) {
      for (const [index, part] of decoded(piece).split('\n').entries()) {
        if (index > 0) endLine();
        line += part;
        if (part !== '' && open.join() !== 'p') isPlain = false;
      }
    } else if (name !== 'p' && name !== 'br') isPlain = false;
    if (slash === '/') {
      const at = open.lastIndexOf(name);
      if (at >= 0) open.splice(at, 1);
    } else if (name !== '' && !HOLD_NOTHING.has(name)) open.push(name);
  }
  endLine();
  return lines;
}

function decoded(html: string): string {
  return html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}
