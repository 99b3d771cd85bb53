/** Every place in a file where a value stands that may be a knob, with the path that names it. */

import { childIn, type PyNode, partsOf } from '../domain/python-syntax.ts';
import { innerCalls, shapeOf } from './expression-shape.ts';
import { calleePath, indexed, joined, keyOf, targetOf } from './knob-path.ts';
import { nameOf, type PyFile, ungrouped } from './normal-form.ts';
import { statementsIn } from './statements.ts';

/** A place for a value. `node` is the value as it stands; `isLeaf`: no smaller knob is inside. */
export type Slot = {
  readonly node: PyNode;
  /** E.g. `train.SimpleTrainConfig().learning_rate`, without the `#2` of a repeat. */
  readonly path: string;
  readonly knob: string;
  readonly isLeaf: boolean;
};

/** All slots in the order of the file, outer before inner (path grammar: src/delta/knob-path.ts). */
export function slotsOf(file: PyFile): readonly Slot[] {
  const walk: Walk = { file, text: file.syntax.text, slots: [] };
  visitBlock(file.syntax.root, '', walk);
  return walk.slots;
}

type Walk = { readonly file: PyFile; readonly text: string; readonly slots: Slot[] };

function visitBlock(block: PyNode, prefix: string, walk: Walk): void {
  for (const statement of statementsIn(block)) visitStatement(statement, prefix, walk);
}

function visitStatement(statement: PyNode, prefix: string, walk: Walk): void {
  switch (statement.kind) {
    case 'expression_statement':
      for (const part of partsOf(statement)) visitStatement(part, prefix, walk);
      return;
    case 'assignment':
    case 'augmented_assignment':
      visitAssignment(statement, prefix, walk);
      return;
    case 'function_definition':
    case 'class_definition':
      visitDefinition(statement, prefix, walk);
      return;
    case 'decorated_definition': {
      const definition = childIn(statement, 'definition');
      const name = definition === null ? null : childIn(definition, 'name');
      const path = name === null ? prefix : joined(prefix, nameOf(name, walk.text));
      for (const decorator of partsOf(statement).filter((part) => part.kind === 'decorator'))
        for (const part of partsOf(decorator)) visitExpression(part, path, '', walk);
      if (definition !== null) visitDefinition(definition, prefix, walk);
      return;
    }
    default:
      visitExpression(statement, prefix, '', walk);
  }
}

function visitDefinition(definition: PyNode, prefix: string, walk: Walk): void {
  const name = childIn(definition, 'name');
  const path = name === null ? prefix : joined(prefix, nameOf(name, walk.text));
  const parameters = childIn(definition, 'parameters');
  if (parameters !== null) visitParameters(parameters, path, walk);
  const superclasses = childIn(definition, 'superclasses');
  for (const part of superclasses === null ? [] : partsOf(superclasses))
    if (part.kind === 'keyword_argument') visitKeyword(part, path, walk);
    // What a class is made from is code; what is given to a call that makes it is not.
    else visitExpression(part, path, '', walk);
  const body = childIn(definition, 'body');
  if (body !== null) visitBlock(body, path, walk);
}

function visitParameters(parameters: PyNode, path: string, walk: Walk): void {
  for (const parameter of partsOf(parameters)) {
    const name = childIn(parameter, 'name');
    const value = childIn(parameter, 'value');
    if (name === null || value === null) continue;
    const knob = nameOf(name, walk.text);
    visitValue(value, joined(path, knob), knob, walk);
  }
}

function visitAssignment(assignment: PyNode, prefix: string, walk: Walk): void {
  const left = childIn(assignment, 'left');
  const right = lastRight(assignment);
  if (left === null || right === null) return;
  visitExpression(left, prefix, '', walk);
  const targets = tupleItems(left);
  const values = tupleItems(right);
  const pairs = targets !== null && values !== null && targets.length === values.length;
  for (const [target, value] of pairs
    ? targets.map((t, at) => [t, values[at] ?? right] as const)
    : [[left, right] as const]) {
    const { path, knob } = targetOf(target, walk.file);
    visitValue(value, joined(prefix, path), knob, walk);
  }
}

/** The value of an assignment, past the further targets of `A = B = 1`; null for a bare annotation. */
export function lastRight(assignment: PyNode): PyNode | null {
  let right = childIn(assignment, 'right');
  while (right !== null && right.kind === 'assignment') right = childIn(right, 'right');
  return right;
}

const TAKEN_APART: ReadonlySet<string> = new Set([
  ...['tuple', 'expression_list', 'pattern_list', 'tuple_pattern', 'list', 'list_pattern'],
]);

/** The items of a tuple or list that is taken apart item by item, or null: something else, or one with a star. */
export function tupleItems(node: PyNode): readonly PyNode[] | null {
  const inner = ungrouped(node);
  if (!TAKEN_APART.has(inner.kind)) return null;
  const items = partsOf(inner);
  return items.some((item) => item.kind.startsWith('list_splat')) ? null : items;
}

function visitValue(node: PyNode, path: string, knob: string, walk: Walk): void {
  const at = walk.slots.length;
  walk.slots.push({ node, path, knob, isLeaf: true });
  visitExpression(node, path, knob, walk);
  if (walk.slots.length === at + 1) return;
  // A scalar is one knob; what stands inside it has a path of its own only in a call.
  const isScalar = shapeOf(node, walk.text) === 'scalar';
  const calls = isScalar ? innerCalls(node, walk.text) : [];
  for (let index = at; index < walk.slots.length; index += 1) {
    const slot = walk.slots[index];
    if (slot === undefined || (!isScalar && index > at)) break;
    const isInCall = calls.some((call) => call.start <= slot.node.start && slot.node.end <= call.end);
    walk.slots[index] = { ...slot, isLeaf: slot.isLeaf && isScalar && (index === at || isInCall) };
  }
}

function visitExpression(outer: PyNode, path: string, knob: string, walk: Walk): void {
  const node = ungrouped(outer);
  switch (node.kind) {
    case 'for_statement':
    case 'for_in_clause':
      visitLoop(node, path, walk);
      return;
    case 'block':
      visitBlock(node, path, walk);
      return;
    case 'type':
    case 'comment':
      return;
    case 'call':
      visitCall(node, path, walk);
      return;
    case 'dictionary':
      visitEntries(node, path, knob, walk);
      return;
    case 'list':
    case 'tuple':
    case 'set':
    case 'expression_list':
      visitElements(node, path, knob, walk);
      return;
    case 'lambda_parameters':
      visitParameters(node, path, walk);
      return;
    case 'named_expression': {
      const name = childIn(node, 'name');
      const value = childIn(node, 'value');
      if (name !== null && value !== null)
        visitValue(value, joined(path, nameOf(name, walk.text)), nameOf(name, walk.text), walk);
      return;
    }
    default:
      for (const child of node.children) visitExpression(child, path, '', walk);
  }
}

// What a loop goes through is named by the loop's variable where it is written out: `for seed in [1, 2]:` has `seed[0]`.
function visitLoop(loop: PyNode, path: string, walk: Walk): void {
  const left = childIn(loop, 'left');
  for (const child of loop.children) {
    const isWritten = child.field === 'right' && CONTAINERS.has(ungrouped(child).kind);
    if (!isWritten || left === null) visitExpression(child, path, '', walk);
    else {
      const target = targetOf(left, walk.file);
      visitExpression(child, joined(path, target.path), target.knob, walk);
    }
  }
}

const CONTAINERS: ReadonlySet<string> = new Set(['list', 'tuple', 'set', 'dictionary', 'expression_list']);

function visitCall(call: PyNode, path: string, walk: Walk): void {
  const callee = childIn(call, 'function');
  const given = childIn(call, 'arguments');
  if (callee === null || given === null) return;
  visitExpression(callee, path, '', walk);
  const name = calleePath(callee, walk.file);
  const inner = `${joined(path, name)}()`;
  if (given.kind === 'argument_list')
    visitArguments(given, inner, `${name.split('.').at(-1) ?? name}()`, walk);
  else visitExpression(given, inner, '', walk);
}

function visitArguments(given: PyNode, path: string, owner: string, walk: Walk): void {
  let position = 0;
  for (const part of partsOf(given)) {
    if (part.kind === 'keyword_argument') visitKeyword(part, path, walk);
    else if (part.kind === 'dictionary_splat') {
      for (const inner of partsOf(part)) visitExpression(inner, path, owner, walk);
    } else {
      const index = `[${position}]`;
      position += 1;
      if (part.kind === 'list_splat') visitSplat(part, indexed(path, index), owner + index, walk);
      else visitValue(part, indexed(path, index), owner + index, walk);
    }
  }
}

function visitKeyword(keyword: PyNode, path: string, walk: Walk): void {
  const name = childIn(keyword, 'name');
  const value = childIn(keyword, 'value');
  if (name === null || value === null) return;
  const knob = nameOf(name, walk.text);
  visitValue(value, joined(path, knob), knob, walk);
}

function visitEntries(dict: PyNode, path: string, owner: string, walk: Walk): void {
  for (const part of partsOf(dict)) {
    const key = childIn(part, 'key');
    const value = childIn(part, 'value');
    if (key === null || value === null) {
      for (const inner of partsOf(part)) visitExpression(inner, path, owner, walk);
      continue;
    }
    visitExpression(key, path, '', walk);
    const { segment, knob } = keyOf(key, walk.file);
    visitValue(value, indexed(path, segment), knob ?? owner + segment, walk);
  }
}

function visitElements(sequence: PyNode, path: string, owner: string, walk: Walk): void {
  for (const [position, part] of partsOf(sequence).entries()) {
    const index = `[${position}]`;
    const knob = (owner === '' ? lastName(path) : owner) + index;
    if (part.kind === 'list_splat') visitSplat(part, indexed(path, index), knob, walk);
    else visitValue(part, indexed(path, index), knob, walk);
  }
}

function visitSplat(splat: PyNode, path: string, knob: string, walk: Walk): void {
  for (const inner of partsOf(splat)) visitExpression(inner, path, knob, walk);
}

// What a function returns has no name but the function's.
function lastName(path: string): string {
  return path.split('.').at(-1) ?? path;
}
