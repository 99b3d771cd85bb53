/** Validates placeholders in argument templates. */

import { type ConfigIssue, error, type KeyPath } from './problem.ts';

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
      if (!may.includes(name))
        return [
          error(
            'placeholder-unknown',
            [...at, index],
            `{${name}} is not filled in; known: ${may.join(', ')}`,
          ),
        ];
      return WHOLE.includes(name) && text !== `{${name}}`
        ? [
            error(
              'placeholder-alone',
              [...at, index],
              `{${name}} stands for several arguments: alone in its place`,
            ),
          ]
        : [];
    }),
    ...must
      .filter((name) => !found.some((one) => one.name === name))
      .map((name) => error('placeholder-missing', at, `{${name}} has to stand in it`)),
  ];
}

/** Placeholders for several arguments, so they need their own place. */
const WHOLE: readonly string[] = ['python', 'environment', 'command'];
