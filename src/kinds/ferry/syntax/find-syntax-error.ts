/**
 * Whether CPython 3.14 would compile a file, and if not, where and why. tree-sitter is built to read half-written
 * text, so it takes much that compile() refuses; the rules here close that gap, each for one kind of node.
 */

import type { PyNode, PySyntax } from '../../../domain/python-syntax.ts';
import { argumentsAreLegal, callIsLegal, commasAreLegal } from './arguments.ts';
import { encodingError } from './encoding.ts';
import {
  clauseIsLegal,
  comparisonIsLegal,
  comprehensionIsLegal,
  conditionIsLegal,
  expansionIsLegal,
  operandsAreLegal,
  starIsLegal,
  tupleIsLegal,
} from './expressions.ts';
import { faultAt, type PySyntaxError, type Rule } from './fault.ts';
import { layoutError } from './layout.ts';
import { debugIsNotBound, nameIsNoKeyword } from './names.ts';
import { numberIsLegal } from './numbers.ts';
import { boundIsLegal, parametersAreLegal, typeAliasIsLegal, typeParametersAreLegal } from './parameters.ts';
import { caseIsLegal, matchIsLegal } from './patterns.ts';
import {
  asyncClauseIsLegal,
  asyncStatementIsLegal,
  awaitIsLegal,
  loopExitIsLegal,
  returnIsLegal,
  yieldIsLegal,
} from './places.ts';
import { declarationsAreLegal } from './scopes.ts';
import {
  assertIsLegal,
  blockIsNotEmpty,
  exceptIsLegal,
  execIsLegal,
  futureIsLegal,
  importIsLegal,
  printIsLegal,
  raiseIsLegal,
  tryIsLegal,
  withIsLegal,
} from './statement-rules.ts';
import { interpolationIsLegal, joinIsLegal, specifierIsLegal, stringIsLegal } from './strings.ts';
import {
  asIsLegal,
  assignmentIsLegal,
  augmentedIsLegal,
  deletionIsLegal,
  loopTargetIsLegal,
  walrusIsLegal,
} from './targets.ts';

/** The first error of a parsed text, or null: layout first, then what the parser skipped, then the rules in order of the file. */
export function findSyntaxError(syntax: PySyntax): PySyntaxError | null {
  if (syntax.refusal !== null) return syntax.refusal;
  return (
    encodingError(syntax.text) ??
    skippedText(syntax.root) ??
    layoutError(syntax) ??
    brokenRule(syntax.root, syntax.text, []) ??
    (syntax.hasErrors ? { line: 1, message: 'invalid syntax' } : null)
  );
}

const RULES: ReadonlyMap<string, readonly Rule[]> = new Map<string, readonly Rule[]>([
  ['argument_list', [commasAreLegal, argumentsAreLegal]],
  ['as_pattern', [asIsLegal]],
  ['assert_statement', [assertIsLegal]],
  ['assignment', [assignmentIsLegal]],
  ['augmented_assignment', [augmentedIsLegal]],
  ['await', [awaitIsLegal]],
  ['block', [blockIsNotEmpty]],
  ['boolean_operator', [operandsAreLegal]],
  ['break_statement', [loopExitIsLegal]],
  ['call', [callIsLegal]],
  ['case_clause', [caseIsLegal]],
  ['class_definition', [declarationsAreLegal]],
  ['comparison_operator', [comparisonIsLegal]],
  ['concatenated_string', [joinIsLegal]],
  ['constrained_type', [boundIsLegal]],
  ['conditional_expression', [operandsAreLegal]],
  ['continue_statement', [loopExitIsLegal]],
  ['delete_statement', [deletionIsLegal]],
  ['dictionary', [commasAreLegal]],
  ['dictionary_comprehension', [comprehensionIsLegal]],
  ['dictionary_splat', [expansionIsLegal]],
  ['except_clause', [exceptIsLegal]],
  ['exec_statement', [execIsLegal]],
  ['float', [numberIsLegal]],
  ['for_in_clause', [loopTargetIsLegal, clauseIsLegal, asyncClauseIsLegal]],
  ['for_statement', [loopTargetIsLegal, asyncStatementIsLegal]],
  ['format_expression', [interpolationIsLegal]],
  ['format_specifier', [specifierIsLegal]],
  ['function_definition', [declarationsAreLegal]],
  ['future_import_statement', [importIsLegal, futureIsLegal]],
  ['generator_expression', [comprehensionIsLegal]],
  ['identifier', [nameIsNoKeyword, debugIsNotBound]],
  ['if_clause', [conditionIsLegal]],
  ['import_from_statement', [importIsLegal]],
  ['import_statement', [importIsLegal]],
  ['integer', [numberIsLegal]],
  ['interpolation', [interpolationIsLegal]],
  ['lambda_parameters', [parametersAreLegal]],
  ['list_comprehension', [comprehensionIsLegal]],
  ['list_splat', [starIsLegal]],
  ['match_statement', [matchIsLegal]],
  ['module', [declarationsAreLegal]],
  ['named_expression', [walrusIsLegal]],
  ['not_operator', [operandsAreLegal]],
  ['parameters', [parametersAreLegal]],
  ['print_statement', [printIsLegal]],
  ['raise_statement', [raiseIsLegal]],
  ['return_statement', [returnIsLegal]],
  ['set_comprehension', [comprehensionIsLegal]],
  ['splat_type', [starIsLegal]],
  ['string', [stringIsLegal]],
  ['try_statement', [tryIsLegal]],
  ['tuple', [tupleIsLegal]],
  ['type_alias_statement', [typeAliasIsLegal]],
  ['type_parameter', [typeParametersAreLegal]],
  ['with_clause', [withIsLegal]],
  ['with_statement', [asyncStatementIsLegal]],
  ['yield', [yieldIsLegal]],
]);

const NO_RULES: readonly Rule[] = [];

function skippedText(node: PyNode): PySyntaxError | null {
  if (node.isError || node.isMissing) return faultAt(node, 'invalid syntax');
  for (const child of node.children) {
    const error = skippedText(child);
    if (error !== null) return error;
  }
  return null;
}

// `ancestors` grows and shrinks with the walk; rules only look at it.
function brokenRule(node: PyNode, text: string, ancestors: PyNode[]): PySyntaxError | null {
  if (node.isNamed)
    for (const rule of RULES.get(node.kind) ?? NO_RULES) {
      const error = rule(node, { text, ancestors });
      if (error !== null) return error;
    }
  if (node.children.length === 0) return null;
  ancestors.push(node);
  for (const child of node.children) {
    const error = brokenRule(child, text, ancestors);
    if (error !== null) return error;
  }
  ancestors.pop();
  return null;
}
