/** How a log ends: whether its last line is whole, and whether it is as the lines were among which it made its steps. */

import { cutText } from '../domain/cut-text.ts';

/** The last line that is not empty, the last one before it that shows a step, and what else is said among steps. */
export type LastLines = {
  line: string;
  isStep: boolean;
  step: string;
  /** How lines begin that stand before the last step, and those that stand behind it. */
  readonly known: Set<string>;
  behind: string[];
  /** How the last line begins that tells of nothing, and where the last few of those stand that begin as the one before. */
  beginning: string;
  alike: readonly number[];
};

/** Beginnings of lines that are kept: what comes again among steps comes soon. */
const BEGINNINGS_MAX = 400;
const BEGINNING_CHARS = 48;

/** Of a log of which nothing was read. */
export function newLastLines(): LastLines {
  return { line: '', isStep: false, step: '', known: new Set(), behind: [], beginning: '', alike: [] };
}

/** Takes the next line; `isSoft`: its logger calls it no more than a warning. */
export function noteLine(
  last: LastLines,
  {
    text: line,
    isStep,
    isSoft,
  }: { readonly text: string; readonly isStep: boolean; readonly isSoft: boolean },
): void {
  if (line.trim() === '') return;
  if (last.isStep) last.step = last.line;
  Object.assign(last, { line, isStep });
  if (!isStep) {
    if (!isSoft && last.behind.length < BEGINNINGS_MAX) last.behind.push(cutText(line, LINE_CHARS));
    return;
  }
  for (const one of last.behind) last.known.add(beginningOf(one));
  for (const oldest of last.known) {
    if (last.known.size <= BEGINNINGS_MAX) break;
    last.known.delete(oldest);
  }
  last.behind = [];
}

/** Takes a line that tells of no failure: whoever prints the same with other numbers again and again is at work, whatever it means. */
export function noteRhythm(last: LastLines, text: string, line: number): void {
  const beginning = beginningOf(text);
  if (beginning === '') return;
  if (beginning === last.beginning) last.alike = [...last.alike, line].slice(-RHYTHM_LINES);
  last.beginning = beginning;
}

/** Since which line the log has been like that; 0 where it is not. */
export function worksSince({ alike }: LastLines): number {
  return alike.length < RHYTHM_LINES ? 0 : (alike[0] ?? 0);
}

/** Whether nothing was said behind the last step but what was said among the steps too, and what work ends with. */
export function isUsualEnd({ known, behind }: LastLines): boolean {
  return behind.every((line) => known.has(beginningOf(line)) || KEEPING.test(line));
}

function beginningOf(line: string): string {
  return shapeOf(cutText(line, BEGINNING_CHARS));
}

/** A launcher that tells of a failure says a few things of one kind. */
const RHYTHM_LINES = 8;
/** As much of a line as says what it is about. */
const LINE_CHARS = 200;
/** Of what was trained, kept and measured at the end of an interval. */
const KEEPING =
  /\b(?:sav(?:e[ds]?|ing)|writ(?:e|ten|ing)|wrote|checkpoint\w{0,4}|stor(?:ed|ing)|upload(?:ed|ing)|eval\w{0,8}|valid\w{0,6}|test\w{0,4}|done|finish(?:ed|ing)|complete[ds]?)\b|^\W{0,4}warn(?:ing)?\b|^wandb: /i;

/** Whether the log ends in the middle of a line that shows a step: whoever wrote it went on to nothing. */
export function isCutShort({ line, step }: LastLines): boolean {
  const [shown, whole] = [shapeOf(line), shapeOf(step)];
  return shown !== '' && shown !== whole && whole.startsWith(shown);
}

function shapeOf(text: string): string {
  return text.trim().replace(/\d+/g, '#');
}
