/** A shell tree with what its own text decides filled in: variables that it set before, and the commands that it gives to a shell of its own. */

import { parseShell, SHELL_NESTING_MAX, type ShellNode } from './shell-parse.ts';
import { shellText, unwrapped } from './unwrapped.ts';

/** A path is shorter; a variable that doubles itself would otherwise grow past all memory. */
const SHELL_VALUE_CHARACTERS_MAX = 1_024;

/** The tree, with each `$NAME` that an earlier command set replaced by its value; what nobody set stays as it is written. */
export function resolved(node: ShellNode, budget: FillBudget): ShellNode {
  return walk(node, { values: new Map(), depth: 0, budget });
}

/** Characters that may still be filled in and read; below zero, what comes back is not the whole meaning. */
export type FillBudget = { left: number };

type Scope = {
  readonly values: Map<string, string>;
  readonly depth: number;
  readonly budget: FillBudget;
};

function walk(node: ShellNode, scope: Scope): ShellNode {
  if (scope.budget.left < 0) return node;
  switch (node.kind) {
    case 'simple':
      return simple(node, scope);
    case 'and':
    case 'or':
      return { ...node, left: walk(node.left, scope), right: walk(node.right, scope) };
    case 'not':
    case 'background':
      return { ...node, of: walk(node.of, scope) };
    case 'subshell':
      return { ...node, of: walk(node.of, { ...scope, values: new Map(scope.values) }) };
    case 'pipe':
      return { ...node, parts: node.parts.map((part) => walk(part, scope)) };
    case 'list':
      return { ...node, items: node.items.map((item) => walk(item, scope)) };
    case 'if':
      return {
        ...node,
        test: walk(node.test, scope),
        body: walk(node.body, scope),
        otherwise: walk(node.otherwise, scope),
      };
    case 'while':
    case 'until':
      return { ...node, test: walk(node.test, scope), body: walk(node.body, scope) };
    case 'each':
      return { ...node, body: walk(node.body, scope) };
    default:
      return node satisfies never;
  }
}

function simple(node: Extract<ShellNode, { kind: 'simple' }>, scope: Scope): ShellNode {
  const filled = (word: string): string => filledWord(word, scope.values);
  const words = node.words.map(filled);
  const writesTo = node.writesTo.map(filled);
  const [name, ...args] = unwrapped(words);
  if (['export', 'readonly', 'local', 'declare'].includes(name ?? ''))
    for (const word of args) {
      const [, variable, value] = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(word) ?? [];
      if (variable === undefined || value === undefined) continue;
      if (value.length > SHELL_VALUE_CHARACTERS_MAX) scope.values.delete(variable);
      else scope.values.set(variable, value);
    }
  for (const word of [...words, ...writesTo]) scope.budget.left -= word.length + 1;
  if (scope.budget.left < 0) return node;
  const inner = shellText(words);
  if (inner === null || scope.depth >= SHELL_NESTING_MAX) return { ...node, words, writesTo };
  const read = parseShell(inner.errexit ? `set -e; ${inner.text}` : inner.text, node.line);
  if (read.kind === 'not-understood') return { ...node, words, writesTo };
  const of = walk(read.node, { ...scope, values: new Map(scope.values), depth: scope.depth + 1 });
  return { kind: 'subshell', of };
}

function filledWord(word: string, values: ReadonlyMap<string, string>): string {
  if (word.length > SHELL_VALUE_CHARACTERS_MAX) return word;
  return word.replace(
    /\$(?:(\w+)|\{(\w+)(?::?[-=]([^}]*))?\})/g,
    (whole, plain: string | undefined, braced: string | undefined, otherwise: string | undefined) =>
      values.get(plain ?? braced ?? '') ?? otherwise ?? whole,
  );
}
