/** By what two statements are recognised as the same one in two versions of a file. */

import { childIn, type PyNode, partsOf } from '../domain/python-syntax.ts';
import type { Unit } from './block-units.ts';
import type { PyFile } from './normal-form.ts';

/** The unit as it stands in the file. */
export function unitSource(unit: Unit, file: PyFile): string {
  return unit.kind === 'imports' ? unit.nodes.map(file.source).join('\n') : file.source(unit.node);
}

/** Equal for units that say the same. */
export function unitForm(unit: Unit, file: PyFile): string {
  return unit.kind === 'imports'
    ? `imports ${unit.nodes.map(file.normal).sort().join(';')}`
    : file.normal(unit.node);
}

/** Equal for units that may be two versions of one: the same target, callee, function name, or kind of statement. */
export function unitKey(unit: Unit, file: PyFile): string {
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
