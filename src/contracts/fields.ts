/** The fields of a run's contract in an issue: their names, how to read them, and whether a launch needs them. */

import { LOGIN } from '../domain/actor.ts';
import {
  CHECKPOINT,
  type Contract,
  type ContractValue,
  contractValue,
  type PinnedSource,
} from '../domain/launch/contract.ts';
import type { GateId } from '../domain/launch/verdict.ts';
import { brandAs, isSha } from '../domain/values.ts';
import { findSecretNames } from '../domain/written-secrets.ts';

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
  const parts = splitShellWords(joined);
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

/** The command of this line, and the lane's environment with the line's variables; empty if the line cannot be read. */
export function commandSettings(
  line: CommandLine | null,
  { environment }: { readonly environment: Readonly<Record<string, string>> },
): { readonly command?: string[]; readonly environment?: Record<string, string> } {
  return line === null ? {} : { command: [...line.command], environment: { ...environment, ...line.environment } };
}

/** Splits at blanks like a shell, with single and double quotes. Rejects further lines. */
function splitShellWords(text: string): readonly string[] | null {
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
function allWords({ environment, command }: CommandLine): readonly string[] {
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  return [...variables, ...command.flatMap((part) => part.split(/\s+/))];
}

/** The first value of these options or variables: `--name value`, `--name=value` or `NAME=value`. */
export function findOption(line: CommandLine, names: readonly string[]): string | null {
  return listOptions(line, names)[0] ?? null;
}

/** All values; the program decides which one counts. */
export function listOptions(line: CommandLine, names: readonly string[]): readonly string[] {
  const wanted = new Set(names.map(optionName));
  return allWords(line).flatMap((word, index, words) => {
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
export function listStoragePaths(line: CommandLine): readonly string[] {
  return allWords(line)
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
    command.find((part, index) => /^-[a-z]{0,3}c$/.test(command[index - 1] ?? '') && readCommandLine(part) === null) ??
    null
  );
}

const SCALE: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  thousand: 1e3,
  m: 1e6,
  million: 1e6,
  b: 1e9,
  g: 1e9,
  billion: 1e9,
  t: 1e12,
  trillion: 1e12,
};

const RAISED = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** A positive whole number; null for other text, such as *about 5k*. */
export function readCount(text: string): number | null {
  const value = readQuantity(text);
  return value !== null && Number.isSafeInteger(value) && value > 0 ? value : null;
}

/** A positive number with an optional unit; null for other text. */
export function readQuantity(text: string): number | null {
  // `100.000` means a hundred thousand in some countries and a hundred in others.
  if (/^[1-9]\d{0,2}(?:\.\d{3})+$/.test(text.trim())) return null;
  const plain = normalizePower(text.trim().replace(/(?<=\d)[_,](?=\d{3}(?!\d))/g, ''));
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?(?:e\+?\d{1,2})?)\s*([a-z]{0,8})$/i.exec(plain) ?? [];
  if (digits === undefined) return null;
  const value = Number(digits) * (SCALE[unit.toLowerCase()] ?? Number.NaN);
  return Number.isFinite(value) && value > 0 ? value : null;
}

/** Normalizes powers of ten: `2.5 × 10^24` and `2.5×10²⁴` become `2.5e24`. */
function normalizePower(text: string): string {
  const flat = text.replace(/10([⁰¹²³⁴-⁹]+)$/, (_, raised: string) => {
    return `10^${Array.from(raised, (sign) => RAISED.indexOf(sign)).join('')}`;
  });
  const [, times = '1', power] =
    /^(?:(\d+(?:\.\d+)?)\s{0,3}[×x*·]\s{0,3})?10\s{0,3}(?:\^|\*\*)\s{0,3}(\d{1,2})$/i.exec(flat) ?? [];
  return power === undefined ? text : `${times}e${power}`;
}

/** A parsed value, or what is expected instead. */
export type FieldReading = { readonly value: string } | { readonly unclear: string };
export type FieldReader = (said: string) => FieldReading;

export type Field = {
  /** The label in the issue form. */
  readonly label: string;
  readonly synonyms: readonly string[];
  readonly needed: boolean;
  readonly read: FieldReader;
  /** An invalid answer may be a secret, so it is not recorded. */
  readonly hidesUnclear?: true;
  /** How long checkpoints are kept; a missing answer has its own message. */
  readonly isRetention?: true;
  /** The gate that compares the value with the real state. */
  readonly checkedBy?: GateId;
};

type Extras = Omit<Field, 'label' | 'synonyms' | 'needed' | 'read'>;

/** A field that a launch needs. */
export function required(label: string, also: readonly string[], read: FieldReader, extras: Extras = {}): Field {
  return { label, synonyms: also, needed: true, read, ...extras };
}

/** A field that a contract may omit. */
export function optional(label: string, also: readonly string[], read: FieldReader, extras: Extras = {}): Field {
  return { label, synonyms: also, needed: false, read, ...extras };
}

/** The request to remove a secret from a text; null if the text has none. It names the secret's location, never the secret. */
export function describeSecretToRemove(said: string): string | null {
  const names = findSecretNames(said);
  if (names === null) return null;
  const where = names.length === 0 ? 'that it holds' : `in ${names.join(', ')}`;
  return `a text without the secret ${where}; rotate that secret now, edit the issue, and delete the old revision from its edit history; a job gets secrets from passSecrets of its lane`;
}

/** In reading order. */
export type ContractFields<Name extends string = string> = Readonly<Record<Name, Field>>;
export type Values<Name extends string = string> = Readonly<Partial<Record<Name, ContractValue>>>;

export const readText: FieldReader = (said) => ({ value: said });

export const readCountField: FieldReader = (said) => toFieldReading(readCount(said), 'a whole number');

/** A whole number with words around it: *every 500k steps*. */
export function countReader(before: readonly string[], unit: readonly string[]): FieldReader {
  return (said) => readCountField(stripUnit(stripLead(said, before), unit));
}

/** Removes one of these words from the start. */
export function stripLead(said: string, words: readonly string[]): string {
  const plain = said.trim();
  const lead = words.find((word) => plain.toLowerCase().startsWith(`${word} `));
  return lead === undefined ? plain : plain.slice(lead.length).trim();
}

/** Removes one of these words after a number; for minutes, `m` is not a million. */
export function stripUnit(said: string, words: readonly string[]): string {
  const plain = said.trim();
  const unit = words.find((word) => plain.toLowerCase().endsWith(word));
  const rest = unit === undefined ? plain : plain.slice(0, -unit.length);
  return /[\d\sKMBGT⁰¹²³⁴-⁹]$/i.test(rest) ? rest.trim() : plain;
}

/** A command that needs no shell. */
export const readCommand: FieldReader = (said) =>
  readCommandLine(said) === null ? { unclear: 'one program with its arguments, without a shell' } : { value: said };

/** The pattern's first group. */
export function patternReader(pattern: RegExp, wanted: string): FieldReader {
  return (said) => toFieldReading(pattern.exec(said)?.[1] ?? null, wanted);
}

/** A commit id, or its page on GitHub. */
export const readCommit = patternReader(
  /^(?:https:\/\/github\.com\/[\w.-]{1,100}\/[\w.-]{1,100}\/commit\/)?([0-9a-f]{40})$/,
  'the 40 hex digits of one commit',
);

export const readLogin = patternReader(new RegExp(`^@?(${LOGIN})$`), 'one GitHub login');

/** The value as text, or what is expected. */
export function toFieldReading(value: number | string | null, wanted: string): FieldReading {
  return value === null ? { unclear: wanted } : { value: String(value) };
}

/** Compares headings without case, punctuation and blanks. */
export function isSameName(one: string, other: string): boolean {
  return normalizeLabel(one) === normalizeLabel(other);
}

/** The names of the fields, in their order. */
export function fieldNames<Name extends string>(fields: ContractFields<Name>): readonly Name[] {
  return Object.keys(fields).filter((name): name is Name => Object.hasOwn(fields, name));
}

/** A given or inferred value. */
export function readValue<Name extends string>(contract: Contract | Values<Name>, name: NoInfer<Name>): string | null {
  return contractValue(contract as Contract, name);
}

/** The commit that the contract pins; null: the run uses the lane's branch. */
export function readPinnedSource(contract: Contract): PinnedSource | null {
  const commit = contractValue(contract, 'commit');
  return commit === null ? null : { commit: brandAs(commit, isSha), branch: contractValue(contract, 'branch') };
}

function normalizeLabel(text: string): string {
  return text
    .toLowerCase()
    .replace(/[*_`:()]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

type OpenParts = { readonly missing: readonly string[]; readonly unclear: readonly string[] };

/** A launch needs both lists to be empty. */
export function findOpenParts(fields: ContractFields, contract: Contract): OpenParts {
  const names = fieldNames(fields);
  // rule HR-10
  const missing = names.filter((name) => fields[name]?.needed === true && contract[name] === undefined);
  const labelOf = (name: string): string => fields[name]?.label ?? name;
  return {
    missing: missing.map(labelOf),
    unclear: names.flatMap((name) => {
      const value = contract[name];
      // rule HR-17
      return value?.source === 'unclear' ? [`${labelOf(name)}: ${value.from}`] : [];
    }),
  };
}
