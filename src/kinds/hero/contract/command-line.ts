/** A command as people write it, as the exact argument array that it is: no shell ever reads it. */

export type CommandLine = {
  readonly environment: Readonly<Record<string, string>>;
  readonly command: readonly string[];
};

const VARIABLE = /^([A-Z][A-Z0-9_]{0,60})=(.*)$/s;

/** Null where it needs a shell, a quote stays open, or nothing is started. Values before the program are its environment. */
export function readCommandLine(text: string): CommandLine | null {
  const joined = text.replace(/\\\n\s*/g, ' ').trim();
  const parts = partsOf(joined);
  if (parts === null) return null;
  const environment: Record<string, string> = {};
  let first = 0;
  for (; first < parts.length; first += 1) {
    const [, name, value] = VARIABLE.exec(parts[first] ?? '') ?? [];
    if (name === undefined || value === undefined) break;
    environment[name] = value;
  }
  const command = parts.slice(first);
  return command.length === 0 || command.length > 50 ? null : { environment, command };
}

/** Words between blanks; quotes hold blanks together, and within single ones everything is itself. */
function partsOf(text: string): readonly string[] | null {
  const parts: string[] = [];
  let rest = text;
  let part: string | null = null;
  while (rest !== '') {
    const [found = '', blank, single, double, plain] =
      /^(?:(\s+)|'([^']*)'|"((?:[^"\\$`]|\\.)*)"|([^\s'"\\|;&<>`$]+))/.exec(rest) ?? [];
    if (found === '') return null;
    if (blank !== undefined) {
      if (part !== null) parts.push(part);
      part = null;
    } else {
      part = `${part ?? ''}${single ?? double?.replace(/\\(.)/g, '$1') ?? plain ?? ''}`;
    }
    rest = rest.slice(found.length);
  }
  const all = part === null ? parts : [...parts, part];
  return all.some((one) => one === '' || one.length > 500) ? null : all;
}

/** What the command gives one of these options, as `--name value` or `--name=value`. */
export function optionOf({ command }: CommandLine, names: readonly string[]): string | null {
  for (const [index, part] of command.entries()) {
    const [name = '', value] = part.split(/=(.*)/s, 2);
    if (names.includes(name.replace(/^--?/, ''))) return value ?? command[index + 1] ?? null;
  }
  return null;
}
