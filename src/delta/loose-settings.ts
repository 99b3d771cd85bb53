/** Assignments that stand on one side only: a constant that came, went or moved, an attribute that is set or no longer set. */

import { childIn, type PyNode, partsOf } from '../domain/python-syntax.ts';
import { changed, type Outcome, together } from './diff-outcome.ts';
import { diffValue, type Pair, type Scope } from './diff-value.ts';
import { targetOf } from './knob-path.ts';
import { nameOf, type PyFile, ungrouped } from './normal-form.ts';

export type Setting = {
  readonly path: string;
  /** `name`: its place in the block means nothing if it is set once; `place`: when it happens is what it does. */
  readonly kind: 'name' | 'place';
  readonly value: PyNode;
};

/** A setting without a partner. `place` is where in the head a person would look for it. */
export type Loose = Setting & {
  readonly side: 'base' | 'head';
  readonly node: PyNode;
  readonly place: PyNode;
};

/** The setting that a statement is: one target, one value; null for everything else, local variables included. */
export function settingOf(statement: PyNode, scope: Scope, file: PyFile): Setting | null {
  if (statement.kind !== 'expression_statement') return null;
  const [assignment, ...more] = partsOf(statement);
  if (assignment?.kind !== 'assignment' || more.length > 0) return null;
  const left = childIn(assignment, 'left');
  const value = childIn(assignment, 'right');
  if (left === null || value === null || value.kind === 'assignment') return null;
  const target = ungrouped(left);
  const { path } = targetOf(target, file);
  if (target.kind === 'identifier') return scope === 'inner' ? null : { path, kind: 'name', value };
  return target.kind === 'attribute' || target.kind === 'subscript' ? { path, kind: 'place', value } : null;
}

/** Settings of one block: what is on both sides has moved, the rest came or went. */
export function diffSettings(loose: readonly Loose[], files: Pair): Outcome {
  const paths = [...new Set(loose.map((setting) => setting.path))];
  return together(
    paths.values().map((path) => {
      const gone = loose.filter((setting) => setting.path === path && setting.side === 'base');
      const come = loose.filter((setting) => setting.path === path && setting.side === 'head');
      const [old] = gone;
      const [now] = come;
      if (old !== undefined && now !== undefined)
        return diffMoved(old, now, gone.length + come.length === 2, files);
      return together([
        ...gone.map((setting) => changed(setting.value, null, setting.place)),
        ...come.map((setting) => changed(null, setting.value, setting.node)),
      ]);
    }),
  );
}

function diffMoved(old: Loose, now: Loose, isOnlyPair: boolean, files: Pair): Outcome {
  const isLayout = isOnlyPair && now.kind === 'name' && isFixed(old, files.base) && isFixed(now, files.head);
  return isLayout
    ? diffValue(old.value, now.value, 'data', files)
    : { kind: 'structural', side: 'head', node: now.node };
}

// Set once, from literals and names that are set once, above it, and used below it only: it is the same wherever it
// stands. What is looked up or called may be another value elsewhere.
function isFixed({ path: name, value, node }: Setting & { readonly node: PyNode }, file: PyFile): boolean {
  const isLiteral = (part: PyNode): boolean => {
    if (part.kind === 'call' || part.kind === 'attribute' || part.kind === 'subscript') return false;
    if (part.kind === 'identifier') {
      const [bound, ...more] = bindingsOf(nameOf(part, file.syntax.text), file);
      if (bound === undefined || more.length > 0 || bound.start > node.start) return false;
    }
    return part.children.every(isLiteral);
  };
  return bindingsOf(name, file).length === 1 && isLiteral(value) && !isUsedBefore(name, node, file);
}

const BINDING_FIELDS: ReadonlySet<string> = new Set(['left', 'name', 'alias']);

// Where a name is bound anywhere in the file; a name that a function declares global is bound once more.
function bindingsOf(name: string, file: PyFile): readonly PyNode[] {
  const text = file.syntax.text;
  const found: PyNode[] = [];
  const visit = (node: PyNode, isBinding: boolean): void => {
    // Nobody knows what it binds.
    if (node.kind === 'wildcard_import') found.push(node);
    if (node.kind === 'identifier' && isBinding && nameOf(node, text) === name) found.push(node);
    for (const child of node.children)
      visit(child, binds(node, child, isBinding) || (isBinding && node.kind === 'dotted_name'));
  };
  visit(file.syntax.root, false);
  return found;
}

function binds(node: PyNode, child: PyNode, isBinding: boolean): boolean {
  if (node.kind === 'keyword_argument' || node.kind === 'call') return false;
  if (/^(?:global_statement|as_pattern_target|delete_statement)$/.test(node.kind)) return true;
  if (child.field === null) return isBinding && node.kind.includes('pattern');
  return BINDING_FIELDS.has(child.field) && !node.kind.endsWith('_operator');
}

function isUsedBefore(name: string, setting: PyNode, file: PyFile): boolean {
  const visit = (node: PyNode): boolean =>
    node.start < setting.start &&
    (node.kind === 'identifier' ? nameOf(node, file.syntax.text) === name : node.children.some(visit));
  return visit(file.syntax.root);
}
