/**
 * Reads overrides of a command line (`.args`), one a line: `optimizer.lr=3e-4`, `+model.depth=12`, `--lr=3e-4`, `--optimizer.lr 3e-4`,
 * `--set optimizer.lr=3e-4`. No shell reads the line, so quotes are a part of the value.
 */

import type { CodeStatement, ExperimentFile, Setting } from '../domain/launch/change-facts.ts';
import { joined } from './data-tree.ts';

/** One line that is neither empty nor a comment. `option`: the option before an override, as `--set`. */
type OverrideLine = {
  readonly line: number;
  readonly start: number;
  readonly text: string;
  readonly found: {
    readonly option: string;
    readonly name: string;
    readonly between: string;
    readonly value: string;
  } | null;
};

const OVERRIDE =
  /^(?<option>(?:--set|--override|-o) +)?(?<name>(?:--|\+\+?)?[A-Za-z_][\w./@-]*)(?<between>=| +)(?<value>\S.*)$/;

function listLines(text: string): readonly OverrideLine[] {
  let start = 0;
  return text.split('\n').flatMap((whole, index): readonly OverrideLine[] => {
    const at = start + whole.length - whole.trimStart().length;
    start += whole.length + 1;
    const line = whole.trim();
    if (line === '' || line.startsWith('#')) return [];
    const { option = '', name = '', between = '', value = '' } = OVERRIDE.exec(line)?.groups ?? {};
    // Only an option takes the next argument as its value.
    const isSetting = name !== '' && (between === '=' || (option === '' && name.startsWith('--')));
    return [{ line: index + 1, start: at, text: line, found: isSetting ? { option, name, between, value } : null }];
  });
}

/** The arguments that a program gets for the file. */
export function listOverrideArguments(text: string): readonly string[] {
  return listLines(text).flatMap(({ text: whole, found }) => {
    if (found === null) return [whole];
    const { option, name, between, value } = found;
    const words = between === '=' ? [`${name}=${value}`] : [name, value];
    return option === '' ? words : [option.trim(), ...words];
  });
}

/**
 * Each override is a setting. A line in another form is code, and so is a name that several lines set. Where one name is below another, a
 * program may take the last one, so that their order is code too.
 */
export function readOverrides(text: string): ExperimentFile {
  const settings: Setting[] = [];
  const code: CodeStatement[] = [];
  const lines = listLines(text);
  const paths = lines.map(({ found }) => (found === null ? null : found.name.replace(/^[+-]+/, '')));
  const isBelow = (one: string | null, other: string | null): boolean => one?.startsWith(`${other}.`) === true;
  for (const [index, { line, start, text: whole, found }] of lines.entries()) {
    const path = paths[index] ?? null;
    const others = paths.filter((_, at) => at !== index);
    const end = start + whole.length;
    if (found === null || path === null || others.includes(path)) {
      code.push({ line, start, end, same: joined(['line', whole]) });
      continue;
    }
    const { option, name, between, value } = found;
    if (others.some((other) => isBelow(other, path) || isBelow(path, other)))
      code.push({ line, start, end, same: joined(['order', path]) });
    const own = { text: value, same: value, start: end - value.length, end, line };
    settings.push({ ...own, place: 0, key: option + name + between, path, knob: path.replace(/^.*\./, '') });
  }
  return { kind: 'read', text, settings, containerLines: [1], code, names: [] };
}
