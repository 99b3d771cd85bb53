/**
 * Where to look for the correction of a small mistake (monitoring policy, *Fixing Small Bugs*). A job prints what it likes, so the log only
 * says where to look; src/host/python/suggest_fix.py finds the correction in the files of the commit that ran.
 */

/** A closed list, because each is recorded. */
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

/** The innermost line of the lab's own code, and the exception as its last line has it. */
export type Failure = { readonly file: string; readonly line: number; readonly error: string };

/** The last line of a traceback, where it names what could be put right from the files alone. */
const SLIPS = [
  ['name', /^NameError: name '(?<name>\w{1,100})' is not defined(?=$|\. )/],
  // A module of the lab's own has no such name; `file` is that module's, as the log has it.
  [
    'imported-name',
    /^ImportError: cannot import name '(?<name>\w{1,100})' from '[\w.]{1,200}' \((?<file>[^()]{1,400})\)/,
  ],
  ['module', /^(?:ModuleNotFoundError|ImportError): No module named '(?<name>[\w.]{1,200})'/],
  ['key', /^KeyError: (['"])(?<name>[\w.-]{1,60})\1$/],
  ['comma', /^SyntaxError: invalid syntax\. Perhaps you forgot a comma\?$/],
  ['colon', /^SyntaxError: expected ':'$/],
] as const;

/** `suggested`: what the log says that the interpreter proposes, which the job's own code may have printed; null for nothing. */
type Slip = {
  readonly kind: (typeof SLIPS)[number][0];
  readonly name: string;
  readonly suggested: string | null;
};

/** The files to read for a correction: the one that failed, and the one whose names are asked for. */
export type FixPlan = {
  readonly slip: Slip;
  readonly path: string;
  readonly line: number;
  readonly asked: string | null;
  /** Modules next to which the missing one was looked for. */
  readonly modules: readonly string[];
};

/** Where to look. `paths`: every file of the commit. */
export function planFix({ file, line, error }: Failure, paths: readonly string[]): FixPlan | NoFix {
  for (const [kind, pattern] of SLIPS) {
    const match = pattern.exec(error);
    if (match === null) continue;
    const { name = '', file: module = '' } = match.groups ?? {};
    const suggested = /(?:Did you mean:? |forget to import )'([\w.]{1,200})'/.exec(error)?.[1] ?? null;
    const path = pathOf(file, paths);
    const asked = kind === 'imported-name' ? pathOf(module, paths) : null;
    if (path === null || (kind === 'imported-name' && asked === null))
      return { kind: 'none', reason: 'not-in-tree' };
    const modules = kind === 'module' ? modulesBeside(name, paths) : [];
    return { slip: { kind, name, suggested }, path, line, asked, modules };
  }
  return { kind: 'none', reason: 'no-suggestion' };
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
  const names = inside.flatMap(({ rest }) => /^(\w+)(?:\/|\.py$)/.exec(rest)?.slice(1) ?? []);
  return [...new Set(names)];
}
