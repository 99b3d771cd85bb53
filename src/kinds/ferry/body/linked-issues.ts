/** The issues that a pull request's text says it belongs to. */

import { isWithinBounds } from '../../../commands/grammar/bounds.ts';
import { parseMarkdown } from '../../../commands/grammar/parse-markdown.ts';
import { plainText } from '../../../commands/grammar/plain-text.ts';

/** GitHub's own closing words, and those by which issues and pull requests of a lab name each other; white space is one space. */
const LINK =
  /\b(?:close|closes|closed|fix|fixes|fixed|resolve|resolves|resolved|part of|tracked in|issue):? #(\d{1,9})\b/gi;

/** Numbers in their order, each once; what stands in code, quotes or struck text links nothing. */
export function linkedIssues(markdown: string): readonly number[] {
  if (!isWithinBounds(markdown)) return [];
  const text = parseMarkdown(markdown).root.children.map(plainText).join('\n');
  return [...new Set([...text.matchAll(LINK)].map((match) => Number(match[1])))];
}
