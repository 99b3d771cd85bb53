/** Compares two blocks: pairs their statements, and says which of the unpaired ones are values that came or went. */

import { childIn, type PyNode, partsOf } from '../domain/python-syntax.ts';
import { type AlignedPair, align } from './align.ts';
import { diffImports } from './diff-imports.ts';
import { type Outcome, SAME, together } from './diff-outcome.ts';
import { mayStand, type Pair, type Scope } from './diff-value.ts';
import { diffSettings, type Loose, settingOf } from './loose-settings.ts';
import type { PyFile } from './normal-form.ts';
import { isImport, statementsIn } from './statements.ts';

/** Two blocks: the module, or the body of the same statement. */
export function diffBlock(base: PyNode, head: PyNode, scope: Scope, files: Pair): Outcome {
  const pairs = alignUnits(unitsOf(base), unitsOf(head), files);
  const loose: Loose[] = [];
  const outcome = together(
    pairs.keys().map((at) => {
      const { base: left, head: right } = pairs[at] ?? { base: null, head: null };
      if (left?.kind === 'imports' || right?.kind === 'imports')
        return diffImports(importsIn(left), importsIn(right), files);
      if (left !== null && right !== null) return files.statement(left.node, right.node);
      if (left !== null) return unpaired(left.node, 'base', placeAfter(pairs, at, head), scope, files, loose);
      return right === null ? SAME : unpaired(right.node, 'head', right.node, scope, files, loose);
    }),
  );
  return outcome.kind === 'structural' ? outcome : together([outcome, diffSettings(loose, files)]);
}

// A setting is kept for later: what went here may have come elsewhere.
function unpaired(
  node: PyNode,
  side: 'base' | 'head',
  place: PyNode,
  scope: Scope,
  files: Pair,
  loose: Loose[],
): Outcome {
  const setting = settingOf(node, scope, files[side]);
  if (setting === null || !mayStand(setting.value, 'data', files[side]))
    return { kind: 'structural', side, node };
  loose.push({ ...setting, side, node, place });
  return SAME;
}

// Most statements of two versions are the same text; what they mean is worked out for the others only.
function alignUnits(
  before: readonly Unit[],
  after: readonly Unit[],
  files: Pair,
): readonly AlignedPair<Unit>[] {
  const forms = { base: memory(files.base, unitForm), head: memory(files.head, unitForm) };
  const keys = { base: memory(files.base, unitKey), head: memory(files.head, unitKey) };
  const isEqual = (left: Unit, right: Unit): boolean =>
    unitSource(left, files.base) === unitSource(right, files.head) || forms.base(left) === forms.head(right);
  const likeness = (left: Unit, right: Unit): number =>
    keys.base(left) === keys.head(right) ? (forms.base(left) === forms.head(right) ? 3 : 2) : 0;
  return align(before, after, likeness, isEqual);
}

function memory(file: PyFile, compute: (unit: Unit, file: PyFile) => string): (unit: Unit) => string {
  const known = new Map<Unit, string>();
  return (unit) => {
    const found = known.get(unit) ?? compute(unit, file);
    known.set(unit, found);
    return found;
  };
}

function importsIn(unit: Unit | null): readonly PyNode[] {
  return unit?.kind === 'imports' ? unit.nodes : [];
}

// Where in the head something is missing: at what stands there now, or at the last statement.
function placeAfter(pairs: readonly AlignedPair<Unit>[], at: number, block: PyNode): PyNode {
  const next =
    pairs.slice(at).find((pair) => pair.head !== null) ?? pairs.findLast((pair) => pair.head !== null);
  const unit = next?.head;
  if (unit === undefined || unit === null) return block;
  return unit.kind === 'imports' ? unit.nodes[0] : unit.node;
}

/** The unit as it stands in the file. */
function unitSource(unit: Unit, file: PyFile): string {
  return unit.kind === 'imports' ? unit.nodes.map(file.source).join('\n') : file.source(unit.node);
}

/** Equal for units that say the same. */
function unitForm(unit: Unit, file: PyFile): string {
  return unit.kind === 'imports'
    ? `imports ${unit.nodes.map(file.normal).sort().join(';')}`
    : file.normal(unit.node);
}

/** Equal for units that may be two versions of one: the same target, callee, function name, or kind of statement. */
function unitKey(unit: Unit, file: PyFile): string {
  return unit.kind === 'imports' ? 'imports' : statementKey(unit.node, file);
}

function statementKey(node: PyNode, file: PyFile): string {
  switch (node.kind) {
    case 'expression_statement': {
      const [only] = partsOf(node);
      return only === undefined ? node.kind : expressionKey(only, file);
    }
    case 'decorated_definition': {
      const definition = childIn(node, 'definition');
      return definition === null ? node.kind : statementKey(definition, file);
    }
    case 'function_definition':
    case 'class_definition': {
      const name = childIn(node, 'name');
      return `${node.kind} ${name === null ? '' : file.normal(name)}`;
    }
    default:
      return node.kind;
  }
}

function expressionKey(node: PyNode, file: PyFile): string {
  if (node.kind === 'assignment' || node.kind === 'augmented_assignment') {
    const target = childIn(node, 'left');
    return `${node.kind} ${target === null ? '' : file.normal(target)}`;
  }
  const callee = node.kind === 'call' ? childIn(node, 'function') : null;
  return callee === null ? node.kind : `call ${calleeKey(callee, file)}`;
}

// In `build(a=1).run()` the value inside the callee may have changed.
function calleeKey(callee: PyNode, file: PyFile): string {
  if (callee.kind === 'attribute') {
    const object = childIn(callee, 'object');
    const attribute = childIn(callee, 'attribute');
    if (object !== null && attribute !== null) return `${calleeKey(object, file)}.${file.source(attribute)}`;
  }
  const inner = callee.kind === 'call' ? childIn(callee, 'function') : null;
  return inner === null ? file.normal(callee) : `${calleeKey(inner, file)}()`;
}

type Unit =
  | { readonly kind: 'statement'; readonly node: PyNode }
  | { readonly kind: 'imports'; readonly nodes: readonly [PyNode, ...PyNode[]] };

/** The units of a block in the order of the file. */
function unitsOf(block: PyNode): readonly Unit[] {
  const units: Unit[] = [];
  for (const node of statementsIn(block)) {
    const last = units.at(-1);
    if (!isImport(node)) units.push({ kind: 'statement', node });
    else if (last?.kind === 'imports')
      units[units.length - 1] = { kind: 'imports', nodes: [...last.nodes, node] };
    else units.push({ kind: 'imports', nodes: [node] });
  }
  return units;
}
