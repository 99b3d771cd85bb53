/** What patterns a match statement may have (PEP 634; CPython's compiler, `compiler_pattern`). */

import { type PyNode, partsOf } from '../../../domain/python-syntax.ts';
import { nameOf } from '../delta/normal-form.ts';
import { normalString, prefixOf } from '../delta/normal-string.ts';
import { numberValue } from '../delta/number-value.ts';
import { faultAt, firstFault, hasToken, type PySyntaxError, type Rule } from './fault.ts';

/** A pattern that takes everything comes last. */
export const matchIsLegal: Rule = (node, { text }) => {
  const clauses = (node.children.find((child) => child.field === 'body')?.children ?? []).filter(
    (child) => child.kind === 'case_clause',
  );
  if (clauses.length === 0) return faultAt(node, "expected 'case'");
  const early = clauses.slice(0, -1).find((clause) => {
    const patterns = clause.children.filter((child) => child.kind === 'case_pattern');
    const isGuarded = clause.children.some((child) => child.kind === 'if_clause');
    const [only] = patterns;
    return (
      !isGuarded &&
      patterns.length === 1 &&
      !hasToken(clause, ',') &&
      only !== undefined &&
      takesAll(only, text)
    );
  });
  return early === undefined ? null : faultAt(early, 'this pattern makes remaining patterns unreachable');
};

/** The patterns of one case: names bound once, alternatives alike, stars where they may stand. */
export const caseIsLegal: Rule = (node, { text }) => {
  const patterns = node.children.filter((child) => child.kind === 'case_pattern');
  const isOpenSequence = patterns.length > 1 || hasToken(node, ',');
  const loneStar = patterns.find((pattern) => innermost(pattern).kind === 'splat_pattern');
  if (loneStar !== undefined && !isOpenSequence) return faultAt(loneStar, 'invalid syntax');
  const seen = new Set<string>();
  return (
    starsError(node, patterns, text) ??
    firstFault(patterns.values().map((pattern) => patternError(pattern, seen, text)))
  );
};

function patternError(outer: PyNode, seen: Set<string>, text: string): PySyntaxError | null {
  const node = innermost(outer);
  const inside = (parts: readonly PyNode[]): PySyntaxError | null =>
    firstFault(parts.values().map((part) => patternError(part, seen, text)));
  switch (node.kind) {
    case 'dotted_name':
      return partsOf(node).length === 1 ? bind(node, seen, text) : null;
    case 'splat_pattern':
      return bind(partsOf(node)[0] ?? null, seen, text);
    case 'as_pattern': {
      const [pattern, name] = partsOf(node);
      if (pattern === undefined || name === undefined) return faultAt(node, 'invalid syntax');
      // `1 as a as b` needs parentheses.
      const inner = innermost(pattern);
      if (inner.kind === 'as_pattern' && inner.start === pattern.start)
        return faultAt(node, 'invalid syntax');
      if (nameOf(name, text) === '_') return faultAt(node, "cannot use '_' as a target");
      return inside([pattern]) ?? bind(name, seen, text);
    }
    case 'union_pattern':
      return unionError(node, seen, text);
    case 'list_pattern':
    case 'tuple_pattern':
      return starsError(node, partsOf(node), text) ?? inside(partsOf(node));
    case 'dict_pattern':
      return mappingError(node, text) ?? inside(partsOf(node).filter((part) => part.field !== 'key'));
    case 'class_pattern':
      return classError(node, text) ?? inside(partsOf(node).slice(1).flatMap(valuePattern));
    case 'keyword_pattern':
      return faultAt(node, 'invalid syntax');
    case 'string':
    case 'concatenated_string':
      return isTemplate(node, text)
        ? faultAt(node, 'patterns may only match literals and attribute lookups')
        : null;
    case 'complex_pattern':
      return /j\s*$/i.test(text.slice(node.start, node.end))
        ? realError(node, text)
        : faultAt(node, 'imaginary number required');
    default:
      return null;
  }
}

function realError(node: PyNode, text: string): PySyntaxError | null {
  const [real] = partsOf(node);
  return real !== undefined && /j$/i.test(text.slice(real.start, real.end))
    ? faultAt(node, 'real number required in complex literal')
    : null;
}

function bind(name: PyNode | null, seen: Set<string>, text: string): PySyntaxError | null {
  if (name === null) return null;
  const spelled = nameOf(name, text);
  if (spelled === '_') return null;
  if (spelled === '__debug__') return faultAt(name, 'cannot assign to __debug__');
  if (seen.has(spelled)) return faultAt(name, `multiple assignments to name '${spelled}' in pattern`);
  seen.add(spelled);
  return null;
}

// Every alternative binds the same names, and only the last may take everything.
function unionError(node: PyNode, seen: Set<string>, text: string): PySyntaxError | null {
  const alternatives = alternativesOf(node);
  const early = alternatives.slice(0, -1).find((part) => takesAll(part, text));
  if (early !== undefined) return faultAt(early, 'this alternative makes remaining patterns unreachable');
  let first: ReadonlySet<string> | null = null;
  for (const part of alternatives) {
    const own = new Set<string>();
    const fault = patternError(part, own, text);
    if (fault !== null) return fault;
    if (first !== null && (own.size !== first.size || ![...own].every((name) => first?.has(name))))
      return faultAt(node, 'alternative patterns bind different names');
    first = own;
  }
  for (const name of first ?? []) {
    if (seen.has(name)) return faultAt(node, `multiple assignments to name '${name}' in pattern`);
    seen.add(name);
  }
  return null;
}

function alternativesOf(node: PyNode): readonly PyNode[] {
  return node.children
    .filter((child) => child.isNamed || child.kind === '_')
    .flatMap((part) => (part.kind === 'union_pattern' ? alternativesOf(part) : [part]));
}

function starsError(node: PyNode, parts: readonly PyNode[], text: string): PySyntaxError | null {
  const stars = parts.map(innermost).filter((part) => part.kind === 'splat_pattern');
  if (stars.some((star) => text.startsWith('**', star.start))) return faultAt(node, 'invalid syntax');
  if (stars.length > 1) return faultAt(node, 'multiple starred expressions in sequence pattern');
  const isGrouping = node.kind === 'tuple_pattern' && parts.length === 1 && !hasToken(node, ',');
  const isGrouped = parts.some(
    (part) => innermost(part).kind === 'splat_pattern' && text[part.start] === '(',
  );
  return isGrouped || (isGrouping && stars.length === 1) ? faultAt(node, 'invalid syntax') : null;
}

function mappingError(node: PyNode, text: string): PySyntaxError | null {
  const parts = partsOf(node);
  const rest = parts.findIndex((part) => part.kind === 'splat_pattern');
  if (rest !== -1) {
    const star = parts[rest];
    const name = star === undefined ? undefined : partsOf(star)[0];
    const isRest = star !== undefined && text.startsWith('**', star.start) && rest === parts.length - 1;
    if (!isRest || name === undefined || nameOf(name, text) === '_') return faultAt(node, 'invalid syntax');
  }
  const keys = parts.filter((part) => part.field === 'key');
  const plain = keys.find((key) => key.kind === 'dotted_name' && partsOf(key).length === 1);
  const allowed =
    /^(?:dotted_name|string|concatenated_string|integer|float|true|false|none|complex_pattern)$/;
  const odd = keys.find(
    (key) => !allowed.test(key.kind) || (/string/.test(key.kind) && isTemplate(key, text)),
  );
  if (plain !== undefined || odd !== undefined)
    return faultAt(node, 'mapping pattern keys may only match literals and attribute lookups');
  const literals = keys.filter((key) => key.kind !== 'dotted_name').map((key) => literalValue(key, text));
  return new Set(literals).size === literals.length
    ? null
    : faultAt(node, 'mapping pattern checks duplicate key');
}

function classError(node: PyNode, text: string): PySyntaxError | null {
  const names = new Set<string>();
  for (const part of partsOf(node).slice(1)) {
    const inner = innermost(part);
    if (inner.kind === 'splat_pattern') return faultAt(part, 'invalid syntax');
    if (inner.kind !== 'keyword_pattern') {
      if (names.size > 0) return faultAt(part, 'positional patterns follow keyword patterns');
      continue;
    }
    const name = partsOf(inner)[0];
    const spelled = name === undefined ? '' : nameOf(name, text);
    if (names.has(spelled)) return faultAt(part, `attribute name repeated in class pattern: ${spelled}`);
    names.add(spelled);
  }
  return null;
}

// What stands behind the keyword; a `_` there is no named node and binds nothing.
function valuePattern(outer: PyNode): readonly PyNode[] {
  const node = innermost(outer);
  return node.kind === 'keyword_pattern' ? partsOf(node).slice(1) : [outer];
}

function takesAll(outer: PyNode, text: string): boolean {
  const node = innermost(outer);
  if (node.kind === 'case_pattern') return text.slice(node.start, node.end).trim() === '_';
  if (node.kind === 'dotted_name') return partsOf(node).length === 1;
  if (node.kind === 'as_pattern') return takesAll(partsOf(node)[0] ?? node, text);
  if (node.kind === 'union_pattern') return alternativesOf(node).some((part) => takesAll(part, text));
  if (node.kind === '_') return true;
  return false;
}

// Through `case_pattern` wrappers and grouping parentheses.
function innermost(node: PyNode): PyNode {
  const parts = partsOf(node);
  const [only] = parts;
  const isGrouping = node.kind === 'tuple_pattern' && parts.length === 1 && !hasToken(node, ',');
  return (node.kind === 'case_pattern' || isGrouping) &&
    parts.length === 1 &&
    only !== undefined &&
    !hasToken(node, '-')
    ? innermost(only)
    : node;
}

function isTemplate(node: PyNode, text: string): boolean {
  const strings = node.kind === 'concatenated_string' ? partsOf(node) : [node];
  return strings.some((string) => prefixOf(string, text).parts !== null);
}

// Equal for keys that are equal to Python, which takes `1`, `1.0` and `True` for one key.
function literalValue(key: PyNode, text: string): string {
  const source = text.slice(key.start, key.end).replace(/\s+/g, '');
  if (/string$/.test(key.kind)) return normalString(key, text, () => '');
  if (key.kind === 'true' || key.kind === 'false') return key.kind === 'true' ? 'number:1' : 'number:0';
  const [sign, digits] = source.startsWith('-') ? ['-', source.slice(1)] : ['', source];
  if (!/^(?:\d|\.\d)[\w.]*$/.test(digits)) return source;
  const [type, magnitude = ''] = numberValue(digits).split(':');
  return type === 'imag' ? source : `number:${magnitude === '0' ? '' : sign}${magnitude}`;
}
