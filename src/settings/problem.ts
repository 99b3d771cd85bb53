/** Problems of a config, each with its position and a code. */

import leven from 'leven';
import { maskTokens } from '../domain/written-secrets.ts';

// Maximum edits: one in a word of four letters, two in seven, four in fourteen.
const DIFFERENT_SHARE_MAX = 0.3;
// Short words must start alike: `/back` is not `/ack`.
const SHORT_NAME_LENGTH_MAX = 3;
// Minimum length of a partial name.
const PART_LENGTH_MIN = 6;

/** The nearest of `names` to `word` (both without slash), ignoring case; null if none is near. */
export function findNearestName(word: string, names: readonly string[]): string | null {
  const given = word.toLowerCase();
  const ranked = names
    .map((name) => ({ name, apart: editDistance(given, name.toLowerCase()) }))
    .filter((candidate) => candidate.apart !== null)
    .toSorted((a, b) => (a.apart ?? 0) - (b.apart ?? 0));
  return ranked[0]?.name ?? null;
}

/** Edit distance, or null if the words are not near. */
function editDistance(given: string, name: string): number | null {
  if (given === name) return 0;
  if (hasSwappedLetters(given, name)) return 1;
  const longest = Math.max(given.length, name.length);
  const most = Math.floor(longest * DIFFERENT_SHARE_MAX);
  if (Math.abs(given.length - name.length) <= most && hasSameStartIfShort(given, name)) {
    const letters = leven(given, name);
    if (letters <= most) return letters;
  }
  return isNamePart(given, name) ? Math.abs(name.length - given.length) : null;
}

function hasSameStartIfShort(given: string, name: string): boolean {
  return name.length > SHORT_NAME_LENGTH_MAX || given[0] === name[0];
}

/** Two swapped neighbours, the most common typo; an edit distance counts it as two. */
function hasSwappedLetters(given: string, name: string): boolean {
  if (given.length !== name.length) return false;
  const first = Array.from(given).findIndex((letter, index) => letter !== name[index]);
  return (
    first >= 0 &&
    given[first] === name[first + 1] &&
    given[first + 1] === name[first] &&
    given.slice(first + 2) === name.slice(first + 2)
  );
}

/** A name with a suffix (`statuses`), a first half (`stat`, `approve`), or one word of a compound name (`launch`, `approved`). */
function isNamePart(given: string, name: string): boolean {
  if (name.startsWith(given) && given.length * 2 >= name.length) return true;
  if (name.length >= PART_LENGTH_MIN && given.startsWith(name)) return true;
  return name
    .split('-')
    .some(
      (part) =>
        part !== name &&
        part.length >= PART_LENGTH_MIN &&
        given.length >= PART_LENGTH_MIN - 1 &&
        leven(given, part) <= 1,
    );
}

export type ConfigProblem = {
  readonly severity: 'error' | 'warning';
  /** For scripts to match on; each rule across keys has its own. */
  readonly code: string;
  /** Dotted path of the key; empty for the whole file. */
  readonly path: string;
  /** 1-based. Columns count UTF-16 units without the byte order mark. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
};

/** Keys and list indexes from the root. */
export type KeyPath = readonly (string | number)[];

export type ConfigIssue = {
  readonly severity: 'error' | 'warning';
  readonly code: string;
  readonly path: KeyPath;
  readonly message: string;
};

/** A problem that makes the config invalid. */
export function error(code: string, path: KeyPath, message: string): ConfigIssue {
  return { severity: 'error', code, path, message };
}

/** A problem that makes the config invalid, only if `isBroken`. */
export function errorIf(isInvalid: boolean, code: string, path: KeyPath, message: string): readonly ConfigIssue[] {
  return isInvalid ? [error(code, path, message)] : [];
}

/** A problem that does not make the config invalid. */
export function warning(code: string, path: KeyPath, message: string): ConfigIssue {
  return { severity: 'warning', code, path, message };
}

/** A problem that does not make the config invalid, only if `isOdd`. */
export function warningIf(isSuspicious: boolean, code: string, path: KeyPath, message: string): readonly ConfigIssue[] {
  return isSuspicious ? [warning(code, path, message)] : [];
}

/** A config path as people write it, such as `lanes.daily.cluster`. */
export function joinPath(path: readonly PropertyKey[]): string {
  return path.map(String).join('.');
}

/** Reports unknown placeholders, multi-argument placeholders inside an argument, and missing ones. */
export function templateIssues(
  at: KeyPath,
  template: readonly string[],
  may: readonly string[],
  must: readonly string[],
): readonly ConfigIssue[] {
  const found = template.flatMap((text, index) =>
    [...text.matchAll(/\{(\w*)\}/g)].map((match) => ({ name: match[1] ?? '', index, text })),
  );
  return [
    ...found.flatMap(({ name, index, text }) => {
      const place = [...at, index];
      const unknown = `{${name}} is not filled in; known: ${may.join(', ')}`;
      if (!may.includes(name)) return [error('placeholder-unknown', place, unknown)];
      const isInside = WHOLE.includes(name) && text !== `{${name}}`;
      const alone = `{${name}} stands for several arguments: alone in its place`;
      return errorIf(isInside, 'placeholder-alone', place, alone);
    }),
    ...must
      .filter((name) => !found.some((one) => one.name === name))
      .map((name) => error('placeholder-missing', at, `{${name}} has to stand in it`)),
  ];
}

/** Placeholders that expand to several arguments, so each must be a whole argument. */
const WHOLE: readonly string[] = ['python', 'environment', 'command'];

// These variables control ferrybot or the workflow, so no child process gets them (architecture, D5).
const RESERVED_NAME = /^(GITHUB|ACTIONS|RUNNER|FERRYBOT|INPUT)_/;

/** Reports a variable that no job ever gets; empty for other names. */
export function checkReservedName(path: KeyPath, name: string): readonly ConfigIssue[] {
  const why = `${name} belongs to the workflow or to ferrybot: a job never gets it`;
  return errorIf(RESERVED_NAME.test(name), 'reserved-name', path, why);
}

/** Reports a secret in a text. The message omits it, because everyone can read the check. */
export function checkWrittenSecret(path: KeyPath, text: string): readonly ConfigIssue[] {
  const why = 'this looks like a secret: take it out, and replace it where it is valid';
  return errorIf(maskTokens(text) !== text, 'secret-value', path, why);
}

/** Reports a secret in any argument of a program. */
export function checkArguments(path: KeyPath, args: readonly string[]): readonly ConfigIssue[] {
  return args.flatMap((text, index) => {
    const option = args[index - 1] ?? '';
    return checkWrittenSecret(
      [...path, index],
      option.startsWith('-') && !option.includes('=') ? `${option} ${text}` : text,
    );
  });
}
