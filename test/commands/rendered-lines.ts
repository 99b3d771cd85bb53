/**
 * An independent model of what a reader sees: renders a comment and parses the HTML as a browser does,
 * without our parser.
 */

import type { Nodes } from 'hast';
import { fromHtml } from 'hast-util-from-html';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';

// Not HTML elements: GitHub drops these tags and shows their content. `https:` is an address in angle
// brackets.
const DROPPED = new Set(['foo', 'x', 'https:']);

/**
 * The lines of text in a top-level paragraph of the page, without any element or comment in the line: what a
 * reader sees as a plain line.
 */
export function listPlainLines(markdown: string): readonly string[] {
  const html = micromark(markdown, { allowDangerousHtml: true, extensions: [gfm()], htmlExtensions: [gfmHtml()] });
  const lines: string[] = [];
  let line = '';
  let isPlain = true;
  const endLine = (): void => {
    if (isPlain && line.trim() !== '') lines.push(line.trim());
    line = '';
    isPlain = true;
  };
  const write = (text: string, isInParagraph: boolean): void => {
    for (const [index, part] of text.split('\n').entries()) {
      if (index > 0) endLine();
      line += part;
      if (part !== '' && !isInParagraph) isPlain = false;
    }
  };
  const visit = (node: Nodes, around: readonly string[]): void => {
    if (node.type === 'text') write(node.value, around.join() === 'p');
    else if (node.type === 'comment') isPlain = false;
    else if (node.type === 'element') {
      const source = (FRAME + html).slice(node.position?.start.offset ?? 0);
      // Paragraphs from the renderer have no attributes; in our tests, those from the author have some.
      const name = node.tagName === 'p' && !source.startsWith('<p>') ? "the author's p" : node.tagName;
      const isDropped = DROPPED.has(name) || name === 'html' || name === 'body';
      // A hard break is rendered with a slash; an author's own `<br>` is an element in its source line.
      const isBreak = name === 'br' && source.startsWith('<br />');
      if (name === 'p' || isBreak) endLine();
      else if (!isDropped) isPlain = false;
      for (const child of node.children) visit(child, isDropped ? around : [...around, name]);
      if (name === 'p') endLine();
    } else if ('children' in node) for (const child of node.children) visit(child, around);
  };
  visit(fromHtml(FRAME + html), []);
  endLine();
  return lines;
}

const FRAME = '<!doctype html><body>';
