/** What may be told of a script's output: the id that it names, and why it failed; nothing of what it echoes. */

import { stripVTControlCharacters } from 'node:util';
import { cutTextFromEnd } from '../../../domain/cut-text.ts';
import { limits } from '../../../domain/limits.ts';
import type { GroupEnd } from '../../../host/process-group.ts';
import { redact } from '../../../host/redactor.ts';

/** Of each output, in which the reason of a failure is looked for: a traceback, and what was logged before it. */
const SCRIPT_SAID_CHARS_MAX = 64 * 1024;

/** Output that ended with its program, or was cut with it. */
export type Said = Extract<GroupEnd, { readonly stdout: string }>;

/** The ids in `Job submitted with ID: X` (ray_run.py, which logs to standard error), each once; more than one is for a person. */
export function submittedIds({ stdout, stderr }: Said): readonly string[] {
  const lines = plain(`${stdout}\n${stderr}`).matchAll(/Job submitted with ID: (\S+)[^\S\n]*$/gm);
  return [...new Set([...lines].flatMap(([, id]) => id ?? []))];
}

/** Takes every given value out of a text, whole and line by line: a log shows a value of several lines that way. */
export function scrubber(values: readonly string[]): (text: string) => string {
  const all = values.flatMap((value) => [value, ...value.split(/\r?\n/)]);
  return (text) => redact(text, all);
}

/**
 * The lines that say why it failed, without those that echo variables (`env_vars: {…}`, `Terminal command: …`). Only
 * lines with a word of failure are taken, so that an echo of another shape is left out too.
 */
export function reasonOf(said: Said, scrub: (text: string) => string): string {
  const clean = scrub(lastWords(said));
  const lines = clean.split('\n').filter((line) => FAILURE.test(line) && !ECHO.test(line));
  const reason = cutTextFromEnd(lines.slice(-SHOWN_LINES).join('\n').trim(), limits.messageCharactersMax);
  return reason.toWellFormed();
}

/** The ends of both outputs, from a whole line on: what went wrong stands there, and a flood is searched no further. */
export function lastWords({ stdout, stderr }: Said): string {
  return plain(`${endOf(stdout)}\n${endOf(stderr)}`);
}

function endOf(text: string): string {
  if (text.length <= SCRIPT_SAID_CHARS_MAX) return text;
  const end = cutTextFromEnd(text, SCRIPT_SAID_CHARS_MAX);
  // Half a line may hold half a secret, which no scrubbing finds.
  return end.slice(end.indexOf('\n') + 1 || end.length);
}

const FAILURE =
  /\b(\w*(Error|Exception)|failed|refused|denied|forbidden|unauthorized|no such|not found|must start|already exists|does not exist|timed out|unreachable|can't open)\b/i;
const ECHO = /env_vars|runtime.env|Terminal command|Submitting job with entrypoint|^\s*"[^"]*":/i;
const SHOWN_LINES = 6;

function plain(text: string): string {
  return stripVTControlCharacters(text);
}
