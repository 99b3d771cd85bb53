/** Locates task list boxes in Markdown source, so that a click can change the right one. */
import { parse, postprocess, preprocess } from 'micromark';
import { gfm } from 'micromark-extension-gfm';

export type TaskMark = {
  /** Offset of the character between the brackets. */
  readonly offset: number;
  readonly isDone: boolean;
};

/** In document order, without text that only resembles a box, such as in code. */
export function taskMarks(source: string): readonly TaskMark[] {
  const document = parse({ extensions: [gfm()] }).document();
  const marks: TaskMark[] = [];
  for (const [phase, token] of postprocess(document.write(preprocess()(source, undefined, true)))) {
    if (phase !== 'enter') continue;
    // Extensions add to the parser's own token types.
    const type: string = token.type;
    if (type === 'taskListCheckValueChecked') marks.push({ offset: token.start.offset, isDone: true });
    if (type === 'taskListCheckValueUnchecked') marks.push({ offset: token.start.offset, isDone: false });
  }
  return marks;
}

/**
 * The text with one box changed. Null when there is no such box or it already has that state: then the reader saw an
 * outdated text.
 */
export function withTask(source: string, index: number, done: boolean): string | null {
  const mark = taskMarks(source)[index];
  if (mark === undefined || mark.isDone === done) return null;
  return `${source.slice(0, mark.offset)}${done ? 'x' : ' '}${source.slice(mark.offset + 1)}`;
}
