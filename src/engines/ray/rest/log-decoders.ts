/** How a log's bytes come out of an answer of the head, whichever form that has. */

import { completeUtf8Length } from '../../../host/utf8-boundary.ts';
import { utf8Only } from '../../../host/utf8-only.ts';

export type LogDecoder = {
  /** The next bytes of the answer to the UTF-8 bytes of log that they complete. */
  readonly read: (bytes: Uint8Array) => Uint8Array;
  /** What only the end of the answer completes; to be asked when nothing more comes. */
  readonly end: () => Uint8Array;
  /** `open`: more is to come; `whole`: the answer may end here; `other`: this is no such answer. */
  readonly state: () => 'open' | 'whole' | 'other';
};

/** The frame of the answer to `GET /api/jobs/{id}/logs`; blanks may stand anywhere between. */
const OPENING = '{"logs":"';
const FRAME = `${OPENING}"}`;
const SIMPLE: Readonly<Record<string, string>> = {
  ...{ '"': '"', '\\': '\\', '/': '/' },
  ...{ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' },
};
/** The end of the text, or one escape, or the two of a surrogate pair (RFC 8259, section 7). */
const TOKEN = /"|\\(?:u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|u([0-9a-f]{4})|([^u]))/gi;
/** What more bytes may complete: half an escape, also behind the first half of a pair. */
const UNFINISHED = /^(?:\\(?:u(?:[0-9a-f]{0,3}|d[89ab][0-9a-f]{2}(?:\\(?:u[0-9a-f]{0,3})?)?))?)?$/i;

/**
 * Reads the text out of `{"logs": "…"}` while it arrives: any size, any cut, and never more than the piece at hand. Half a
 * surrogate pair waits for its other half; one that stands alone becomes U+FFFD. Raw bytes pass through as they are.
 */
export function createJsonLogReader(): LogDecoder {
  let frame = '';
  let held = '';
  let isOther = false;
  /** One character a byte, so that bytes of UTF-8 stay as they are. */
  const readText = (text: string): string => {
    let out = '';
    let at = 0;
    TOKEN.lastIndex = 0;
    for (let token = TOKEN.exec(text); token !== null; token = TOKEN.exec(text)) {
      const rest = text.slice(token.index);
      if (rest.length < 12 && UNFINISHED.test(rest)) break;
      const before = text.slice(at, token.index);
      const said = decoded(token);
      isOther ||= before.includes('\\') || said === null;
      if (isOther) return out;
      out += before + (said ?? '');
      at = TOKEN.lastIndex;
      if (token[0] !== '"') continue;
      frame += '"';
      readFrame(text.slice(at));
      return out;
    }
    const backslash = text.indexOf('\\', at);
    const end = backslash === -1 ? text.length : backslash;
    held = text.slice(end);
    isOther = !UNFINISHED.test(held);
    return out + text.slice(at, end);
  };
  const readFrame = (text: string): string => {
    for (const [at, sign] of [...text].entries()) {
      if (/[ \t\r\n]/.test(sign)) continue;
      frame += sign;
      isOther = !FRAME.startsWith(frame);
      if (isOther) return '';
      if (frame === OPENING) return readText(text.slice(at + 1));
    }
    return '';
  };
  return {
    read: (bytes) => {
      if (isOther) return new Uint8Array();
      const text = held + Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
      held = '';
      return Buffer.from(frame === OPENING ? readText(text) : readFrame(text), 'latin1');
    },
    end: () => new Uint8Array(),
    state: () => (isOther ? 'other' : frame === FRAME ? 'whole' : 'open'),
  };
}

/** The UTF-8 bytes that an escape stands for, nothing for the end of the text; null: it is no escape of JSON. */
function decoded([, high, low, unit, simple]: RegExpExecArray): string | null {
  if (simple !== undefined) return SIMPLE[simple] ?? null;
  const codes = [high, low, unit].flatMap((digits) =>
    digits === undefined ? [] : [Number.parseInt(digits, 16)],
  );
  return Buffer.from(String.fromCharCode(...codes), 'utf8').toString('latin1');
}

const RETURN = 13;
const NEWLINE = 10;

/**
 * Ray opens the file in Python's text mode, which makes one newline of `\r\n` and of a lone `\r`
 * (job_log_storage_client.py; Python, `open`, newline=None), so the same is done here: offsets of the one way to a log
 * are those of the other. What is no UTF-8 becomes `?`, for which the Jobs API has no answer at all.
 */
export function createFileLogReader(): LogDecoder {
  // An unfinished character, or a return that the next piece may follow with a newline.
  let held: Uint8Array = new Uint8Array();
  return {
    read: (bytes) => {
      const joined = Buffer.concat([held, bytes]);
      const length = completeUtf8Length(joined);
      const end = joined[length - 1] === RETURN ? length - 1 : length;
      held = Uint8Array.from(joined.subarray(end));
      const clean = Buffer.from(utf8Only(joined.subarray(0, end)));
      return Buffer.from(clean.toString('latin1').replace(/\r\n?/g, '\n'), 'latin1');
    },
    // A character that was never finished is not handed on: the job may still write the rest of it.
    end: () => {
      const isReturn = held[0] === RETURN;
      held = new Uint8Array();
      return Uint8Array.from(isReturn ? [NEWLINE] : []);
    },
    state: () => 'whole',
  };
}
