/**
 * What puts a slip right, worked out from the files of the commit that ran: a job prints what it likes, so that the log
 * only says where to look and what is missing there. A name, an import or a sign is all that is ever changed, and
 * nothing where two things could be meant.
 */

import { limits } from '../../domain/limits.ts';
import type { PySyntax, PythonParser } from '../../domain/python-syntax.ts';
import { type Edit, edited, unifiedDiff } from './fix-file.ts';
import { importLine } from './import-line.ts';
import { signEdits } from './missing-sign.ts';
import { type NoFix, none } from './no-fix.ts';
import { BUILTINS, STANDARD_MODULES } from './python-library.ts';
import { hasHiddenNames, type NameAt, namesIn, namesOfModule, nodesOf, visibleFrom } from './python-names.ts';
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

/** The fix, or why there is none. `asked`: the text of the file of that name. */
export function suggestFix(
  plan: FixPlan,
  text: string,
  asked: string | null,
  parser: PythonParser,
): Fix | NoFix {
  if (Math.max(text.length, asked?.length ?? 0) > limits.fixedFileCharsMax) return none('too-long');
  const edits = editsFor(plan, parser.parse(text), asked === null ? null : parser.parse(asked), parser);
  if ('kind' in edits) return edits;
  const after = edited(text, edits);
  const { hasErrors, refusal } = parser.parse(after);
  if (hasErrors || refusal !== null) return none('not-mended');
  const { path, line } = plan;
  return { kind: 'fix', path, line, text: after, diff: unifiedDiff(path, text, after) };
}

function editsFor(
  { slip, line, modules }: FixPlan,
  syntax: PySyntax,
  asked: PySyntax | null,
  parser: PythonParser,
): readonly Edit[] | NoFix {
  if (slip.kind === 'comma' || slip.kind === 'colon') return signEdits(slip.kind, syntax.text, line, parser);
  if (syntax.hasErrors || syntax.refusal !== null) return none('tree-unlike');
  switch (slip.kind) {
    case 'name':
      return nameEdits(slip, syntax, line);
    case 'imported-name':
      return asked === null ? none('tree-unlike') : importedNameEdits(slip, syntax, asked, line);
    case 'module':
      return moduleEdits(slip, syntax, modules, line);
    case 'key':
      return keyEdits(slip.key, syntax, line);
  }
}

type Of<Kind extends Slip['kind']> = Extract<Slip, { readonly kind: Kind }>;

/** A name that the file binds nowhere: the one that can be meant, or the module of that name that nobody imported. */
function nameEdits(slip: Of<'name'>, syntax: PySyntax, line: number): readonly Edit[] | NoFix {
  const names = namesIn(syntax);
  const uses = names.filter(({ name }) => name === slip.name);
  if (uses.some(({ isBinding }) => isBinding) || hasHiddenNames(syntax, names)) return none('tree-unlike');
  if (!uses.some((use) => use.line === line) || BUILTINS.includes(slip.name)) return none('tree-unlike');
  // Of a file in which it is used everywhere, what can be seen from each place would take minutes to tell.
  if (uses.length > PLACES_MAX) return none('several-candidates');
  const seen = uses.map((use) => [...visibleFrom(names, use), ...BUILTINS]);
  if (STANDARD_MODULES.has(slip.name) && !seen.flat().some((one) => isLike(slip.name, one)))
    return agreed(slip, slip.name, [importLine(slip.name, syntax)]);
  const meant = new Set(seen.map((visible) => onlyNear(slip.name, visible)));
  const [only] = meant;
  if (meant.size > 1 || only === 'several') return none('several-candidates');
  if (only == null) return none('no-candidate');
  return agreed(slip, only, renamed(uses, only));
}

/** The log may suggest nothing, as older interpreters do; one that suggests something else is not about this file. */
function agreed(
  { suggested }: { readonly suggested: string | null },
  found: string,
  edits: readonly Edit[],
): readonly Edit[] | NoFix {
  if (edits.length > PLACES_MAX) return none('several-candidates');
  return suggested === null || suggested === found ? edits : none('other-suggestion');
}

function renamed(uses: readonly NameAt[], name: string): readonly Edit[] {
  return uses.map(({ start, end }) => ({ start, end, text: name }));
}

/** `from lab.module import nmae`: the one name of that module which can be meant. */
function importedNameEdits(
  slip: Of<'imported-name'>,
  syntax: PySyntax,
  module: PySyntax,
  line: number,
): readonly Edit[] | NoFix {
  const imported = nodesOf(syntax.root, 'import_from_statement')
    .filter((one) => one.line === line)
    .flatMap(({ children }) => children.filter(({ field }) => field === 'name'))
    .map((one) => ({
      at: one.kind === 'aliased_import' ? one.children[0] : one,
      isRenamed: one.kind !== 'dotted_name',
    }))
    .filter(({ at }) => syntax.text.slice(at?.start, at?.end) === slip.name);
  const [one, ...more] = imported;
  const offered = namesOfModule(module);
  if (one?.at === undefined || more.length > 0 || module.hasErrors || offered.has(slip.name))
    return none('tree-unlike');
  if (hasHiddenNames(module, namesIn(module))) return none('tree-unlike');
  const meant = onlyNear(slip.name, offered);
  if (meant === null) return none('no-candidate');
  if (meant === 'several') return none('several-candidates');
  const { start, end } = one.at;
  const edit = { start, end, text: meant };
  if (one.isRenamed) return agreed(slip, meant, [edit]);
  const names = namesIn(syntax);
  const uses = names.filter((use) => use.name === slip.name && use.start !== start);
  // What the file binds besides may be what it means.
  if (
    names.some(({ name, isBinding }) => name === meant && isBinding) ||
    uses.some(({ isBinding }) => isBinding)
  )
    return none('tree-unlike');
  return agreed(slip, meant, [edit, ...renamed(uses, meant)]);
}

/** `from lab.modul import name`: the one module of that package which can be meant. */
function moduleEdits(
  slip: Of<'module'>,
  syntax: PySyntax,
  modules: readonly string[],
  line: number,
): readonly Edit[] | NoFix {
  const last = slip.name.slice(slip.name.lastIndexOf('.') + 1);
  const named = nodesOf(syntax.root, 'import_from_statement')
    .filter((one) => one.line === line)
    .flatMap(({ children }) =>
      children.filter(({ field, kind }) => field === 'module_name' && kind === 'dotted_name'),
    )
    .filter(({ start, end }) => syntax.text.slice(start, end) === slip.name);
  const [one, ...more] = named;
  if (one === undefined || more.length > 0 || modules.includes(last)) return none('tree-unlike');
  const meant = onlyNear(last, modules);
  if (meant === null) return none('no-candidate');
  if (meant === 'several') return none('several-candidates');
  return agreed({ suggested: slip.suggested?.split('.').at(-1) ?? null }, meant, [
    { start: one.end - last.length, end: one.end, text: meant },
  ]);
}

/** `table['wrmup']`: the one key that stands anywhere in the file and can be meant. */
function keyEdits(key: string, syntax: PySyntax, line: number): readonly Edit[] | NoFix {
  const { root, text } = syntax;
  const strings = [...nodesOf(root, 'subscript'), ...nodesOf(root, 'pair')].flatMap(({ children }) =>
    children.filter(({ field, kind }) => kind === 'string' && (field === 'subscript' || field === 'key')),
  );
  const keys = strings.flatMap(({ children: [open, content, close, ...rest] }) => {
    const isPlain =
      open !== undefined && close !== undefined && rest.length === 0 && open.end - open.start === 1;
    return isPlain && content !== undefined
      ? [{ ...content, key: text.slice(content.start, content.end) }]
      : [];
  });
  const named = nodesOf(root, 'call')
    .filter((call) => text.slice(call.children[0]?.start, call.children[0]?.end) === 'dict')
    .flatMap((call) => nodesOf(call, 'keyword_argument'))
    .map(({ children: [name] }) => text.slice(name?.start, name?.end));
  const [one, ...more] = keys.filter((found) => found.key === key);
  if (one === undefined || one.line !== line || more.length > 0 || named.includes(key))
    return none('tree-unlike');
  const meant = onlyNear(key, [...keys.map((found) => found.key), ...named]);
  if (meant === null) return none('no-candidate');
  return meant === 'several' ? none('several-candidates') : [{ start: one.start, end: one.end, text: meant }];
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

/** A slip of the pen stands in few places; a name that is used everywhere is somebody's decision. */
const PLACES_MAX = 10;

/** At most `SLIP_LETTERS_MAX`, or null where it is more. */
function lettersApart(one: string, other: string): number | null {
  if (Math.abs(one.length - other.length) > SLIP_LETTERS_MAX) return null;
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwapped = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      next.push(
        Math.min(
          (row[j] ?? 0) + 1,
          (next[j - 1] ?? 0) + 1,
          (row[j - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped && i > 1 && j > 1 ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    before = row;
    row = next;
  }
  const apart = row[other.length] ?? 0;
  return apart <= SLIP_LETTERS_MAX ? apart : null;
}

/** Beyond two letters it is another word (the policy's *obvious from context*). */
const SLIP_LETTERS_MAX = 2;

/** The one name that a misspelt one can mean; null where there is none, or only one that is too far from a short name. */
function onlyNear(name: string, names: Iterable<string>): string | 'several' | null {
  const near = [...new Set(names)].filter(
    (one) => one !== name && isPlain(one) && lettersApart(name, one) !== null,
  );
  const [found] = near;
  if (found === undefined) return null;
  if (near.length > 1) return 'several';
  return isLike(name, found) ? found : null;
}

/** Letters that look like others are told apart by no reader of a difference. */
function isPlain(name: string): boolean {
  return /^[\x21-\x7e]+$/.test(name);
}

/** Of a short name two letters are nearly all: the interpreter's own measure, a sixth of both lengths. */
function isLike(name: string, other: string): boolean {
  const apart = name === other ? null : lettersApart(name, other);
  return apart !== null && 6 * apart <= name.length + other.length + 3;
}
