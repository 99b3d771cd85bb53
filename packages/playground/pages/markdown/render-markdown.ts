/** Turns what people wrote into safe markup, the way GitHub shows a comment: GFM, sanitised, links to threads and people. */
import type { Root } from 'hast';
import { fromHtml } from 'hast-util-from-html';
import { defaultSchema, sanitize } from 'hast-util-sanitize';
import { toHtml } from 'hast-util-to-html';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { visit } from 'unist-util-visit';
import { type Html, html, trustedHtml } from '../html.ts';
import { hiddenSigns, signName } from '../parts/written.ts';
import { linkReferences } from './link-references.ts';
import { markCharts } from './mark-charts.ts';
import type { MarkdownHome } from './markdown-home.ts';
import { quietPictures } from './quiet-pictures.ts';
import { labelTasks } from './task-list.ts';

/**
 * Raw HTML goes through the parser that browsers use and then through GitHub's published allow-list
 * (hast-util-sanitize's default schema), so `<details>`, `<sub>` and `<br>` work, comments vanish and nothing can run.
 * Pictures become links: nothing is loaded from other hosts, and the page's content policy would forbid it.
 * A comment's line breaks are line breaks (as on GitHub); in a file they are not: `breaks: false`.
 */
export function renderMarkdown(
  source: string,
  home: MarkdownHome,
  options: { readonly breaks?: boolean } = {},
): Html {
  const markup = micromark(source, {
    allowDangerousHtml: true,
    allowDangerousProtocol: true,
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
  });
  const tree = asRoot(sanitize(fromHtml(markup, { fragment: true }), defaultSchema));
  markCharts(tree);
  quietPictures(tree);
  makeReachable(tree);
  labelTasks(tree);
  linkReferences(tree, home, { breaks: options.breaks ?? true });
  nameSigns(tree);
  return html`<div class="markdown">${trustedHtml(toHtml(tree))}</div>`;
}

/** Code and tables that are too wide are scrolled with the keyboard too. */
function makeReachable(tree: Root): void {
  visit(tree, 'element', (node) => {
    if (['pre', 'table'].includes(node.tagName)) node.properties['tabIndex'] = 0;
  });
}

/** Signs that turn the order of letters around or take no room would show a text that is not the one that a program reads. */
function nameSigns(tree: Root): void {
  visit(tree, 'text', (node) => {
    node.value = node.value.replace(hiddenSigns, signName);
  });
}

/** The sanitiser answers with any node; given a root it gives a root. */
function asRoot(node: ReturnType<typeof sanitize>): Root {
  if (node.type !== 'root') throw new TypeError(`the sanitiser gave a ${node.type} for a root`);
  return node;
}
