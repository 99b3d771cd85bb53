/** Parses markup like a browser and lists what could run: the independent check of the escaping tests. */
import { fromHtml } from 'hast-util-from-html';
import { visit } from 'unist-util-visit';

const runs = ['script', 'style', 'iframe', 'object', 'embed', 'base', 'svg', 'math', 'template', 'meta'];

/** Elements that run or restyle, event handlers, and addresses that are code. */
export function findDangers(markup: string): readonly string[] {
  const dangers: string[] = [];
  visit(fromHtml(markup, { fragment: true }), 'element', (element) => {
    if (runs.includes(element.tagName)) dangers.push(element.tagName);
    for (const [name, value] of Object.entries(element.properties)) {
      if (/^on/i.test(name)) dangers.push(`${element.tagName} ${name}`);
      if (
        ['href', 'src', 'action', 'formAction'].includes(name) &&
        /^\s*(?:javascript|data|vbscript):/i.test(String(value))
      ) {
        dangers.push(`${element.tagName} ${name}=${String(value)}`);
      }
    }
  });
  return dangers;
}
