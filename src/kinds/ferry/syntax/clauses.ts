/** The kinds of node that are a part of a compound statement with a block of its own. */

/** Clauses as tree-sitter-python names them: what follows the head of an `if`, `try` or `match`. */
export const CLAUSES: ReadonlySet<string> = new Set([
  'elif_clause',
  'else_clause',
  'except_clause',
  'finally_clause',
  'case_clause',
]);
