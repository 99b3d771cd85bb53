/** A smaller setting for a command that ran out of memory: one option or variable, and the value that it gets. */

export type Reduction = { readonly name: string; readonly value: string };

/** What a job is started with, as far as a reduction can change it. */
export type Started = {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
};

/** `--batch-size 16`, `--batch-size=16`, `BATCH=16`; null for anything else. */
export function readReduction(text: string): Reduction | null {
  const [, name, value] =
    /^(--?[A-Za-z][\w.-]{0,60}|[A-Z][A-Z0-9_]{0,60})(?:=|\s+)(\S{1,60})$/.exec(text.trim()) ?? [];
  return name === undefined || value === undefined ? null : { name, value };
}

/** The value that the command has there now; null where it has none. */
export function valueNow({ command, environment }: Started, { name }: Reduction): string | null {
  if (!name.startsWith('-')) return environment[name] ?? null;
  for (const [index, part] of command.entries()) {
    if (part === name) return command[index + 1] ?? null;
    if (part.startsWith(`${name}=`)) return part.slice(name.length + 1);
  }
  return null;
}

/** The same with that value, in the form in which the command has it; unchanged where it has none. */
export function reduced<Given extends Started>(started: Given, { name, value }: Reduction): Given {
  const { command, environment } = started;
  if (!name.startsWith('-'))
    return environment[name] === undefined
      ? started
      : { ...started, environment: { ...environment, [name]: value } };
  return {
    ...started,
    command: command.map((part, index) => {
      if (command[index - 1] === name) return value;
      return part.startsWith(`${name}=`) ? `${name}=${value}` : part;
    }),
  };
}

/** The reductions one after the other. */
export function reducedBy<Given extends Started>(started: Given, reductions: readonly string[]): Given {
  return reductions.reduce((before, text) => {
    const reduction = readReduction(text);
    return reduction === null ? before : reduced(before, reduction);
  }, started);
}
