/** Colours in a job's log: the escape codes that terminals know become classes, everything else of that kind vanishes. */
import { type Html, html } from '../html.ts';
import { written } from '../parts/written.ts';

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
      classes.length === 0 ? written(text) : html`<span class="${classes.join(' ')}">${written(text)}</span>`,
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

/** Select Graphic Rendition (ECMA-48, 8.3.117); of the 256 colours and the millions only the eight that have a name are shown. */
function style(before: readonly string[], codes: string): readonly string[] {
  let classes = before;
  const parameters = codes.split(/[;:]/).map(Number);
  for (let index = 0; index < parameters.length; index += 1) {
    const code = parameters[index] ?? 0;
    if (code === 38 || code === 48) {
      const isIndexed = parameters[index + 1] === 5;
      const named = isIndexed ? names[(parameters[index + 2] ?? 0) % 8] : undefined;
      const known = isIndexed && (parameters[index + 2] ?? 0) < 16;
      if (code === 38) classes = [...without(classes, colours), ...(known ? [`ansi-${named}`] : [])];
      index += isIndexed ? 2 : 4;
    } else classes = plainStyle(classes, code);
  }
  return classes;
}

const weights: Readonly<Record<number, string>> = {
  1: 'ansi-bold',
  2: 'ansi-faint',
  3: 'ansi-slanted',
  4: 'ansi-underlined',
};
const colours = names.map((name) => `ansi-${name}`);

function plainStyle(classes: readonly string[], code: number): readonly string[] {
  if (code === 0) return [];
  const weight = weights[code];
  if (weight !== undefined) return [...without(classes, [weight]), weight];
  if (code === 22) return without(classes, ['ansi-bold', 'ansi-faint']);
  if (code === 23 || code === 24) return without(classes, [code === 23 ? 'ansi-slanted' : 'ansi-underlined']);
  if (code === 39) return without(classes, colours);
  const colour = names[code >= 90 && code <= 97 ? code - 90 : code - 30];
  return colour === undefined ? classes : [...without(classes, colours), `ansi-${colour}`];
}

function without(classes: readonly string[], gone: readonly string[]): readonly string[] {
  return classes.filter((name) => !gone.includes(name));
}
