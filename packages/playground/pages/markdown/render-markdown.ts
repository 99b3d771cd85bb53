/**
 * Renders untrusted Markdown to safe markup, like a comment on GitHub: GFM, sanitised, with links to threads and
 * people.
 */
import type { Root } from 'hast';
import { fromHtml } from 'hast-util-from-html';
import { defaultSchema, sanitize } from 'hast-util-sanitize';
import { toHtml } from 'hast-util-to-html';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { visit } from 'unist-util-visit';
import { type Html, html, trustedHtml } from '../html.ts';
import { characterName, hiddenSigns } from '../parts/written.ts';
import { linkReferences } from './link-references.ts';
import { markCharts } from './mark-charts.ts';
import type { MarkdownHome } from './markdown-home.ts';
import { replacePictures } from './quiet-pictures.ts';
import { labelTasks } from './task-list.ts';

/**
 * Raw HTML is parsed like in a browser and then filtered by GitHub's published allow-list (hast-util-sanitize's default
 * schema). So `<details>`, `<sub>` and `<br>` work, HTML comments are removed and nothing can run. Images become links:
 * nothing is loaded from other hosts, and the page's content policy forbids it. Line breaks are kept in a comment (as
 * on GitHub), but not in a file: `breaks: false`.
 */
export function renderMarkdown(source: string, home: MarkdownHome, options: { readonly breaks?: boolean } = {}): Html {
  const markup = micromark(source, {
    allowDangerousHtml: true,
    allowDangerousProtocol: true,
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
  });
  const tree = asRoot(sanitize(fromHtml(markup, { fragment: true }), defaultSchema));
  markCharts(tree);
  replacePictures(tree);
  makeReachable(tree);
  labelTasks(tree);
  linkReferences(tree, home, { breaks: options.breaks ?? true });
  nameHiddenCharacters(tree);
  return html`<div class="markdown">${trustedHtml(toHtml(tree))}</div>`;
}

/** Makes wide code blocks and tables scrollable by keyboard. */
function makeReachable(tree: Root): void {
  visit(tree, 'element', (node) => {
    if (['pre', 'table'].includes(node.tagName)) node.properties['tabIndex'] = 0;
  });
}

/**
 * Shows invisible and direction-changing characters by name, because with them the visible text differs from what a
 * program reads.
 */
function nameHiddenCharacters(tree: Root): void {
  visit(tree, 'text', (node) => {
    node.value = node.value.replace(hiddenSigns, characterName);
  });
}

/** The sanitiser's type allows any node, but for a root it returns a root. */
function asRoot(node: ReturnType<typeof sanitize>): Root {
  if (node.type !== 'root') throw new TypeError(`the sanitiser gave a ${node.type} for a root`);
  return node;
}
