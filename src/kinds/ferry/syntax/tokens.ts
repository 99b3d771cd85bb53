/** The tokens of a file from its tree, strings whole, in order: what the rules about layout look at. */

import type { PyNode } from '../../../domain/python-syntax.ts';

/** One token. A string is one, unless it has parts: then its pieces and the tokens of the parts. */
export type Token = {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  readonly line: number;
};

/** All tokens and comments, without those of no width. */
export function tokensOf(root: PyNode): readonly Token[] {
  const tokens: Token[] = [];
  const visit = (node: PyNode): void => {
    if (node.kind === 'string') visitString(node);
    else if (node.kind === 'line_continuation') return;
    else if (node.children.length === 0) push(node.kind, node, node.start, node.end);
    else for (const child of node.children) visit(child);
  };
  const visitString = (node: PyNode): void => {
    let from = node.start;
    for (const part of node.children.filter((child) => child.kind === 'interpolation')) {
      push('string', node, from, part.start);
      visitPart(part);
      from = part.end;
    }
    push('string', node, from, node.end);
  };
  // The text of a format specification belongs to the string.
  const visitPart = (part: PyNode): void => {
    for (const child of part.children) {
      if (child.kind !== 'format_specifier') {
        visit(child);
        continue;
      }
      let from = child.start;
      for (const field of child.children.filter((one) => one.kind === 'format_expression')) {
        push('string', child, from, field.start);
        visitPart(field);
        from = field.end;
      }
      push('string', child, from, child.end);
    }
  };
  const push = (kind: string, { line }: PyNode, start: number, end: number): void => {
    if (end > start) tokens.push({ kind, start, end, line });
  };
  visit(root);
  return tokens;
}
