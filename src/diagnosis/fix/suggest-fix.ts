/**
 * Where to look for the correction of a small mistake, and what it looks like to people. A job prints what it likes, so
 * the log only says where to look; the correction follows from the files of the commit that ran.
 */

import { limits } from '../../domain/limits.ts';
import { unifiedDiff } from './fix-file.ts';
import { type NoFix, none } from './no-fix.ts';
import { type Slip, slipIn } from './slip.ts';

/** `text`: the whole file as it would be. `line`: where the log says that it failed. */
export type Fix = {
  readonly kind: 'fix';
  readonly path: string;
  readonly line: number;
  readonly text: string;
  readonly diff: string;
};

/** The innermost line of the lab's own code, and the exception as its last line has it. */
export type Failure = { readonly file: string; readonly line: number; readonly error: string };

/** What has to be read for it: the file that failed, and the one whose names are asked for. */
export type FixPlan = {
  readonly slip: Slip;
  readonly path: string;
  readonly line: number;
  readonly asked: string | null;
  /** Modules beside which the one that is missing was looked for. */
  readonly modules: readonly string[];
};

/** What a Python interpreter is asked: the mistake, and the texts of the files that the plan names. */
export type FixQuestion = Pick<FixPlan, 'slip' | 'line' | 'modules'> & {
  readonly text: string;
  readonly asked: string | null;
};

/** `text`: the whole file with the correction. CPython compiles it. */
export type FixAnswer = { readonly kind: 'fix'; readonly text: string } | NoFix;

/** Where to look. `paths`: every file of the commit. */
export function planFix({ file, line, error }: Failure, paths: readonly string[]): FixPlan | NoFix {
  const slip = slipIn(error);
  if (slip === null) return none('no-suggestion');
  const path = pathOf(file, paths);
  if (path === null) return none('not-in-tree');
  const asked = slip.kind === 'imported-name' ? pathOf(slip.file, paths) : null;
  if (slip.kind === 'imported-name' && asked === null) return none('not-in-tree');
  return { slip, path, line, asked, modules: slip.kind === 'module' ? modulesBeside(slip.name, paths) : [] };
}

/** The question for the interpreter, or why it is not asked. `asked`: the text of the file of that name. */
export function fixQuestion(
  { slip, line, modules }: FixPlan,
  text: string,
  asked: string | null,
): FixQuestion | NoFix {
  if (Math.max(text.length, asked?.length ?? 0) > limits.fixedFileCharsMax) return none('too-long');
  return { slip, line, modules, text, asked };
}

/** The answer as a fix of the file, with a diff for people. */
export function fixOf({ path, line }: FixPlan, before: string, answer: FixAnswer): Fix | NoFix {
  if (answer.kind === 'none') return answer;
  return { kind: 'fix', path, line, text: answer.text, diff: unifiedDiff(path, before, answer.text) };
}

/** The file of the commit that a job unpacked somewhere: the longest of those that the path ends with. */
function pathOf(file: string, paths: readonly string[]): string | null {
  const found = paths.filter((path) => file === path || file.endsWith(`/${path}`));
  return found.toSorted((a, b) => b.length - a.length)[0] ?? null;
}

/** What can be imported from the package of a module, where exactly one folder is that package. */
function modulesBeside(name: string, paths: readonly string[]): readonly string[] {
  const parent = name.split('.').slice(0, -1).join('/');
  if (parent === '') return [];
  const inside = paths.flatMap((path) => {
    const at = `/${path}`.indexOf(`/${parent}/`);
    return at < 0 ? [] : [{ root: path.slice(0, at), rest: path.slice(at + parent.length + 1) }];
  });
  if (new Set(inside.map(({ root }) => root)).size !== 1) return [];
  return [
    ...new Set(
      inside.flatMap(({ rest }) => {
        const [first = '', ...deeper] = rest.split('/');
        if (deeper.length > 0) return /^\w+$/.test(first) ? [first] : [];
        return /^(\w+)\.py$/.exec(first)?.slice(1) ?? [];
      }),
    ),
  ];
}
