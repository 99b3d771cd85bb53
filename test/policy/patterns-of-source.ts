/**
 * Every regular expression of the source, read from its syntax trees: literals, and `new RegExp` with
 * constant parts.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '../..');

/** `source` is null if the pattern comes from outside, for example from a config. */
export type SourcePattern = {
  readonly place: string;
  readonly source: string | null;
  readonly flags: string;
};

/** All patterns of `src`, with places as `file:line`. */
export function patternsOfSource(): readonly SourcePattern[] {
  return readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .toSorted()
    .flatMap((file) => patternsOf(`src/${file}`));
}

function patternsOf(file: string): readonly SourcePattern[] {
  const tree = treeOf(file);
  const found: SourcePattern[] = [];
  const visit = (node: ts.Node): void => {
    const place = `${file}:${tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1}`;
    if (ts.isRegularExpressionLiteral(node)) found.push({ place, ...partsOf(node.text) });
    else if (ts.isNewExpression(node) && node.expression.getText(tree) === 'RegExp') {
      const [pattern, flags] = node.arguments ?? [];
      found.push({
        place,
        source: pattern === undefined ? null : textOf(pattern, file, tree),
        flags: flags === undefined ? '' : (textOf(flags, file, tree) ?? ''),
      });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

const trees = new Map<string, ts.SourceFile>();

function treeOf(file: string): ts.SourceFile {
  const known = trees.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(join(ROOT, file), 'utf8');
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true);
  trees.set(file, tree);
  return tree;
}

function partsOf(literal: string): { readonly source: string; readonly flags: string } {
  const end = literal.lastIndexOf('/');
  return { source: literal.slice(1, end), flags: literal.slice(end + 1) };
}

// Replaces a part that is only known at run time: a number, a word.
const SAMPLE = 'E7';

/** The text of a constant expression; null if it comes entirely from outside. */
function textOf(node: ts.Expression, file: string, tree: ts.SourceFile): string | null {
  if (ts.isStringLiteral(node)) return node.text;
  if (ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (ts.isRegularExpressionLiteral(node)) return partsOf(node.text).source;
  if (ts.isTemplateExpression(node))
    return node.templateSpans.reduce(
      (text, span) => text + (textOf(span.expression, file, tree) ?? SAMPLE) + span.literal.text,
      node.head.text,
    );
  if (ts.isTaggedTemplateExpression(node)) return rawTextOf(node.template, file, tree);
  if (ts.isBinaryExpression(node))
    return `${textOf(node.left, file, tree) ?? SAMPLE}${textOf(node.right, file, tree) ?? SAMPLE}`;
  if (ts.isPropertyAccessExpression(node)) return textOf(node.expression, file, tree);
  if (ts.isIdentifier(node)) return constantOf(node.text, file, tree);
  return null;
}

function rawTextOf(template: ts.TemplateLiteral, file: string, tree: ts.SourceFile): string {
  if (ts.isNoSubstitutionTemplateLiteral(template)) return template.rawText ?? template.text;
  return template.templateSpans.reduce(
    (text, { expression, literal }) =>
      text + (textOf(expression, file, tree) ?? SAMPLE) + (literal.rawText ?? literal.text),
    template.head.rawText ?? template.head.text,
  );
}

/** A top-level constant of the file, or one imported from another file of ours. */
function constantOf(name: string, file: string, tree: ts.SourceFile): string | null {
  for (const statement of tree.statements) {
    if (ts.isVariableStatement(statement))
      for (const { name: its, initializer } of statement.declarationList.declarations)
        if (its.getText(tree) === name && initializer !== undefined) return textOf(initializer, file, tree);
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
    const { text } = statement.moduleSpecifier;
    const bindings = statement.importClause?.namedBindings;
    if (!text.startsWith('.') || bindings === undefined || !ts.isNamedImports(bindings)) continue;
    if (!bindings.elements.some((element) => element.name.text === name)) continue;
    const from = resolve('/', file, '..', text).slice(1);
    return constantOf(name, from, treeOf(from));
  }
  return null;
}
