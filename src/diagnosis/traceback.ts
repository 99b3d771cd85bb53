/** Python tracebacks in a log: chained, of several processes at once, and of Ray's remote tasks. */

import { cutText } from '../domain/values.ts';
import type { PlainLine } from './unprefixed.ts';

/** `isImport`: the frame stands at a statement that imports; `isRaise`: at one that raises; `isRestore`: at one about a checkpoint; `statement`: what is shown of it. */
export type Frame = {
  readonly file: string;
  readonly line: number;
  readonly name: string;
  readonly isImport: boolean;
  readonly isRaise: boolean;
  readonly isRestore: boolean;
  readonly statement: string;
};

/** One exception with the frames that it came through, the outermost first. */
export type Raised = {
  readonly type: string;
  readonly message: string;
  /** The lines behind it, which may go on with it: many messages have several. */
  readonly more: string;
  readonly frames: readonly Frame[];
  /** The line of the log that names it, from 1. */
  readonly lineNumber: number;
};

/** `chain`: what was raised first stands first. `isIgnored`: the interpreter says itself that it goes on. */
export type Traceback = {
  readonly stream: string;
  readonly chain: readonly [Raised, ...Raised[]];
  readonly isIgnored: boolean;
};

export type TracebackReader = {
  /** Takes the next line; true where it belongs to a traceback, and is nobody's message. */
  readonly take: (line: PlainLine, lineNumber: number) => boolean;
  /** All that were read whole, by where they ended. */
  readonly found: () => readonly Traceback[];
};

type Open = {
  frames: Frame[];
  /** Where `File` stands: what is further left ends the frames. */
  indent: number | null;
  /** The last line was a frame, and its statement follows. */
  isAtFrame: boolean;
  /** Lines since the last that belonged to it. */
  idle: number;
  chain: Raised[];
  /** The words between two tracebacks of one chain have been read. */
  isLinked: boolean;
  isIgnored: boolean;
  state: 'frames' | 'after';
};

/** Reads line by line; the parts of each stream are put together on their own. */
export function createTracebackReader(): TracebackReader {
  const open = new Map<string, Open>();
  const done = createEnds<Traceback>(TRACEBACKS_MAX);
  let ignoredAt = 0;
  const close = (stream: string, one: Open): void => {
    open.delete(stream);
    const [first, ...rest] = one.chain;
    if (first !== undefined) done.add({ stream, chain: [first, ...rest], isIgnored: one.isIgnored });
  };
  const take = ({ text, stream }: PlainLine, lineNumber: number): boolean => {
    const one = open.get(stream);
    if (text.startsWith('Exception ignored in')) ignoredAt = lineNumber;
    if (HEADER.test(text)) {
      // A data loader's worker is told behind the exception of whoever waited for it.
      if (one?.isLinked === true || (one?.state === 'after' && text.startsWith('Original ')))
        Object.assign(one, FRESH, { frames: [] });
      else {
        if (one !== undefined) close(stream, one);
        for (const [oldest, other] of open) {
          if (open.size < STREAMS_MAX) break;
          close(oldest, other);
        }
        const isIgnored = ignoredAt !== 0 && lineNumber - ignoredAt <= 2;
        open.set(stream, { ...FRESH, frames: [], chain: [], isIgnored });
      }
      return true;
    }
    // What goes on may be told without its frames.
    if (one === undefined && ignoredAt !== 0 && lineNumber === ignoredAt + 1 && RAISED_ALONE.test(text))
      return true;
    // A file that cannot be parsed is told without a header, and a log that was cut may begin behind it.
    if (one === undefined && (UNPARSED.test(text) || HEADLESS.test(text)))
      open.set(stream, { ...FRESH, frames: [], chain: [], isIgnored: false });
    const begun = open.get(stream);
    return begun === undefined ? false : readOn(begun, text, lineNumber, () => close(stream, begun));
  };
  const found = (): readonly Traceback[] => {
    for (const [stream, one] of open) close(stream, one);
    return done.all();
  };
  return { take, found };
}

/** One line behind a header, in the same stream. */
function readOn(one: Open, text: string, lineNumber: number, close: () => void): boolean {
  const frame = frameIn(text);
  if (frame !== null) {
    // Ray prints the frames of the remote task behind the name of its own error.
    if (one.state === 'after') Object.assign(one, FRESH, { frames: [] });
    one.indent = frame.indent;
    one.idle = 0;
    one.isAtFrame = true;
    const { file, line, name } = frame;
    if (one.frames.length < FRAMES_MAX)
      one.frames.push({ file, line, name, isImport: false, isRaise: false, isRestore: false, statement: '' });
    return true;
  }
  return one.state === 'frames' ? readFrames(one, text, lineNumber, close) : readAfter(one, text, close);
}

type Seen = Pick<Frame, 'file' | 'line' | 'name'> & Pick<Open, 'indent'>;

/** A frame as the interpreter, rich or IPython prints it. */
function frameIn(text: string): Seen | null {
  const plain = FRAME.exec(text);
  const boxed = plain ?? BOXED_FRAME.exec(text);
  if (boxed !== null)
    return {
      file: (boxed[1] ?? '').replaceAll('\\', '/'),
      line: Number(boxed[2]),
      name: boxed[3] ?? '',
      indent: plain === null ? 1 : text.length - text.trimStart().length,
    };
  // What stands in a cell has no file.
  const cell = CELL_FRAME.exec(text);
  if (cell !== null) return { file: `<${cell[1] ?? ''}>`, line: Number(cell[2] ?? 0), name: '', indent: 1 };
  const viewed = VIEWED_FRAME.exec(text);
  return viewed === null
    ? null
    : { file: viewed[1] ?? '', line: Number(viewed[2] ?? 0), name: viewed[3] ?? '', indent: 1 };
}

function readFrames(one: Open, text: string, lineNumber: number, close: () => void): boolean {
  const { isAtFrame } = one;
  one.isAtFrame = false;
  if (BOX.test(text)) return true;
  const viewed = VIEWED_SOURCE.exec(text);
  if (viewed !== null) {
    const [shown, at] = viewed;
    if (at !== undefined) noteStatement(one, text.slice(shown.length), Number(at));
    return true;
  }
  const indent = text.length - text.trimStart().length;
  const raised = RAISED.exec(text.trim());
  // A log that lost its indentation has the statement where the next frame would stand.
  const isFlat = one.indent === 0;
  if (
    raised !== null &&
    one.frames.length > 0 &&
    (one.indent === null || indent < one.indent || (isFlat && !isAtFrame) || (isFlat && isError(raised)))
  ) {
    const [, type = '', message = ''] = raised;
    one.chain.push({ type, message, more: '', frames: one.frames, lineNumber });
    one.state = 'after';
    one.idle = 0;
    one.isLinked = false;
    return true;
  }
  if (one.indent !== null && (indent > one.indent || (isFlat && isAtFrame))) {
    noteStatement(one, text, 0);
    return true;
  }
  one.idle += 1;
  if (one.idle > IDLE_LINES_MAX) close();
  return text.trim() === '' || /^\s{2,}/.test(text);
}

/** Python's own exceptions, which no statement looks like. */
function isError([, type = '']: RegExpExecArray): boolean {
  return /^[A-Z]\w{0,80}(?:Error|Exception)$/.test(type);
}

/** `at`: the line where the statement is shown to stand; 0 where it is not shown. */
function noteStatement(one: Open, text: string, at: number): void {
  const last = one.frames.at(-1);
  if (last === undefined) return;
  one.frames[one.frames.length - 1] = {
    ...last,
    line: last.line === 0 ? at : last.line,
    isImport: last.isImport || /^\s*(?:import|from) /.test(text),
    isRaise: last.isRaise || /^\s*raise\b/.test(text),
    isRestore: last.isRestore || RESTORES.test(text),
    statement: last.statement === '' ? cutText(text.trim(), STATEMENT_CHARS_MAX) : last.statement,
  };
}

function readAfter(one: Open, text: string, close: () => void): boolean {
  if (LINK.test(text)) {
    one.isLinked = true;
    one.idle = 0;
    return true;
  }
  one.idle += 1;
  const last = one.chain.at(-1);
  if (last !== undefined && one.idle <= MESSAGE_LINES_MAX && text.trim() !== '')
    one.chain[one.chain.length - 1] = { ...last, more: `${last.more}\n${text.trim()}` };
  if (one.idle > IDLE_LINES_MAX) close();
  return false;
}

const FRESH: Pick<Open, 'indent' | 'idle' | 'isAtFrame' | 'isLinked' | 'state'> = {
  indent: null,
  isAtFrame: false,
  idle: 0,
  isLinked: false,
  state: 'frames',
};

const RAISED_ALONE = /^[A-Z_a-z][\w.]*(?:Error|Exception): /;
const HEADER = /(?:^|[\s:|])Traceback \(most recent call last\)(?::?\s*$|: \(RANK \d{1,6}\)| ─)/;
const FRAME = /^[\s|]*File "([^"]{1,400})", line (\d{1,9})(?:, in (.{1,160}))?/;
/** As `faulthandler` does not write it. */
const HEADLESS = /^\s*File "[^"]{1,400}", line \d{1,9}, in \S|^File [~/][\w./-]{1,400}\.py:\d{1,9}, in \w/;
const UNPARSED = /^ {1,2}File "[^"]{1,400}", line \d{1,9}$/;
/** As rich draws it, in a box. */
const BOXED_FRAME = /^[│|] ([\w./-]{1,400}):(\d{1,9}) in ([\w<>]{1,160})/;
/** Not of activations that are computed again, which are called checkpoints too. */
const RESTORES = /state_dict\w{0,20}[[(]|(?:checkpoint|ckpt)\w{0,20}\[|\btorch\.load\(/;
const BOX = /^[│|╭╰]/;
/** IPython, in its several versions: a cell; a file, also without a line and as a link of Colab; what stands there. */
const CELL_FRAME =
  /^\[?(?:Cell |Input )?<?((?:In ?\[\d{1,9}\]|ipython-input-[\w-]{1,40}|timed \w{1,10}))>?(?:\]\(\S{1,80}\))?(?:, line (\d{1,9})|,? in <)/;
const VIEWED_FRAME =
  /^(?:File )?\[?([~/][\w./-]{1,400}\.py)(?:\]\(\S{1,80}\))?(?::(\d{1,9}))?,? in ([\w.<>]{1,160})(?:\(|$)/;
const VIEWED_SOURCE = /^(?:-+> ?(\d{1,9})|\s{1,8}\d{1,9})(?: |$)/;
// The name of a class, with Ray's addition of what it wraps. Without its module a name has to look like an exception's.
const RAISED =
  /^((?:(?:[A-Za-z_]\w{0,80}\.){1,12}[A-Z]\w{0,80}|(?:[A-Z]\w{0,80})?(?:Error|Exception|Interrupt|Exit|Iteration|Warning|Failure))(?:\([\w.]{1,80}\))?)(?:: ?(.*))?$/;
const LINK = /^[\s|]*(?:The above exception was the direct cause|During handling of the above exception)/;
const MESSAGE_LINES_MAX = 4;
/** Lines of others that come between, where nothing tells whose a line is. */
const IDLE_LINES_MAX = 30;
/** Enough to see a name in it. */
const STATEMENT_CHARS_MAX = 200;
/** A recursion that ended at its limit has a thousand. */
const FRAMES_MAX = 200;
/** A log of a thousand ranks has one for each, and one that tries again has more: the first and the last of them. */
const TRACEBACKS_MAX = 1_000;
/** Processes that print at the same time; who prints under ever new names ends the oldest. */
const STREAMS_MAX = 10_000;

export type Ends<Item> = { readonly add: (item: Item) => void; readonly all: () => readonly Item[] };

/** Keeps so many from either end, in their order. */
export function createEnds<Item>(each: number): Ends<Item> {
  const first: Item[] = [];
  const last: Item[] = [];
  return {
    add: (item) => {
      if (first.length < each) {
        first.push(item);
        return;
      }
      last.push(item);
      if (last.length > each) last.shift();
    },
    all: () => [...first, ...last],
  };
}
