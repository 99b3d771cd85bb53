/** Parses a command into its exact argument array, without a shell. */

import { CHECKPOINT } from '../domain/launch/contract.ts';

export type CommandLine = {
  readonly environment: Readonly<Record<string, string>>;
  readonly command: readonly string[];
};

const VARIABLE = /^([A-Z][A-Z0-9_]{0,60})=(.*)$/s;

const ARGUMENTS_MAX = 50;
const ARGUMENT_CHARS_MAX = 500;

/** Null if the command needs a shell, has an open quote, is empty or too long. Leading assignments are its environment. */
export function readCommandLine(text: string): CommandLine | null {
  const joined = text.replace(/\\\r?\n\s*/g, ' ').trim();
  const parts = partsOf(joined);
  if (parts === null || parts.some((one) => one.length > ARGUMENT_CHARS_MAX)) return null;
  const environment: Record<string, string> = {};
  let first = 0;
  for (; first < parts.length; first += 1) {
    const [, name, value] = VARIABLE.exec(parts[first] ?? '') ?? [];
    if (name === undefined || value === undefined) break;
    environment[name] = value;
  }
  const command = parts.slice(first);
  const [program] = command;
  // The program must not be an option or a checkpoint placeholder.
  if (program === undefined || program.startsWith('-') || program.includes(CHECKPOINT)) return null;
  return command.length > ARGUMENTS_MAX ? null : { environment, command };
}

/** A lane's command and environment with those of this line; nothing where it cannot be read. */
export function commandIn(
  line: CommandLine | null,
  { environment }: { readonly environment: Readonly<Record<string, string>> },
): { readonly command?: string[]; readonly environment?: Record<string, string> } {
  return line === null
    ? {}
    : { command: [...line.command], environment: { ...environment, ...line.environment } };
}

/** Splits at blanks like a shell, with single and double quotes. Rejects further lines. */
function partsOf(text: string): readonly string[] | null {
  const parts: string[] = [];
  let rest = text;
  let part: string | null = null;
  while (rest !== '') {
    const [found = '', blank, single, double, plain] =
      /^(?:([ \t\r]+)|'([^']*)'|"((?:[^"\\$`]|\\.)*)"|([^ \t\r\n'"\\|;&<>`$]+))/.exec(rest) ?? [];
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
  return all.includes('') ? null : all;
}

/** Variables as `NAME=value`, then the arguments, split at blanks because an argument may hold a command. */
function commandWords({ environment, command }: CommandLine): readonly string[] {
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  return [...variables, ...command.flatMap((part) => part.split(/\s+/))];
}

/** The first value of these options or variables: `--name value`, `--name=value` or `NAME=value`. */
export function optionOf(line: CommandLine, names: readonly string[]): string | null {
  return optionsOf(line, names)[0] ?? null;
}

/** All values; the program decides which one counts. */
export function optionsOf(line: CommandLine, names: readonly string[]): readonly string[] {
  const wanted = new Set(names.map(optionName));
  return commandWords(line).flatMap((word, index, words) => {
    const [name = '', value] = word.split(/=(.*)/s, 2);
    return wanted.has(optionName(name)) ? [value ?? words[index + 1] ?? ''] : [];
  });
}

/** The normalized name: `--Load_Path`, `LOAD_PATH` and Hydra's `+load-path` are equal. */
function optionName(text: string): string {
  return text
    .replace(/^(?:--?|\+{1,2})/, '')
    .toLowerCase()
    .replaceAll('_', '-');
}

/** Options for the last step (Levanter, `trainer.num_train_steps`). */
export const STEP_OPTIONS = ['trainer.num_train_steps', 'num_train_steps', 'max_steps'];

/** Every part that may be a path; splits lists and mappings. */
export function pathsIn(line: CommandLine): readonly string[] {
  return commandWords(line)
    .flatMap((word) => word.split(/[\s,;"'()[\]|=]+|:(?!\/\/)/))
    .filter((one) => one !== '');
}

const STEP = /(?:^|\/)(?:step|global_step|checkpoint|ckpt)[-_]?\d+(?:\/|$)/i;
const FOLDER = /\/(?:checkpoints?|ckpts?)(?:\/|$)|^(?:checkpoints?|ckpts?)\//i;
const WEIGHTS = /\/[^/]+\.(?:ckpt|pth?|safetensors)$/i;
const SCRIPT = /\.(?:py|sh)$/i;

/** `…/step-1200`, `…/checkpoints/…`, `…/model.safetensors`, but no scripts. */
export function looksLikeCheckpoint(path: string): boolean {
  return !SCRIPT.test(path) && (STEP.test(path) || FOLDER.test(path) || WEIGHTS.test(path));
}

/** A script in the command (`bash -c '…'`) that needs a shell or an interpreter; null if there is none. */
export function unreadScript({ command }: CommandLine): string | null {
  return (
    command.find(
      (part, index) => /^-[a-z]{0,3}c$/.test(command[index - 1] ?? '') && readCommandLine(part) === null,
    ) ?? null
  );
}
