/**
 * Finds where to search for the fix of a small mistake (monitoring policy, *Fixing Small Bugs*). The job controls its log, so the log only
 * gives the location. src/host/python/suggest_fix.py derives the fix from the files of the commit that ran.
 */

/** A closed list, because the record contains these reasons. */
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
export type NoFix = { readonly kind: 'none'; readonly reason: (typeof NO_FIX_REASONS)[number] };

/** The innermost line in the lab's own code, and the exception as printed in the traceback's last line. */
export type Failure = { readonly file: string; readonly line: number; readonly error: string };

/** Last lines of a traceback, for mistakes that can be corrected from the files without the log. */
const SLIPS = [
  ['name', /^NameError: name '(?<name>\w{1,100})' is not defined(?=$|\. )/],
  // A module of the lab lacks the name; `file` is that module's path in the log.
  [
    'imported-name',
    /^ImportError: cannot import name '(?<name>\w{1,100})' from '[\w.]{1,200}' \((?<file>[^()]{1,400})\)/,
  ],
  ['module', /^(?:ModuleNotFoundError|ImportError): No module named '(?<name>[\w.]{1,200})'/],
  ['attribute', /^AttributeError: .{1,200} has no attribute '(?<name>\w{1,100})'\. Did you mean: '\w{1,100}'\?$/],
  [
    'keyword',
    /^TypeError: (?<function>[\w.<>]{1,200})\(\) got an unexpected keyword argument '(?<name>\w{1,100})'(?=$|\. )/,
  ],
  ['key', /^KeyError: (['"])(?<name>[\w.-]{1,60})\1$/],
  ['comma', /^SyntaxError: invalid syntax\. Perhaps you forgot a comma\?$/],
  ['colon', /^SyntaxError: expected ':'$/],
  [
    'bracket',
    /^SyntaxError: (?:closing parenthesis '.' does not match opening parenthesis )?'(?<name>[([{])'(?: on line \d{1,7}| was never closed)?$/,
  ],
] as const;

/**
 * `function`: what was called, for a keyword. `suggested`: the interpreter's proposal in the log, which the job's code may have forged; null
 * without one.
 */
type Slip = {
  readonly kind: (typeof SLIPS)[number][0];
  readonly name: string;
  readonly function: string;
  readonly suggested: string | null;
};

/** The files needed for a fix: the failing file, and those that may define the name. */
export type FixPlan = {
  readonly slip: Slip;
  readonly path: string;
  readonly line: number;
  readonly definingFiles: readonly string[];
  /** Modules in the package where the import searched for the missing one. */
  readonly modules: readonly string[];
};

/** Plans where to search. `paths`: all files of the commit. */
export function planFix({ file, line, error }: Failure, paths: readonly string[]): FixPlan | NoFix {
  for (const [kind, pattern] of SLIPS) {
    const match = pattern.exec(error);
    if (match === null) continue;
    const { name = '', file: module = '', function: called = '' } = match.groups ?? {};
    const suggested = /(?:Did you mean:? |forget to import )'([\w.]{1,200})'/.exec(error)?.[1] ?? null;
    const path = matchPath(file, paths);
    const definingFile = kind === 'imported-name' ? matchPath(module, paths) : null;
    if (path === null || (kind === 'imported-name' && definingFile === null))
      return { kind: 'none', reason: 'not-in-tree' };
    const modules = kind === 'module' ? listNearbyModules(name, paths) : [];
    const others = kind === 'attribute' || kind === 'keyword' ? listOtherFiles(path, paths) : [];
    const slip = { kind, name, function: called, suggested };
    return { slip, path, line, definingFiles: definingFile === null ? others : [definingFile], modules };
  }
  return { kind: 'none', reason: 'no-suggestion' };
}

/** Maps a path on the job's machine to a file of the commit: the longest file path that it ends with. */
function matchPath(file: string, paths: readonly string[]): string | null {
  const found = paths.filter((path) => file === path || file.endsWith(`/${path}`));
  return found.toSorted((a, b) => b.length - a.length)[0] ?? null;
}

/** The other Python files of the commit; none if they are too many to read. */
function listOtherFiles(path: string, paths: readonly string[]): readonly string[] {
  const others = paths.filter((one) => one.endsWith('.py') && one !== path);
  return others.length > OTHER_FILES_MAX ? [] : others;
}

const OTHER_FILES_MAX = 300;

/** Modules that can be imported from the parent package of `name`, if exactly one folder matches that package. */
function listNearbyModules(name: string, paths: readonly string[]): readonly string[] {
  const parent = name.split('.').slice(0, -1).join('/');
  if (parent === '') return [];
  const inside = paths.flatMap((path) => {
    const at = `/${path}`.indexOf(`/${parent}/`);
    return at < 0 ? [] : [{ root: path.slice(0, at), rest: path.slice(at + parent.length + 1) }];
  });
  if (new Set(inside.map(({ root }) => root)).size !== 1) return [];
  const names = inside.flatMap(({ rest }) => /^(\w+)(?:\/|\.py$)/.exec(rest)?.slice(1) ?? []);
  return [...new Set(names)];
}
