/** Rules for secrets in settings: none is written into the config, and variables of the workflow or of ferrybot reach no job. */

import { withoutTokens } from '../domain/written-secrets.ts';
import { type ConfigIssue, error, type KeyPath } from './problem.ts';

// Whoever has these speaks for ferrybot or for the workflow: a child never gets them (architecture, D5).
const RESERVED_NAME = /^(GITHUB|ACTIONS|RUNNER|FERRYBOT|INPUT)_/;

/** A name that no child process gets. */
export function reservedName(path: KeyPath, name: string): readonly ConfigIssue[] {
  return RESERVED_NAME.test(name)
    ? [error('reserved-name', path, `${name} belongs to the workflow or to ferrybot: a job never gets it`)]
    : [];
}

/** A text with a secret in it. The message never repeats it: it is shown in a check that everybody can read. */
export function writtenSecret(path: KeyPath, text: string): readonly ConfigIssue[] {
  return withoutTokens(text) !== text
    ? [error('secret-value', path, 'this looks like a secret: take it out, and replace it where it is valid')]
    : [];
}

/** The same for each of the arguments of a program. */
export function inArguments(path: KeyPath, args: readonly string[]): readonly ConfigIssue[] {
  return args.flatMap((text, index) => {
    const option = args[index - 1] ?? '';
    return writtenSecret(
      [...path, index],
      option.startsWith('-') && !option.includes('=') ? `${option} ${text}` : text,
    );
  });
}
