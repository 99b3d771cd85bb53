/** Rules for secrets: the config contains none, and jobs get no variables of the workflow or of ferrybot. */

import { withoutTokens } from '../domain/written-secrets.ts';
import { type ConfigIssue, errorIf, type KeyPath } from './problem.ts';

// These variables act for ferrybot or the workflow, so no child process gets them (architecture, D5).
const RESERVED_NAME = /^(GITHUB|ACTIONS|RUNNER|FERRYBOT|INPUT)_/;

/** The problem of a variable that jobs never get; none for other names. */
export function reservedName(path: KeyPath, name: string): readonly ConfigIssue[] {
  const why = `${name} belongs to the workflow or to ferrybot: a job never gets it`;
  return errorIf(RESERVED_NAME.test(name), 'reserved-name', path, why);
}

/** Reports a secret in a text. The message omits it, because everyone can read the check. */
export function writtenSecret(path: KeyPath, text: string): readonly ConfigIssue[] {
  const why = 'this looks like a secret: take it out, and replace it where it is valid';
  return errorIf(withoutTokens(text) !== text, 'secret-value', path, why);
}

/** The same for each argument of a program. */
export function inArguments(path: KeyPath, args: readonly string[]): readonly ConfigIssue[] {
  return args.flatMap((text, index) => {
    const option = args[index - 1] ?? '';
    return writtenSecret(
      [...path, index],
      option.startsWith('-') && !option.includes('=') ? `${option} ${text}` : text,
    );
  });
}
