/** Finds an option that is given more than once: nobody can say which of its values was meant. */

import { parseArgs } from 'node:util';

/** What to say about the first such option but `--json`, or null where there is none. */
export function givenTwice(args: readonly string[]): string | null {
  const { tokens } = parseArgs({ args: [...args], strict: false, allowPositionals: true, tokens: true });
  const names = tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : []));
  const twice = names.find((name, index) => name !== 'json' && names.indexOf(name) !== index);
  return twice === undefined ? null : `--${twice} is given twice`;
}
