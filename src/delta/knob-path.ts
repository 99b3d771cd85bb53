/** How a knob's path is spelled: assigned or function name, then `call()`, `[key]`, `[index]`. */

import { cutText } from '../domain/cut-text.ts';
import { childIn, type PyNode } from '../domain/python-syntax.ts';
import { nameOf, type PyFile, ungrouped } from './normal-form.ts';

const OTHER_CALLEE_CHARS_MAX = 40;

/** A name below a path. */
export function joined(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** An index or key below a path. */
export function indexed(path: string, segment: string): string {
  return path + segment;
}

/** The path part of what is called: `ResourceConfig.with_tpu`, or `load().reweight` where a call's result is called. */
export function calleePath(callee: PyNode, file: PyFile): string {
  const node = ungrouped(callee);
  const text = file.syntax.text;
  if (node.kind === 'identifier') return nameOf(node, text);
  const inside = childIn(
    node,
    node.kind === 'attribute' ? 'object' : node.kind === 'call' ? 'function' : 'value',
  );
  if (node.kind === 'attribute' && inside !== null) {
    const attribute = childIn(node, 'attribute');
    return joined(calleePath(inside, file), attribute === null ? '' : nameOf(attribute, text));
  }
  if (node.kind === 'call' && inside !== null) return `${calleePath(inside, file)}()`;
  if (node.kind === 'subscript' && inside !== null)
    return calleePath(inside, file) + indexesOf(node, inside, file);
  return `(${cutText(compact(node, file), OTHER_CALLEE_CHARS_MAX)})`;
}

/** Path and knob of an assignment's target: `cfg.trainer.seed` and `seed`, `cfg["lr"]` and `lr`. */
export function targetOf(target: PyNode, file: PyFile): { readonly path: string; readonly knob: string } {
  const node = ungrouped(target);
  const path = ['identifier', 'attribute', 'subscript'].includes(node.kind)
    ? calleePath(node, file)
    : compact(node, file);
  if (node.kind === 'attribute') return { path, knob: path.split('.').at(-1) ?? path };
  const index = node.kind === 'subscript' ? childIn(node, 'subscript') : null;
  return { path, knob: index === null ? path : (keyOf(index, file).knob ?? path) };
}

/** A dict key as path segment; `knob` is the key itself where it is a plain string. */
export function keyOf(key: PyNode, file: PyFile): { readonly segment: string; readonly knob: string | null } {
  const normal = file.normal(key);
  if (!normal.startsWith('str:')) return { segment: `[${compact(key, file)}]`, knob: null };
  const quoted = normal.slice('str:'.length);
  const characters: unknown = JSON.parse(quoted);
  return {
    segment: `[${quoted}]`,
    knob: typeof characters === 'string' && characters !== '' ? characters : null,
  };
}

function indexesOf(subscript: PyNode, value: PyNode, file: PyFile): string {
  const indexes = subscript.children.filter((child) => child.isNamed && child !== value);
  return indexes.length === 1 && indexes[0] !== undefined
    ? keyOf(indexes[0], file).segment
    : `[${indexes.map((index) => compact(index, file)).join(',')}]`;
}

function compact(node: PyNode, file: PyFile): string {
  return file.source(node).normalize('NFKC').replace(/\s+/g, '');
}
