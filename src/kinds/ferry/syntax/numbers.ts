/** Which spellings of numbers are legal (language reference, section 2.6). */

import { limits } from '../../../domain/limits.ts';
import { faultAt, type Rule } from './fault.ts';

const DIGITS = String.raw`\d(?:_?\d)*`;
const INTEGER = /^(?:0x(?:_?[0-9a-f])+|0o(?:_?[0-7])+|0b(?:_?[01])+|[1-9](?:_?\d)*|0(?:_?0)*)$/i;
const FLOAT = new RegExp(
  String.raw`^(?:(?:${DIGITS})?\.${DIGITS}|${DIGITS}\.)(?:e[+-]?${DIGITS})?$|^${DIGITS}e[+-]?${DIGITS}$`,
  'i',
);
const IMAGINARY_DIGITS = new RegExp(`^${DIGITS}$`);

/** No leading zeros, no stray underscores, no `10L`, and no more decimal digits than int() takes. */
export const numberIsLegal: Rule = (node, { text }) => {
  const source = text.slice(node.start, node.end);
  const next = text.slice(node.end, node.end + '_else'.length);
  if (/^[\p{L}\p{N}_]/u.test(next) && !/^(?:and|else|for|if|in|is|not|or)/.test(next))
    return faultAt(node, 'invalid decimal literal');
  if (/^0[xob]/i.test(source)) return INTEGER.test(source) ? null : faultAt(node, 'invalid number literal');
  const isImaginary = /j$/i.test(source);
  const core = isImaginary ? source.slice(0, -1) : source;
  const isLegal = INTEGER.test(core) || FLOAT.test(core) || (isImaginary && IMAGINARY_DIGITS.test(core));
  if (!isLegal) return faultAt(node, 'invalid number literal');
  const digits = core.replaceAll('_', '').length;
  return INTEGER.test(core) && !isImaginary && digits > limits.pythonIntegerDigitsMax
    ? faultAt(node, 'integer literal has too many digits')
    : null;
};
