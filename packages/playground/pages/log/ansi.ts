/** Colours in a job's log: terminal styles become CSS classes, all other escape sequences are removed. */
import Anser from 'anser';
import { type Html, html } from '../html.ts';
import { showHiddenCharacters } from '../parts/written.ts';

/** Control sequences (ECMA-48) without a style, operating system commands (`ESC ] … BEL`) and single escapes. */
const notStyle = new RegExp(
  [
    String.raw`\x1b\[(?![\d;]*m)[0-9:;?<=>]*(?:[ -/]*[@-~])?`,
    String.raw`\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?`,
    String.raw`\x1b(?!\[)[@-Z\\-_]?`,
  ].join('|'),
  'g',
);

const marks: Readonly<Partial<Record<Anser.DecorationName, string>>> = {
  bold: 'ansi-bold',
  dim: 'ansi-faint',
  italic: 'ansi-slanted',
  underline: 'ansi-underlined',
};

/** Converts one line of text to markup; styles end with the line. */
export function ansiLine(line: string): Html {
  const parts = Anser.ansiToJson(line.replace(notStyle, ''), { use_classes: true, remove_empty: true });
  return html`${parts.map(({ content, decorations, fg }) => {
    const classes = [...decorations.flatMap((name) => marks[name] ?? []), ...colourClasses(fg)];
    return classes.length === 0
      ? showHiddenCharacters(content)
      : html`<span class="${classes.join(' ')}">${showHiddenCharacters(content)}</span>`;
  })}`;
}

/** Of the 256 colours and the true colours, only the eight named ones are shown. */
function colourClasses(name: string | null): readonly string[] {
  if (name === null || /^ansi-(?:palette|truecolor)/.test(name)) return [];
  return [name.replace('bright-', '')];
}
