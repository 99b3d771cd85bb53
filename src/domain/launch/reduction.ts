/** Changes that let a failed job start again: a smaller value for one option or variable, or a repair of the environment. */

export type Reduction = { readonly name: string; readonly value: string };

/** What a reduction can change. */
export type Started = {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
};

/** Parses `--batch-size 16`, `--batch-size=16` or `BATCH=16`; null otherwise. */
export function readReduction(text: string): Reduction | null {
  const [, name, value] =
    /^(--?[A-Za-z][\w.-]{0,60}|[A-Z][A-Z0-9_]{0,60})(?:=|\s+)(\S{1,60})$/.exec(text.trim()) ?? [];
  return name === undefined || value === undefined ? null : { name, value };
}

/** The command's current value; null if unset. */
export function valueNow({ command, environment }: Started, { name }: Reduction): string | null {
  if (!name.startsWith('-')) return environment[name] ?? null;
  for (const [index, part] of command.entries()) {
    if (part === name) return command[index + 1] ?? null;
    if (part.startsWith(`${name}=`)) return part.slice(name.length + 1);
  }
  return null;
}

/** Sets the value in the command's own form; unchanged if unset. */
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

/** Applies several reductions in order. */
export function reducedBy<Given extends Started>(started: Given, reductions: readonly string[]): Given {
  return reductions.reduce((before, text) => {
    const reduction = readReduction(text);
    return reduction === null ? before : reduced(before, reduction);
  }, started);
}

export type Repair =
  | { readonly kind: 'package'; readonly requirement: string }
  | { readonly kind: 'variable'; readonly name: string; readonly value: string };

/** Parses `numpy==1.26.4` or `NCCL_P2P_DISABLE=1`; null otherwise. An unpinned package would change over time. */
export function readRepair(text: string): Repair | null {
  const said = text.trim();
  if (/^[A-Za-z0-9][\w.-]{0,80}(?:\[[a-z0-9,-]{1,80}\])?==[A-Za-z0-9][\w.+!]{0,40}$/.test(said))
    return { kind: 'package', requirement: said };
  const [, name, value] = /^([A-Z][A-Z0-9_]{0,60})=([\w.:,/-]{1,60})$/.exec(said) ?? [];
  return name === undefined || value === undefined ? null : { kind: 'variable', name, value };
}

/** Applies all repairs. The interpreter's pip installs packages, then the original command replaces the shell. */
export function repairedBy<Given extends Started>(started: Given, repairs: readonly string[]): Given {
  const read = repairs.flatMap((text) => readRepair(text) ?? []);
  const variables = read.flatMap((one) => (one.kind === 'variable' ? [[one.name, one.value] as const] : []));
  const packages = read.flatMap((one) => (one.kind === 'package' ? [`'${one.requirement}'`] : []));
  const environment = { ...started.environment, ...Object.fromEntries(variables) };
  if (packages.length === 0) return { ...started, environment };
  const install = `python3 -m pip install --quiet ${packages.join(' ')} && exec "$@"`;
  return { ...started, environment, command: ['sh', '-c', install, 'sh', ...started.command] };
}
