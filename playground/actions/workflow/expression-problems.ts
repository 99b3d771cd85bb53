/** Finds expressions in a workflow file that can never be evaluated, before a run trips over them. */

import { syntaxProblem } from '../expressions/evaluate.ts';
import { findExpressions } from '../expressions/find-expressions.ts';
import { availableAt } from './context-availability.ts';

/** One line per bad expression in the parsed YAML, with the place where it stands. */
export function expressionProblems(value: unknown, place = ''): string[] {
  if (typeof value === 'string') return problemsIn(value, place);
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => expressionProblems(item, `${place}[${index}]`));
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    expressionProblems(item, place === '' ? key : `${place}.${key}`),
  );
}

function problemsIn(text: string, place: string): string[] {
  const condition = /(?:^|\.)if$/.test(place);
  const found = findExpressions(text).flatMap((piece) => (piece.kind === 'expression' ? [piece.text] : []));
  const expressions = condition && found.length === 0 ? [text] : found;
  return expressions.flatMap((expression) => {
    const { contexts, functions } = availableAt(place);
    const problem = syntaxProblem(expression, contexts, functions);
    return problem === null ? [] : [`${place}: \`${expression}\`: ${problem}`];
  });
}
