/** When a line of a log was written, as loggers say it. */

import { cutText } from '../../domain/cut-text.ts';

/** Milliseconds since 1970 of a clock that nobody knows the zone of; `day`: false where the line has a time of day alone. */
export type LineTime = { readonly ms: number; readonly day: boolean };

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** Names of a task, a host, a level or a logger may stand before it. */
const BEFORE = /^(?:[^\d]|\d(?!\d{3}[-/]|\d:|\d{3}\d{4} )){0,60}?/.source;
const CLOCK = /(\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?/.source;

const ISO = new RegExp(`${BEFORE}(\\d{4})[-/](\\d\\d)[-/](\\d\\d)[T ]${CLOCK} ?(Z|[+-]\\d\\d:?\\d\\d)?`);
const AMERICAN = new RegExp(`^\\W{0,4}(\\d\\d)/(\\d\\d)/(\\d{4}|\\d\\d) ${CLOCK}`);
const COMPACT = new RegExp(`^(?:\\w{0,10} ?|.{0,40}? )[IWEFC]? ?(\\d{4})(\\d\\d)(\\d\\d) ${CLOCK}`);
const GLOG = new RegExp(`(?:^|[\\] ):])[IWEF](\\d\\d)(\\d\\d) ${CLOCK}`);
const SYSLOG = new RegExp(`^\\W{0,2}(?:[A-Z][a-z]{2} )?([A-Z][a-z]{2}) {1,2}(\\d{1,2}) ${CLOCK}`);
const OF_DAY = new RegExp(`^[^\\d]{0,12}${CLOCK}\\b`);

/** The time at the beginning of a line, or null. A year that the line does not say is `year`. */
export function lineTime(line: string, year: number): LineTime | null {
  const head = cutText(line, HEAD_CHARS);
  const iso = ISO.exec(head);
  if (iso !== null) {
    const [, y, month, day, h, m, s, fraction, zone] = iso;
    return dated(Number(y), Number(month), Number(day), [h, m, s, fraction], offsetOf(zone));
  }
  const american = AMERICAN.exec(head);
  if (american !== null) {
    const [, a, b, c = '', h, m, s, fraction] = american;
    // `25/02/11` is the year first, as Spark and others write it.
    const isYearFirst = c.length === 2 && Number(a) > 12;
    const [y, month, day] = isYearFirst
      ? [2000 + Number(a), Number(b), Number(c)]
      : [c.length === 2 ? 2000 + Number(c) : Number(c), Number(a), Number(b)];
    return dated(y, month, day, [h, m, s, fraction], 0);
  }
  const compact = COMPACT.exec(head);
  if (compact !== null) {
    const [, y, month, day, h, m, s, fraction] = compact;
    return dated(Number(y), Number(month), Number(day), [h, m, s, fraction], 0);
  }
  const glog = GLOG.exec(head);
  if (glog !== null) {
    const [, month, day, h, m, s, fraction] = glog;
    return dated(year, Number(month), Number(day), [h, m, s, fraction], 0);
  }
  const syslog = SYSLOG.exec(head);
  if (syslog !== null) {
    const [, name = '', day, h, m, s, fraction] = syslog;
    return dated(year, MONTHS.indexOf(name) + 1, Number(day), [h, m, s, fraction], 0);
  }
  const ofDay = OF_DAY.exec(head);
  if (ofDay === null) return null;
  const [, h, m, s, fraction] = ofDay;
  const read = dated(1970, 1, 1, [h, m, s, fraction], 0);
  return read === null ? null : { ...read, day: false };
}

const HEAD_CHARS = 120;
type Clock = readonly (string | undefined)[];

function dated(year: number, month: number, day: number, clock: Clock, offsetMs: number): LineTime | null {
  const [h, m, s] = clock.map(Number);
  const isTime = month >= 1 && month <= 12 && day >= 1 && day <= 31 && (h ?? 99) < 24 && (m ?? 99) < 60;
  if (!isTime || year < 1970 || year > 2200) return null;
  const fraction = Math.trunc(Number(`0.${clock[3] ?? '0'}`) * 1_000);
  return { ms: Date.UTC(year, month - 1, day, h, m, s) + fraction - offsetMs, day: true };
}

function offsetOf(zone: string | undefined): number {
  if (zone === undefined || zone === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2));
  return (zone.startsWith('-') ? -minutes : minutes) * 60_000;
}
