/** A log whose lines are JSON records: what the program printed, and how loud the logger calls it. */

export type SaidInRecord = { readonly lines: readonly string[]; readonly level: string };

/** The lines of the message and of the exception beside it; null where the line is no such record. */
export function saidInRecord(line: string): SaidInRecord | null {
  const at = line.indexOf('{"');
  // A launcher's prefix may stand before the record, and its name holds no brace.
  if (at < 0 || at > PREFIX_CHARS || !line.trimEnd().endsWith('}')) return null;
  const record = objectIn(line.slice(at));
  if (record === null) return null;
  const inner = record['jsonPayload'] ?? record['record'];
  const fields = isObject(inner) ? { ...record, ...inner } : record;
  const texts = [...MESSAGES, ...EXCEPTIONS].flatMap((name) => textOf(fields[name]));
  if (texts.length === 0) return null;
  const said = LEVELS.flatMap((name) => textOf(fields[name]))[0] ?? '';
  return {
    lines: texts.flatMap((text) => text.replace(/\n$/, '').split('\n')).slice(0, LINES_MAX),
    level: LOGGERS.some((name) => name in fields) ? said : LOUD.test(said) ? said : '',
  };
}

function objectIn(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch (error) {
    // What looks like a record and is none is a line like any other.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}

/** Of Python's JSON formatters, structlog, Docker, Google Cloud Logging and Fluent Bit: the first ones name the message. */
const MESSAGES = ['message', 'msg', 'log', 'textPayload', 'event', 'text'];
const EXCEPTIONS = ['exc_info', 'exc_text', 'exception', 'traceback', 'stack_trace', 'stacktrace', 'stack'];
/** Without a logger's name the level is what a collector says of all that it collects. */
const LOGGERS = ['logger', 'logger_name', 'name', 'module', 'lineno', 'funcName', 'caller'];
const LOUD = /^(?:warn(?:ing)?|error|critical|fatal)$/i;
const LEVELS = ['level', 'severity', 'levelname', 'log_level'];
const PREFIX_CHARS = 200;
/** A traceback of a recursion has a thousand. */
const LINES_MAX = 2_000;
