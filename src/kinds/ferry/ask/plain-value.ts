/** Whether a source text is a plain value: what the reader of experiment files takes for one, of names that the file has already. */

import type { ExperimentFile, ReadFile, Setting } from '../../../domain/experiment.ts';

/** The names that a file uses anywhere. */
export function namesIn({ names, settings }: ExperimentFile): ReadonlySet<string> {
  return new Set([...names, ...settings.flatMap((setting) => setting.names ?? [])]);
}

/** A power or a shift of literals can be a number that fills the memory, and a call reads more than the file. */
const TOO_MUCH = /\*\*|<<|\w\s*\(/;

/**
 * A bounded edit writes values, not code (policy DF-10): one line, one expression. `names` are
 * those that it may use.
 */
export async function isPlainValue(
  text: string,
  names: ReadonlySet<string>,
  read: ReadFile,
): Promise<boolean> {
  const value = await writtenValue(text, read);
  if (value === null || (value.isString !== true && TOO_MUCH.test(text))) return false;
  return (value.names ?? []).every((name) => names.has(name));
}

/** Whether a text is one string literal without anything to fill in. */
export async function isPlainString(text: string, read: ReadFile): Promise<boolean> {
  return (await writtenValue(text, read))?.isString === true;
}

/** The text as the value of an assignment that is a whole file; null where it would be more, or no value. */
async function writtenValue(text: string, read: ReadFile): Promise<Setting | null> {
  if (text.trim() === '' || /[\n\r]/.test(text)) return null;
  const file = await read(`_ = ${text}\n`);
  if (file.kind === 'unparsable' || file.code.length !== 1) return null;
  const [setting] = file.settings;
  return setting?.path === '_' ? setting : null;
}
