/**
 * Where to look for the correction of a small mistake, and what it looks like to people. A job prints what it likes, so
 * the log only says where to look; the correction follows from the files of the commit that ran.
 */

import { limits } from '../../domain/limits.ts';

/** Of two texts that differ in single lines, or in lines that were put in at one place. */
function unifiedDiff(path: string, before: string, after: string): string {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const shift = now.length - old.length;
  const first = old.findIndex((line, at) => line !== now[at]);
  const changed = old.flatMap((line, at) => (shift === 0 && line !== now[at] ? [at] : []));
  const hunks =
    shift === 0 ? grouped(changed).map((at) => hunk(old, now, at, 0)) : [hunk(old, now, [first], shift)];
  return [`--- a/${path}`, `+++ b/${path}`, ...hunks.flat(), ''].join('\n');
}

/** Lines whose surroundings touch stand in one hunk. */
function grouped(changed: readonly number[]): readonly (readonly number[])[] {
  const groups: number[][] = [];
  for (const at of changed) {
    const last = groups.at(-1);
    if (last !== undefined && at - (last.at(-1) ?? 0) <= 2 * CONTEXT_LINES) last.push(at);
    else groups.push([at]);
  }
  return groups;
}

/** `added`: lines put in before the first of `at`; where there are none, the lines `at` are changed. */
function hunk(
  old: readonly string[],
  now: readonly string[],
  at: readonly number[],
  added: number,
): readonly string[] {
  const [first = 0, last = first] = [at[0], at.at(-1)];
  const from = Math.max(0, first - CONTEXT_LINES);
  const isEnd = (line: number): boolean => line === old.length - 1 && old[line] === '';
  const upTo = Math.min(old.length, last + CONTEXT_LINES + (added > 0 ? 0 : 1));
  const lines: string[] = [];
  for (let line = from; line < upTo; line += 1) {
    if (line === first && added > 0)
      for (let more = 0; more < added; more += 1) lines.push(`+${now[first + more] ?? ''}`);
    if (isEnd(line)) break;
    if (added === 0 && at.includes(line)) lines.push(`-${old[line] ?? ''}`, `+${now[line] ?? ''}`);
    else lines.push(` ${old[line] ?? ''}`);
  }
  const count = (signs: string): number => lines.filter((line) => signs.includes(line[0] ?? '')).length;
  return [`@@ -${from + 1},${count(' -')} +${from + 1},${count(' +')} @@`, ...lines];
}

const CONTEXT_LINES = 2;

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

// What the interpreter says was wrong, where it is a slip that it can name (monitoring policy, *Fixing Small Bugs*).

/** `suggested`: what the log says that it proposes, which the job's own code may have printed; null for nothing. */
type Slip =
  | { readonly kind: 'name'; readonly name: string; readonly suggested: string | null }
  /** A module of the lab's own has no such name; `file` is that module's, as the log has it. */
  | {
      readonly kind: 'imported-name';
      readonly name: string;
      readonly file: string;
      readonly suggested: string | null;
    }
  | { readonly kind: 'module'; readonly name: string; readonly suggested: string | null }
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'comma' | 'colon' };

/** Reads the last line of a traceback; null where it names nothing that could be put right from the files alone. */
function slipIn(error: string): Slip | null {
  const name = /^NameError: name '(\w{1,100})' is not defined(?=$|\. )/.exec(error)?.[1];
  if (name !== undefined) return { kind: 'name', name, suggested: suggestedIn(error) };
  const from = /^ImportError: cannot import name '(\w{1,100})' from '[\w.]{1,200}' \(([^()]{1,400})\)/.exec(
    error,
  );
  if (from !== null)
    return { kind: 'imported-name', name: from[1] ?? '', file: from[2] ?? '', suggested: suggestedIn(error) };
  const module = /^(?:ModuleNotFoundError|ImportError): No module named '([\w.]{1,200})'/.exec(error)?.[1];
  if (module !== undefined) return { kind: 'module', name: module, suggested: suggestedIn(error) };
  const key = /^KeyError: (['"])([\w.-]{1,60})\1$/.exec(error)?.[2];
  if (key !== undefined) return { kind: 'key', key };
  if (/^SyntaxError: invalid syntax\. Perhaps you forgot a comma\?$/.test(error)) return { kind: 'comma' };
  return /^SyntaxError: expected ':'$/.test(error) ? { kind: 'colon' } : null;
}

function suggestedIn(error: string): string | null {
  return /(?:Did you mean:? |forget to import )'([\w.]{1,200})'/.exec(error)?.[1] ?? null;
}

export const NO_FIX_REASONS = [
  'not-small',
  'no-suggestion',
  'not-in-tree',
  'outside-scope',
  'too-long',
  'tree-unlike',
  'no-candidate',
  'several-candidates',
  'other-suggestion',
  'not-mended',
] as const;
export type NoFixReason = (typeof NO_FIX_REASONS)[number];
export type NoFix = { readonly kind: 'none'; readonly reason: NoFixReason };

/** Nothing is changed, and people are told this. */
export function none(reason: NoFixReason): NoFix {
  return { kind: 'none', reason };
}
