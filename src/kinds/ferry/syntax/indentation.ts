/** Indentation as CPython counts it: twice, with tabs to eight columns and to one, and both must agree. */

import { limits } from '../../../domain/limits.ts';
import { fail, ok, type Result } from '../../../domain/result.ts';

type Width = { readonly wide: number; readonly narrow: number };
/** The widths of the open blocks, outermost first. */
export type IndentStack = readonly Width[];

export const NO_INDENT: IndentStack = [{ wide: 0, narrow: 0 }];

const TAB_COLUMNS = 8;

/**
 * The open blocks after a logical line that begins with `indent`. `opens`: the line before ended in a colon, so this
 * one must be deeper; otherwise it must not be (language reference, section 2.1.8).
 */
export function checkIndent(stack: IndentStack, indent: string, opens: boolean): Result<IndentStack, string> {
  const width = widthOf(indent);
  const top = stack.at(-1) ?? { wide: 0, narrow: 0 };
  if (width.wide > top.wide) {
    if (width.narrow <= top.narrow) return fail('inconsistent use of tabs and spaces in indentation');
    if (!opens) return fail('unexpected indent');
    return stack.length > limits.pythonIndentsMax
      ? fail('too many levels of indentation')
      : ok([...stack, width]);
  }
  if (opens) return fail('expected an indented block');
  const left = stack.filter((open) => open.wide <= width.wide);
  const level = left.at(-1);
  if (level?.wide !== width.wide) return fail('unindent does not match any outer indentation level');
  return level.narrow === width.narrow
    ? ok(left)
    : fail('inconsistent use of tabs and spaces in indentation');
}

function widthOf(indent: string): Width {
  let wide = 0;
  let narrow = 0;
  for (const char of indent) {
    if (char === '\t') {
      wide = (Math.floor(wide / TAB_COLUMNS) + 1) * TAB_COLUMNS;
      narrow += 1;
    } else if (char === '\f') {
      wide = 0;
      narrow = 0;
    } else {
      wide += 1;
      narrow += 1;
    }
  }
  return { wide, narrow };
}
