/** Reads the text out of `{"logs": "…"}` while it arrives: any size, any cut, and never more than the piece at hand. */

export type LogDecoder = {
  /** The next bytes of the answer to the UTF-8 bytes of log that they complete. */
  readonly read: (bytes: Uint8Array) => Uint8Array;
  /** What only the end of the answer completes; to be asked when nothing more comes. */
  readonly end: () => Uint8Array;
  /** `open`: more is to come; `whole`: the answer may end here; `other`: this is no such answer. */
  readonly state: () => 'open' | 'whole' | 'other';
};

/** The opening of the answer to `GET /api/jobs/{id}/logs`; blanks may stand anywhere between. */
const OPENING = '{"logs":"';
const FRAME = `${OPENING}"}`;
const BACKSLASH = 0x5c;
const QUOTE = 0x22;
const SIMPLE: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** Where the reader stands between two pieces. */
type Reading = {
  phase: 'outside' | 'text' | 'escape' | 'other';
  /** The signs before and after the text, without blanks. */
  frame: string;
  /** What follows a backslash so far. */
  escaped: string;
  /** The first half of a surrogate pair. */
  high: string;
  out: Buffer;
  filled: number;
};

/**
 * A decoder for one answer (RFC 8259, section 7). Half a surrogate pair waits for its other half; one that stands alone
 * becomes U+FFFD, as in every UTF-8 of ill-formed text. Raw bytes in the string pass through as they are.
 */
export function createJsonLogReader(): LogDecoder {
  const reading: Reading = {
    phase: 'outside',
    frame: '',
    escaped: '',
    high: '',
    out: Buffer.alloc(0),
    filled: 0,
  };
  return {
    read: (input) => {
      const bytes = Buffer.from(input.buffer, input.byteOffset, input.byteLength);
      // An escape is longer than what it stands for; only half a pair of the piece before comes on top.
      reading.out = Buffer.allocUnsafe(bytes.length + 3);
      reading.filled = 0;
      for (let at = 0; at < bytes.length && reading.phase !== 'other'; ) at = step(reading, bytes, at);
      return reading.out.subarray(0, reading.filled);
    },
    end: () => new Uint8Array(),
    state: () => {
      if (reading.phase === 'other') return 'other';
      return reading.frame === FRAME ? 'whole' : 'open';
    },
  };
}

/** Reads on from `at` and says how far it came. */
function step(reading: Reading, bytes: Buffer, at: number): number {
  const byte = bytes[at] ?? 0;
  if (reading.phase === 'outside') around(reading, byte);
  else if (reading.phase === 'escape') readEscape(reading, byte);
  else return plain(reading, bytes, at);
  return at + 1;
}

function around(reading: Reading, byte: number): void {
  const sign = String.fromCharCode(byte);
  if (/[ \t\r\n]/.test(sign)) return;
  reading.frame += sign;
  if (!FRAME.startsWith(reading.frame)) reading.phase = 'other';
  else if (reading.frame === OPENING) reading.phase = 'text';
}

function plain(reading: Reading, bytes: Buffer, at: number): number {
  const end = endOfPlain(bytes, at);
  if (end > at) {
    closePair(reading);
    reading.filled += bytes.copy(reading.out, reading.filled, at, end);
    return end;
  }
  if (bytes[at] === BACKSLASH) {
    reading.escaped = '';
    reading.phase = 'escape';
  } else {
    closePair(reading);
    reading.frame += '"';
    reading.phase = 'outside';
  }
  return at + 1;
}

function endOfPlain(bytes: Buffer, at: number): number {
  const backslash = bytes.indexOf(BACKSLASH, at);
  const limit = backslash === -1 ? bytes.length : backslash;
  const quote = bytes.subarray(at, limit).indexOf(QUOTE);
  return quote === -1 ? limit : at + quote;
}

/** One more sign of an escape; `\u` takes four digits after it. */
function readEscape(reading: Reading, byte: number): void {
  reading.escaped += String.fromCharCode(byte);
  const { escaped } = reading;
  if (escaped.startsWith('u')) {
    if (!/^u[0-9a-fA-F]{0,4}$/.test(escaped)) reading.phase = 'other';
    else if (escaped.length === 5) codeUnit(reading, Number.parseInt(escaped.slice(1), 16));
    return;
  }
  const simple = SIMPLE[escaped];
  closePair(reading);
  if (simple === undefined) reading.phase = 'other';
  else write(reading, simple);
}

function codeUnit(reading: Reading, code: number): void {
  const unit = String.fromCharCode(code);
  if (reading.high !== '' && code >= 0xdc00 && code <= 0xdfff) {
    const pair = reading.high + unit;
    reading.high = '';
    write(reading, pair);
    return;
  }
  closePair(reading);
  if (code >= 0xd800 && code <= 0xdbff) {
    reading.high = unit;
    reading.phase = 'text';
  } else write(reading, unit);
}

/** A first half that nothing belongs to any more. */
function closePair(reading: Reading): void {
  if (reading.high === '') return;
  reading.high = '';
  reading.filled += reading.out.write('\ufffd', reading.filled);
}

function write(reading: Reading, text: string): void {
  reading.filled += reading.out.write(text, reading.filled);
  reading.phase = 'text';
}
