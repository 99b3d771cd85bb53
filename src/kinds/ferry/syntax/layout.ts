/** The layout of a file as CPython's tokenizer reads it: which characters may stand between tokens, and how lines are indented. */

import { limits } from '../../../domain/limits.ts';
import type { PyNode, PySyntax } from '../../../domain/python-syntax.ts';
import { CLAUSES } from './clauses.ts';
import type { PySyntaxError } from './fault.ts';
import { checkIndent, type IndentStack, NO_INDENT } from './indentation.ts';
import { type Token, tokensOf } from './tokens.ts';

// A comment is a node of its own unless it stood in a line that was joined for the parser.
const GAP = /^(?:[ \t\f\r\n]|\\(?:\r\n|\n|\r(?!\n))|#[^\r\n]*(?=[\r\n]|$))*$/;
const OPENING = '([{';
const CLOSING = ')]}';

/** The first error of layout (language reference, section 2.1; CPython Parser/lexer/lexer.c), or null. */
export function layoutError(syntax: PySyntax): PySyntaxError | null {
  const { text } = syntax;
  const nul = text.indexOf('\0');
  if (nul !== -1) return { line: lineAt(text, nul), message: 'source code cannot contain null bytes' };
  const tokens = tokensOf(syntax.root);
  const end = text.slice(tokens.at(-1)?.end ?? 0);
  if (/\\(?:\r\n|\n|\r)?$/.test(end))
    return {
      line: lineAt(text, text.length - end.length),
      message: 'unexpected EOF after line continuation',
    };
  return gapError(text, tokens) ?? lineError(text, tokens, lineStartsIn(syntax.root));
}

function gapError(text: string, tokens: readonly Token[]): PySyntaxError | null {
  let from = text.startsWith('\uFEFF') ? 1 : 0;
  for (const { start, end } of [...tokens, { start: text.length, end: text.length }]) {
    const gap = start > from ? text.slice(from, start) : '';
    if (gap !== '' && gap !== ' ' && !GAP.test(gap)) {
      const bad = gap.search(/[^ \t\f\r\n\\]/);
      const at = from + (bad === -1 ? gap.indexOf('\\') : bad);
      return { line: lineAt(text, at), message: 'invalid character between tokens' };
    }
    from = Math.max(from, end);
  }
  return null;
}

function lineError(
  text: string,
  tokens: readonly Token[],
  starts: ReadonlySet<number>,
): PySyntaxError | null {
  let stack: IndentStack = NO_INDENT;
  let depth = 0;
  let last: Token | null = null;
  for (const token of tokens) {
    if (token.kind === 'comment') continue;
    if (depth === 0 && (last === null || startsLine(text, last.end, token.start))) {
      // tree-sitter takes a line break in the middle of a statement.
      if (!starts.has(token.start)) return { line: last?.line ?? token.line, message: 'invalid syntax' };
      const checked = checkIndent(stack, indentBefore(text, token.start), last?.kind === ':');
      if (!checked.ok) return { line: token.line, message: checked.error };
      stack = checked.value;
    } else if (starts.has(token.start) && depth === 0 && last?.kind !== ';' && last?.kind !== ':') {
      // And two statements side by side.
      return { line: token.line, message: 'invalid syntax' };
    }
    if (OPENING.includes(token.kind)) depth += 1;
    if (CLOSING.includes(token.kind)) depth -= 1;
    if (depth >= limits.pythonBracketsMax)
      return { line: token.line, message: 'too many nested parentheses' };
    last = token;
  }
  return last?.kind === ':' ? { line: last.line, message: 'expected an indented block' } : null;
}

// Where a logical line may begin: at a statement, a clause, a decorator or what it decorates.
function lineStartsIn(root: PyNode): ReadonlySet<number> {
  const starts = new Set<number>();
  const visit = (node: PyNode): void => {
    const isList = node.kind === 'module' || node.kind === 'block' || node.kind === 'decorated_definition';
    for (const child of node.children) {
      if (child.isNamed && (isList || CLAUSES.has(child.kind))) starts.add(child.start);
      if (child.children.length > 0) visit(child);
    }
  };
  visit(root);
  return starts;
}

// A line break ends the logical line unless a backslash stands before it or only a comment is between.
function startsLine(text: string, from: number, to: number): boolean {
  if (to - from < 2 && !/[\r\n]/.test(text.slice(from, to))) return false;
  return /[\r\n]/.test(
    text
      .slice(from, to)
      .replace(/#[^\r\n]*/g, '')
      .replace(/\\(?:\r\n|\n|\r)/g, ''),
  );
}

function indentBefore(text: string, offset: number): string {
  let lineStart = offset;
  while (lineStart > 0 && !/[\r\n]/.test(text.charAt(lineStart - 1))) lineStart -= 1;
  return text.slice(lineStart, offset).replace(/^\uFEFF/, '');
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split(/\r\n|\n|\r/).length;
}
