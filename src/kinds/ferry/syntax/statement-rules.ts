/** Simple and compound statements that tree-sitter reads more loosely than CPython does. */

import { childIn, type PyNode, partsOf } from '../../../domain/python-syntax.ts';
import { prefixOf } from '../delta/normal-string.ts';
import { faultAt, hasToken, parentIn, type Rule } from './fault.ts';

const FUTURES: ReadonlySet<string> = new Set(
  `nested_scopes generators division absolute_import with_statement print_function unicode_literals barry_as_FLUFL
   generator_stop annotations`.split(/\s+/),
);

/** Names without dots in `from`, a comma at the end only in parentheses. */
export const importIsLegal: Rule = (node, around) => {
  const commas = node.children.filter((child) => child.kind === ',').length;
  const names = node.children.filter((child) => child.field === 'name');
  if (commas >= names.length && commas > 0 && !hasToken(node, '('))
    return faultAt(node, 'trailing comma not allowed');
  if (node.kind === 'import_statement') return null;
  const spelled = names.map((name) =>
    name.kind === 'aliased_import' ? (childIn(name, 'name') ?? name) : name,
  );
  if (spelled.some((name) => partsOf(name).length > 1)) return faultAt(node, 'invalid syntax');
  const isStar = node.children.some((child) => child.kind === 'wildcard_import');
  const isInside = around.ancestors.some((outer) => /^(?:function|class)_definition$/.test(outer.kind));
  return isStar && isInside ? faultAt(node, 'import * only allowed at module level') : null;
};

/** `from __future__` comes first, and knows its features. */
export const futureIsLegal: Rule = (node, { text, ancestors }) => {
  const unknown = node.children
    .filter((child) => child.field === 'name')
    .map((child) => (child.kind === 'aliased_import' ? (childIn(child, 'name') ?? child) : child))
    .find((name) => !FUTURES.has(text.slice(name.start, name.end)));
  if (unknown !== undefined) return faultAt(node, 'future feature is not defined');
  const module = ancestors[0];
  const before = module === undefined ? [] : partsOf(module).filter((part) => part.end <= node.start);
  const isFirst =
    ancestors.length === 1 &&
    before.every(
      (part, at) => part.kind === 'future_import_statement' || (at === 0 && isDocstring(part, text)),
    );
  return isFirst ? null : faultAt(node, 'from __future__ imports must occur at the beginning of the file');
};

/** `print "x"` is Python 2; `print >>f, x` is an expression in Python 3. */
export const printIsLegal: Rule = (node) =>
  node.children.some((child) => child.kind === 'chevron')
    ? null
    : faultAt(node, "Missing parentheses in call to 'print'");

/** `exec "x"` is Python 2. */
export const execIsLegal: Rule = (node) => faultAt(node, "Missing parentheses in call to 'exec'");

/** A condition and a message, no more. */
export const assertIsLegal: Rule = (node) => {
  const commas = node.children.filter((child) => child.kind === ',').length;
  return commas > 1 || partsOf(node).length === commas ? faultAt(node, 'invalid syntax') : null;
};

/** `raise a, b` is Python 2; a cause needs an exception. */
export const raiseIsLegal: Rule = (node) => {
  const [exception] = partsOf(node).filter((part) => part.field !== 'cause');
  const hasCause = childIn(node, 'cause') !== null;
  return exception?.kind === 'expression_list' || (hasCause && exception === undefined)
    ? faultAt(node, 'invalid syntax')
    : null;
};

/** At least one handler or `finally`; `else` after handlers; a bare `except` last; no mixing with `except*`. */
export const tryIsLegal: Rule = (node) => {
  const clauses = node.children.filter((child) => child.kind === 'except_clause');
  const hasFinally = node.children.some((child) => child.kind === 'finally_clause');
  const elseClause = node.children.find((child) => child.kind === 'else_clause');
  if (clauses.length === 0 && !hasFinally) return faultAt(node, "expected 'except' or 'finally' block");
  if (clauses.length === 0 && elseClause !== undefined) return faultAt(elseClause, "expected 'except' block");
  const stars = clauses.filter((clause) => hasToken(clause, '*'));
  const odd = clauses.find((clause) => hasToken(clause, '*') !== hasToken(clauses[0] ?? clause, '*'));
  if (stars.length > 0 && odd !== undefined) return faultAt(odd, "cannot have both 'except' and 'except*'");
  const bare = clauses.slice(0, -1).find((clause) => childIn(clause, 'value') === null);
  return bare === undefined ? null : faultAt(bare, "default 'except:' must be last");
};

/** Several exceptions without parentheses have no name; `except*` needs one exception at least. */
export const exceptIsLegal: Rule = (node) => {
  const values = node.children.filter((child) => child.field === 'value');
  if (hasToken(node, '*') && values.length === 0)
    return faultAt(node, 'expected one or more exception types');
  const alias = childIn(node, 'alias');
  if (alias !== null && alias.kind !== 'identifier') return faultAt(node, 'cannot use this as a target');
  return values.length > 1 && values.some((value) => value.kind === 'as_pattern')
    ? faultAt(node, "multiple exception types must be parenthesized when using 'as'")
    : null;
};

/** A comma at the end of the items only in parentheses. */
export const withIsLegal: Rule = (node) =>
  node.children.at(-1)?.kind === ',' ? faultAt(node, 'invalid syntax') : null;

/** Every block has a statement. */
export const blockIsNotEmpty: Rule = (node, around) => {
  const parent = parentIn(around);
  return partsOf(node).length === 0 && parent?.kind !== 'module'
    ? faultAt(node, 'expected an indented block')
    : null;
};

function isDocstring(statement: PyNode, text: string): boolean {
  const [only] = statement.kind === 'expression_statement' ? partsOf(statement) : [];
  if (only === undefined || !/string$/.test(only.kind)) return false;
  const strings = only.kind === 'concatenated_string' ? partsOf(only) : [only];
  return strings.every((string) => {
    const { bytes, parts } = prefixOf(string, text);
    return !bytes && parts === null;
  });
}
