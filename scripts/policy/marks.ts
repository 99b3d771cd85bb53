/**
 * Where the code and the test of a policy rule are. A comment `// rule DF-01` (`# rule DF-01` in YAML and Python) stands
 * directly above one line of code, and above one test. Renaming, moving or reformatting the code moves the comment with it.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDERS = ['src', 'scripts', 'packages', 'demo', 'test', 'bench', 'docs', 'fixtures/lab'];
const TEXT = /\.(?:ts|py|ya?ml)$/;
// In a branch of a conditional expression the formatter puts the comment behind `?` or `:`.
const MARK = /^\s*(?:[?:] )?(?:\/\/|#) rules? ((?:[A-Z]{2}-\d{2,3}(?:, )?)+)$/;

/** The marked line is the one below the comment; `line` counts from 1. */
export type Mark = { readonly id: string; readonly file: string; readonly line: number };
export type Marks = { readonly code: readonly Mark[]; readonly tests: readonly Mark[] };

/** All marks below `root`, in the order of files and lines. */
export function findMarks(root: string): Marks {
  const marks = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => TEXT.test(name) && !name.includes('node_modules'))
      .toSorted()
      .flatMap((name) => findMarksIn(`${folder}/${name}`, readFileSync(join(root, folder, name), 'utf8'))),
  );
  const isTest = ({ file }: Mark): boolean => file.endsWith('.test.ts');
  return { code: marks.filter((mark) => !isTest(mark)), tests: marks.filter(isTest) };
}

/** The marks of one file. */
export function findMarksIn(file: string, text: string): readonly Mark[] {
  return text.split('\n').flatMap((line, index) => {
    const ids = MARK.exec(line)?.[1]?.split(', ') ?? [];
    return ids.map((id) => ({ id, file, line: index + 2 }));
  });
}
