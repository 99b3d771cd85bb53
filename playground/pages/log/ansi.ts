/** Colours in a job's log: the escape codes that terminals know become classes, everything else of that kind vanishes. */
import { type Html, html } from '../html.ts';

const names = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;

/** ECMA-48 control sequences (`ESC [ … letter`), operating system commands (`ESC ] … BEL`) and single escapes. */
const sequence = new RegExp(
  [
    String.raw`\x1b\[([0-9;:?<=>]*)([ -/]*[@-~])`,
    String.raw`\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?`,
    String.raw`\x1b[@-Z\\-_]?`,
  ].join('|'),
  'g',
);

/** One line of text to markup; style does not carry over to the next line. */
export function ansiLine(line: string): Html {
  const pieces: Html[] = [];
  let classes: readonly string[] = [];
  let from = 0;
  const push = (text: string): void => {
    if (text === '') return;
    pieces.push(
      classes.length === 0 ? html`${text}` : html`<span class="${classes.join(' ')}">${text}</span>`,
    );
  };
  for (const match of line.matchAll(sequence)) {
    push(line.slice(from, match.index));
    if (match[2] === 'm') classes = style(classes, match[1] ?? '');
    from = match.index + match[0].length;
  }
  push(line.slice(from));
  return html`${pieces}`;
}

function style(before: readonly string[], codes: string): readonly string[] {
  let classes = before;
  for (const code of codes.split(/[;:]/).map(Number)) {
    if (code === 0) classes = [];
    if (code === 1) classes = [...classes.filter((name) => name !== 'ansi-bold'), 'ansi-bold'];
    const colour = names[code >= 90 && code <= 97 ? code - 90 : code - 30];
    if (colour !== undefined) classes = [...without(classes), `ansi-${colour}`];
    if (code === 39) classes = without(classes);
  }
  return classes;
}

function without(classes: readonly string[]): readonly string[] {
  return classes.filter((name) => name === 'ansi-bold');
}
