/** Every regular expression of the source, read from its syntax trees: literals, and what `new RegExp` puts together from constants. */

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '../..');

/** `source` null: the pattern is not written down here but comes from outside, as a config's own. */
export type SourcePattern = {
  readonly place: string;
  readonly source: string | null;
  readonly flags: string;
};

/** All of `src`, the places as `file:line`. */
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

// Stands for a part that is only known when the program runs: a number, a word.
const SAMPLE = 'E7';

/** The text that an expression of constants makes; null where all of it comes from outside. */
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

/** A constant of the file's top level, or one that it imports from a file of ours. */
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
