/** Validates placeholders in argument templates. */

import { type ConfigIssue, error, errorIf, type KeyPath } from './problem.ts';

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

/** Placeholders for several arguments, so they need their own place. */
const WHOLE: readonly string[] = ['python', 'environment', 'command'];
