/** Python tracebacks in a log: chained ones, interleaved ones of several processes, and those of Ray's remote tasks. */

import { cutText } from '../domain/values.ts';
import type { PlainLine } from './line-prefixes.ts';

/** `isImport`: the frame's statement imports; `isRaise`: raises; `isRestore`: loads a checkpoint. `statement`: its visible part. */
export type Frame = {
  readonly file: string;
  readonly line: number;
  readonly name: string;
  readonly isImport: boolean;
  readonly isRaise: boolean;
  readonly isRestore: boolean;
  readonly statement: string;
};

/** One exception with its frames, outermost first. */
export type Raised = {
  readonly type: string;
  readonly message: string;
  /** The next lines, which may continue the message: many messages have several lines. */
  readonly more: string;
  readonly frames: readonly Frame[];
  /** The log line that names the exception, numbered from 1. */
  readonly lineNumber: number;
};

/** `chain`: in the order raised. `isIgnored`: the interpreter reports that it ignored the exception. */
export type Traceback = {
  readonly stream: string;
  readonly chain: readonly [Raised, ...Raised[]];
  readonly isIgnored: boolean;
};

export type TracebackReader = {
  /** Reads the next line; true if it belongs to a traceback, so it is no separate message. */
  readonly take: (line: PlainLine, lineNumber: number) => boolean;
  /** All complete tracebacks, ordered by their last line. */
  readonly found: () => readonly Traceback[];
};

type Open = {
  frames: Frame[];
  /** The indentation of `File`; a line with less indentation ends the frames. */
  indent: number | null;
  /** The last line was a frame, so its statement follows. */
  isAtFrame: boolean;
  /** Lines since the last one that belonged to this traceback. */
  idle: number;
  chain: Raised[];
  /** The sentence that links two tracebacks of a chain was read. */
  isLinked: boolean;
  isIgnored: boolean;
  state: 'frames' | 'after';
};

/** Reads line by line and assembles the lines of each stream separately. */
export function createTracebackReader(): TracebackReader {
  const open = new Map<string, Open>();
  const done = keepBothEnds<Traceback>(TRACEBACKS_MAX);
  let ignoredAt = 0;
  const closeTraceback = (stream: string, one: Open): void => {
    open.delete(stream);
    const [first, ...rest] = one.chain;
    if (first !== undefined) done.add({ stream, chain: [first, ...rest], isIgnored: one.isIgnored });
  };
  const takeLine = ({ text, stream }: PlainLine, lineNumber: number): boolean => {
    const one = open.get(stream);
    if (text.startsWith('Exception ignored in')) ignoredAt = lineNumber;
    if (HEADER.test(text)) {
      // The traceback of a data loader's worker follows that of the process which waited for it.
      if (one?.isLinked === true || (one?.state === 'after' && text.startsWith('Original ')))
        Object.assign(one, FRESH, { frames: [] });
      else {
        if (one !== undefined) closeTraceback(stream, one);
        for (const [oldest, other] of open) {
          if (open.size < STREAMS_MAX) break;
          closeTraceback(oldest, other);
        }
        const isIgnored = ignoredAt !== 0 && lineNumber - ignoredAt <= 2;
        open.set(stream, { ...FRESH, frames: [], chain: [], isIgnored });
      }
      return true;
    }
    // An ignored exception may have no frames.
    if (one === undefined && ignoredAt !== 0 && lineNumber === ignoredAt + 1 && RAISED_ALONE.test(text)) return true;
    // A syntax error has no header, and a truncated log may start after the header.
    if (one === undefined && (UNPARSED.test(text) || HEADLESS.test(text)))
      open.set(stream, { ...FRESH, frames: [], chain: [], isIgnored: false });
    const begun = open.get(stream);
    return begun === undefined ? false : readNextLine(begun, text, lineNumber, () => closeTraceback(stream, begun));
  };
  const listTracebacks = (): readonly Traceback[] => {
    for (const [stream, one] of open) closeTraceback(stream, one);
    return done.all();
  };
  return { take: takeLine, found: listTracebacks };
}

/** Reads one line after a header, in the same stream. */
function readNextLine(one: Open, text: string, lineNumber: number, close: () => void): boolean {
  const frame = parseFrame(text);
  if (frame !== null) {
    // Ray prints the remote task's frames after the name of its own error.
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

/** Parses a frame as the interpreter, rich or IPython prints it. */
function parseFrame(text: string): Seen | null {
  const plain = FRAME.exec(text);
  const boxed = plain ?? BOXED_FRAME.exec(text);
  if (boxed !== null)
    return {
      file: (boxed[1] ?? '').replaceAll('\\', '/'),
      line: Number(boxed[2]),
      name: boxed[3] ?? '',
      indent: plain === null ? 1 : text.length - text.trimStart().length,
    };
  // Code in a notebook cell has no file.
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
    if (at !== undefined) addStatement(one, text.slice(shown.length), Number(at));
    return true;
  }
  const indent = text.length - text.trimStart().length;
  const raised = RAISED.exec(text.trim());
  // Without indentation, the statement is at the same level as the next frame.
  const isFlat = one.indent === 0;
  if (
    raised !== null &&
    one.frames.length > 0 &&
    (one.indent === null || indent < one.indent || (isFlat && !isAtFrame) || (isFlat && isErrorType(raised)))
  ) {
    const [, type = '', message = ''] = raised;
    one.chain.push({ type, message, more: '', frames: one.frames, lineNumber });
    one.state = 'after';
    one.idle = 0;
    one.isLinked = false;
    return true;
  }
  if (one.indent !== null && (indent > one.indent || (isFlat && isAtFrame))) {
    addStatement(one, text, 0);
    return true;
  }
  one.idle += 1;
  if (one.idle > IDLE_LINES_MAX) close();
  return text.trim() === '' || /^\s{2,}/.test(text);
}

/** Whether the name is that of an exception, which no statement resembles. */
function isErrorType([, type = '']: RegExpExecArray): boolean {
  return /^[A-Z]\w{0,80}(?:Error|Exception)$/.test(type);
}

/** `at`: the line number shown for the statement; 0 if none is shown. */
function addStatement(one: Open, text: string, at: number): void {
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
/** Excludes the format of `faulthandler`. */
const HEADLESS = /^\s*File "[^"]{1,400}", line \d{1,9}, in \S|^File [~/][\w./-]{1,400}\.py:\d{1,9}, in \w/;
const UNPARSED = /^ {1,2}File "[^"]{1,400}", line \d{1,9}$/;
/** rich's format, in a box. */
const BOXED_FRAME = /^[│|] ([\w./-]{1,400}):(\d{1,9}) in ([\w<>]{1,160})/;
/** Excludes recomputed activations, also called checkpoints. */
const RESTORES = /state_dict\w{0,20}[[(]|(?:checkpoint|ckpt)\w{0,20}\[|\btorch\.load\(/;
const BOX = /^[│|╭╰]/;
/** IPython's formats in several versions: a cell; a file, perhaps without a line or as a Colab link; a source line. */
const CELL_FRAME =
  /^\[?(?:Cell |Input )?<?((?:In ?\[\d{1,9}\]|ipython-input-[\w-]{1,40}|timed \w{1,10}))>?(?:\]\(\S{1,80}\))?(?:, line (\d{1,9})|,? in <)/;
const VIEWED_FRAME =
  /^(?:File )?\[?([~/][\w./-]{1,400}\.py)(?:\]\(\S{1,80}\))?(?::(\d{1,9}))?,? in ([\w.<>]{1,160})(?:\(|$)/;
const VIEWED_SOURCE = /^(?:-+> ?(\d{1,9})|\s{1,8}\d{1,9})(?: |$)/;
// A class name, with Ray's suffix for the wrapped type. Without a module, the name must resemble an exception's.
const RAISED =
  /^((?:(?:[A-Za-z_]\w{0,80}\.){1,12}[A-Z]\w{0,80}|(?:[A-Z]\w{0,80})?(?:Error|Exception|Interrupt|Exit|Iteration|Warning|Failure))(?:\([\w.]{1,80}\))?)(?:: ?(.*))?$/;
const LINK = /^[\s|]*(?:The above exception was the direct cause|During handling of the above exception)/;
const MESSAGE_LINES_MAX = 4;
/** Lines of other processes in between, if no prefix identifies the process. */
const IDLE_LINES_MAX = 30;
/** Enough to find a name in the statement. */
const STATEMENT_CHARS_MAX = 200;
/** A recursion that reached its limit has a thousand frames. */
const FRAMES_MAX = 200;
/** A log of a thousand ranks has one traceback per rank, and retries add more: keep the first and the last. */
const TRACEBACKS_MAX = 1_000;
/** Processes that print at the same time. Beyond the limit, a new stream closes the oldest. */
const STREAMS_MAX = 10_000;

export type BoundedEnds<Item> = { readonly add: (item: Item) => void; readonly all: () => readonly Item[] };

/** Keeps up to `each` items from both ends, in order. */
export function keepBothEnds<Item>(each: number): BoundedEnds<Item> {
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
