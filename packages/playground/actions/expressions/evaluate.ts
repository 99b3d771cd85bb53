/** Evaluates GitHub's expression language over the contexts of a run, with GitHub's own evaluator. */

import { data, Evaluator, ExpressionError, ExpressionEvaluationError, Lexer, Parser } from '@actions/expressions';
import type { Json } from '../../world/json.ts';
import { WorkflowFault } from '../workflow/workflow-fault.ts';
import { fromData, toData } from './expression-data.ts';
import { findExpressions } from './find-expressions.ts';

/**
 * Contexts by name (docs: contexts reference). A context that is not available in a place is omitted and evaluates to
 * null.
 */
export const CONTEXTS = [
  'github',
  'env',
  'vars',
  'job',
  'jobs',
  'steps',
  'runner',
  'secrets',
  'strategy',
  'matrix',
  'needs',
  'inputs',
] as const;

type ContextName = (typeof CONTEXTS)[number];

/** The status so far, for `success()`, `failure()` and `cancelled()`. */
export type StatusSoFar = 'success' | 'failure' | 'cancelled' | 'skipped';

export type Scope = {
  readonly contexts: Readonly<Partial<Record<ContextName, Json>>>;
  readonly status: StatusSoFar;
  /**
   * For `cancelled()` inside a composite action: `status` describes the action's own steps, but a cancellation concerns
   * the job.
   */
  readonly isCancelled?: boolean;
  /** SHA-256 over the workspace files that the patterns match; null where there is no workspace. */
  readonly hashFiles: ((patterns: readonly string[]) => string) | null;
};

const STATUS_FUNCTIONS = ['success', 'failure', 'cancelled', 'always'] as const;

const EXTENSIONS = [
  ...STATUS_FUNCTIONS.map((name) => ({ name, minArgs: 0, maxArgs: 0 })),
  { name: 'hashFiles', minArgs: 1, maxArgs: 255 },
];

/** One expression without its `${{ }}`. Throws WorkflowFault with the reason when it is invalid. */
function evaluateExpression(expression: string, scope: Scope): Json {
  try {
    const parsed = new Parser(new Lexer(expression).lex().tokens, [...CONTEXTS], EXTENSIONS).parse();
    const contexts = new data.Dictionary();
    for (const name of CONTEXTS) contexts.add(name, toData(scope.contexts[name] ?? null));
    return fromData(new Evaluator(parsed, contexts, expressionFunctions(scope)).evaluate());
  } catch (error) {
    if (error instanceof WorkflowFault) throw error;
    throw new WorkflowFault(`The expression \`${expression}\` cannot be evaluated: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}

/** A text with every `${{ }}` replaced by its value as text. */
export function evaluateText(text: string, scope: Scope): string {
  return findExpressions(text)
    .map((piece) => (piece.kind === 'text' ? piece.text : jsonAsText(evaluateExpression(piece.text, scope))))
    .join('');
}

/** Like evaluateText, but a text that is one expression and nothing else keeps its type. */
export function evaluateValue(text: string, scope: Scope): Json {
  const pieces = findExpressions(text);
  const [only] = pieces;
  if (pieces.length === 1 && only?.kind === 'expression') return evaluateExpression(only.text, scope);
  return evaluateText(text, scope);
}

/**
 * An `if:` condition. Without a status function it also requires `success()`. Text around `${{ }}` makes the result a
 * non-empty string, which is true; GitHub has the same trap, so it is kept on purpose.
 */
export function evaluateCondition(condition: string | null, scope: Scope): boolean {
  if (condition === null || condition.trim() === '') return scope.status === 'success';
  const pieces = findExpressions(condition.trim());
  const [only] = pieces;
  const expressions = pieces.filter((piece) => piece.kind === 'expression').map((piece) => piece.text);
  const bare = expressions.length === 0;
  const parts = bare ? [condition] : expressions;
  if (scope.status !== 'success' && !parts.some(callsStatusFunction)) return false;
  if (bare) return isTrue(evaluateExpression(condition, scope));
  if (pieces.length === 1 && only !== undefined) return isTrue(evaluateExpression(only.text, scope));
  return evaluateText(condition, scope) !== '';
}

/** Whether a value counts as true: not false, 0, empty text or null. */
export function isTrue(value: Json): boolean {
  return value !== false && value !== 0 && value !== '' && value !== null && !Number.isNaN(value);
}

/** A value as text, by the evaluator's own coercion. */
export function jsonAsText(value: Json): string {
  return toData(value).coerceString();
}

function callsStatusFunction(expression: string): boolean {
  const withoutStrings = expression.replace(/'(?:[^']|'')*'/g, "''");
  return new RegExp(`(?<![\\w.-])(?:${STATUS_FUNCTIONS.join('|')})\\s*\\(`, 'i').test(withoutStrings);
}

type FunctionTable = NonNullable<ConstructorParameters<typeof Evaluator>[2]>;

function expressionFunctions(scope: Scope): FunctionTable {
  const table: FunctionTable = new Map();
  const answers = {
    success: scope.status === 'success',
    failure: scope.status === 'failure',
    cancelled: scope.isCancelled ?? scope.status === 'cancelled',
    always: true,
  };
  for (const name of STATUS_FUNCTIONS) {
    table.set(name, { name, minArgs: 0, maxArgs: 0, call: () => new data.BooleanData(answers[name]) });
  }
  table.set('hashfiles', {
    name: 'hashFiles',
    minArgs: 1,
    maxArgs: 255,
    call: (...patterns) => {
      if (scope.hashFiles === null) throw new WorkflowFault('hashFiles is only there inside a step');
      return new data.StringData(scope.hashFiles(patterns.map((pattern) => pattern.coerceString())));
    },
  });
  return table;
}

function errorMessage(error: unknown): string {
  if (error instanceof ExpressionError || error instanceof ExpressionEvaluationError) return error.message;
  if (error instanceof Error) return error.message;
  return String(error);
}
