/**
 * Every regular expression of the source, read from its syntax trees: literals, and `new RegExp` with
 * constant parts.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '../..');

/** `source` is null if the pattern comes from outside, for example from a config. */
export type SourcePattern = { readonly place: string; readonly source: string | null; readonly flags: string };

/** All patterns of `src`, with places as `file:line`. */
export function listSourcePatterns(): readonly SourcePattern[] {
  return readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .toSorted()
    .flatMap((file) => listPatterns(`src/${file}`));
}

function listPatterns(file: string): readonly SourcePattern[] {
  const tree = parseSource(file);
  const found: SourcePattern[] = [];
  const visit = (node: ts.Node): void => {
    const place = `${file}:${tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1}`;
    if (ts.isRegularExpressionLiteral(node)) found.push({ place, ...splitLiteral(node.text) });
    else if (ts.isNewExpression(node) && node.expression.getText(tree) === 'RegExp') {
      const [pattern, flags] = node.arguments ?? [];
      found.push({
        place,
        source: pattern === undefined ? null : patternText(pattern, file, tree),
        flags: flags === undefined ? '' : (patternText(flags, file, tree) ?? ''),
      });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

const trees = new Map<string, ts.SourceFile>();

function parseSource(file: string): ts.SourceFile {
  const known = trees.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(join(ROOT, file), 'utf8');
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true);
  trees.set(file, tree);
  return tree;
}

function splitLiteral(literal: string): { readonly source: string; readonly flags: string } {
  const end = literal.lastIndexOf('/');
  return { source: literal.slice(1, end), flags: literal.slice(end + 1) };
}

// Replaces a part that is only known at run time: a number, a word.
const SAMPLE = 'E7';

/** The text of a constant expression; null if it comes entirely from outside. */
function patternText(node: ts.Expression, file: string, tree: ts.SourceFile): string | null {
  if (ts.isStringLiteral(node)) return node.text;
  if (ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (ts.isRegularExpressionLiteral(node)) return splitLiteral(node.text).source;
  if (ts.isTemplateExpression(node))
    return node.templateSpans.reduce(
      (text, span) => text + (patternText(span.expression, file, tree) ?? SAMPLE) + span.literal.text,
      node.head.text,
    );
  if (ts.isTaggedTemplateExpression(node)) return templateText(node.template, file, tree);
  if (ts.isBinaryExpression(node))
    return `${patternText(node.left, file, tree) ?? SAMPLE}${patternText(node.right, file, tree) ?? SAMPLE}`;
  if (ts.isPropertyAccessExpression(node)) return patternText(node.expression, file, tree);
  if (ts.isIdentifier(node)) return resolveConstant(node.text, file, tree);
  return null;
}

function templateText(template: ts.TemplateLiteral, file: string, tree: ts.SourceFile): string {
  if (ts.isNoSubstitutionTemplateLiteral(template)) return template.rawText ?? template.text;
  return template.templateSpans.reduce(
    (text, { expression, literal }) =>
      text + (patternText(expression, file, tree) ?? SAMPLE) + (literal.rawText ?? literal.text),
    template.head.rawText ?? template.head.text,
  );
}

/** A top-level constant of the file, or one imported from another file of ours. */
function resolveConstant(name: string, file: string, tree: ts.SourceFile): string | null {
  for (const statement of tree.statements) {
    if (ts.isVariableStatement(statement))
      for (const { name: its, initializer } of statement.declarationList.declarations)
        if (its.getText(tree) === name && initializer !== undefined) return patternText(initializer, file, tree);
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
    const { text } = statement.moduleSpecifier;
    const bindings = statement.importClause?.namedBindings;
    if (!text.startsWith('.') || bindings === undefined || !ts.isNamedImports(bindings)) continue;
    if (!bindings.elements.some((element) => element.name.text === name)) continue;
    const from = resolve('/', file, '..', text).slice(1);
    return resolveConstant(name, from, parseSource(from));
  }
  return null;
}
