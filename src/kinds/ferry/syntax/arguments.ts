/** What a call may be given (language reference, section 6.3.4). */

import { childIn, type PyNode, partsOf } from '../../../domain/python-syntax.ts';
import { nameOf, ungrouped } from '../delta/normal-form.ts';
import { faultAt, firstFault, hasToken, type PySyntaxError, type Rule } from './fault.ts';

/** No keyword twice, nothing positional after a keyword, no `*` after `**`. */
export const argumentsAreLegal: Rule = (node, { text }) => {
  const names = new Set<string>();
  let sawKeyword = false;
  let sawExpansion = false;
  return firstFault(
    partsOf(node)
      .values()
      .map((part): PySyntaxError | null => {
        if (part.kind === 'keyword_argument') {
          const name = childIn(part, 'name');
          if (name === null || name.kind !== 'identifier')
            return faultAt(part, 'expression cannot contain assignment');
          const keyword = nameOf(name, text);
          if (names.has(keyword)) return faultAt(part, `keyword argument repeated: ${keyword}`);
          names.add(keyword);
          sawKeyword = true;
          return null;
        }
        if (part.kind === 'dictionary_splat') {
          sawExpansion = true;
          return null;
        }
        if (sawExpansion) return faultAt(part, 'positional argument follows keyword argument unpacking');
        if (part.kind === 'list_splat') return null;
        if (sawKeyword) return faultAt(part, 'positional argument follows keyword argument');
        return isBareStar(part) ? faultAt(part, 'cannot use starred expression here') : null;
      }),
  );
};

/** `f(,)` and `{,}` are nothing. */
export const commasAreLegal: Rule = (node) =>
  node.children.filter((child) => child.kind === ',').length > partsOf(node).length
    ? faultAt(node, 'invalid syntax')
    : null;

/** `f(x for x in y)` stands alone, without a comma. */
export const callIsLegal: Rule = (node) => {
  const given = childIn(node, 'arguments');
  if (given?.kind !== 'generator_expression') return null;
  const clauses = given.children.filter((child) => child.kind === 'for_in_clause');
  return clauses.some((clause) => hasToken(clause, ','))
    ? faultAt(given, 'Generator expression must be parenthesized')
    : null;
};

function isBareStar(part: PyNode): boolean {
  return part.kind === 'parenthesized_expression' && ungrouped(part).kind.startsWith('list_splat');
}
