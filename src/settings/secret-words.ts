/** What a secret looks like, and which variables belong to the workflow or to ferrybot: one place for every rule that minds them. */

import { type ConfigIssue, error, type KeyPath } from './problem.ts';

/** Shapes of keys that their makers document: GitHub, OpenAI, Anthropic, Hugging Face, AWS, Google, Slack, W&B, PEM. */
const SECRET_VALUE =
  /\b(?:gh[pousr]_\w{20}|github_pat_\w{20}|sk-[\w-]{20}|hf_\w{20}|AKIA[0-9A-Z]{16}\b|AIza[\w-]{30}|xox[abprs]-[\w-]{10}|(?<=(?:KEY|key|token)=)[0-9a-f]{40}\b)|-----BEGIN [A-Z ]*PRIVATE KEY|:\/\/[^\s/:@{}]+:[^\s/@{}]+@/;

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
  return SECRET_VALUE.test(text)
    ? [error('secret-value', path, 'this looks like a secret: take it out, and replace it where it is valid')]
    : [];
}

/** The same for each of the arguments of a program. */
export function inArguments(path: KeyPath, args: readonly string[]): readonly ConfigIssue[] {
  return args.flatMap((text, index) => writtenSecret([...path, index], text));
}
