/**
 * The hidden first line of every text of ferrybot's: it says which event a comment publishes, so that nothing is posted
 * twice. Anybody can write such a line; one is believed only with its seal, the signature of a role key over it, the
 * thread and the rest of the text (docs/logbook.md, Markers).
 */

import type { Instant } from './ids.ts';
import type { Role } from './logbook/role.ts';

export const MARKER_KINDS = [
  'answer',
  'launch',
  'first-eval',
  'tracker',
  'incident',
  'drop',
  'mutation',
  'ended',
  'sealed',
  'closed',
  'card',
  'issue',
  'pull',
  'closure',
  'disk',
  'disk-change',
  'disk-end',
  'disk-answer',
  'notice',
  'own-pull',
] as const;
export type MarkerKind = (typeof MARKER_KINDS)[number];

/** `fields` are small words without spaces; `head` among them is `seq:hash` of the newest event (docs/logbook.md). */
export type Marker = {
  readonly run: string;
  readonly kind: MarkerKind;
  readonly key: string;
  readonly fields: Readonly<Record<string, string>>;
};

/** A marker whose seal verified: this program wrote the line, for this thread, with a key that was in force. */
export type VerifiedMarker = Marker & {
  /** Whose key sealed it. */
  readonly role: Role;
  /** When the text was written, by the writer's clock. */
  readonly at: Instant;
  /** SHA-256 of the text below the line as it was written. */
  readonly text: string;
  /** Whether the text below the line is still that one. */
  readonly isIntact: boolean;
};

/** The verified marker of a text that stands in a thread; null = none, or none that is believed. */
export type ReadMarker = (thread: number, body: string) => VerifiedMarker | null;

/** How much longer a text becomes by its seal: the names, a time, 64 hex digits, a key's id of 40, 86 digits, and room. */
export const SEAL_CHARACTERS_MAX = 256;

const MARKER =
  /^<!-- ferrybot:v1 run=([a-z0-9-]+) kind=([a-z-]+) key=([A-Za-z0-9:._-]+)((?: [a-z]+=[A-Za-z0-9:._-]+)*) -->$/;

/** The marker as the first line of a text's source. Every part is restricted to characters that cannot end it. */
export function markerText(marker: Marker): string {
  const fields = Object.entries(marker.fields).map(
    ([name, value]) => ` ${name}=${value.replace(/[^A-Za-z0-9:._-]/g, '_') || '-'}`,
  );
  return `${markerIdentity(marker)}${fields.join('')} -->`;
}

/** What the first line of a text says, whoever wrote it; null where it is no marker. */
export function readMarker(body: string): Marker | null {
  const match = MARKER.exec(withoutSeal(splitBody(body).line));
  if (match === null) return null;
  const [, run = '', kind = '', key = '', rest = ''] = match;
  if (!isMarkerKind(kind)) return null;
  const fields = Object.fromEntries(
    rest
      .trim()
      .split(' ')
      .filter(Boolean)
      .map((pair) => pair.split('=', 2) as [string, string]),
  );
  return { run, kind, key, fields };
}

/** What two markers of the same publication share: the part that a thread is searched for. */
export function markerIdentity(marker: Pick<Marker, 'run' | 'kind' | 'key'>): string {
  return `<!-- ferrybot:v1 run=${marker.run} kind=${marker.kind} key=${marker.key}`;
}

/** Whether a text carries our own marker of this identity and stands as it was written. */
export function isOurText(marker: VerifiedMarker | null, identity: string): boolean {
  return marker?.isIntact === true && markerIdentity(marker) === identity;
}

/** The newest entry that whoever wrote a text knew of; 0 where it names none. */
export function knownEntry({ fields }: Pick<Marker, 'fields'>): number {
  return Number(/^(\d{1,9}):/.exec(fields['head'] ?? '')?.[1] ?? 0);
}

/**
 * Whether a text that stands in a thread says what control would: with control's own seal, or in these very words, to which
 * mentions may have been added. Another key that seals texts silences no word of control's with words of its own.
 */
export function saysForControl(marker: VerifiedMarker, standing: string, rendered: string): boolean {
  if (marker.role === 'control') return true;
  return marker.isIntact && splitBody(standing).text.startsWith(splitBody(rendered).text);
}

/** The first line of a text, and what stands below it in the form that a seal covers. */
export function splitBody(body: string): { readonly line: string; readonly text: string } {
  const end = body.indexOf('\n');
  const line = end < 0 ? body : body.slice(0, end);
  return { line: line.replace(/\r$/, ''), text: end < 0 ? '' : comparableText(body.slice(end + 1)) };
}

/**
 * GitHub's forms and proxies change how lines end and drop what cannot be seen at the end of a text: neither is an edit.
 * Written without a regular expression that repeats over white space, since anybody's text comes here.
 */
function comparableText(text: string): string {
  const lines = text
    .toWellFormed()
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => line.trimEnd());
  return lines.join('\n').trim();
}

/** Whether a text that stands in a thread says what was rendered now: the same marker but for its seal, the same words. */
export function saysTheSame(standing: string, rendered: string): boolean {
  const [old, now] = [splitBody(standing), splitBody(rendered)];
  return withoutSeal(old.line) === withoutSeal(now.line) && old.text === now.text;
}

function withoutSeal(line: string): string {
  const at = line.lastIndexOf(' at=');
  return at >= 0 && SEAL.test(line.slice(at)) ? `${line.slice(0, at)} -->` : line;
}

/** A seal at the end of a marker's line. */
const SEAL = /^ at=([0-9TZ:.-]{24}) text=([0-9a-f]{64}) by=([a-z0-9-]{1,40}) sig=([A-Za-z0-9_-]{86}) -->$/;

/** A marker's line taken apart: what its signature covers, and the seal. Null where it has none. */
export function readSeal(line: string): {
  readonly signed: string;
  readonly at: string;
  readonly text: string;
  readonly keyId: string;
  readonly signature: string;
} | null {
  const start = line.lastIndexOf(' at=');
  const match = start < 0 ? null : SEAL.exec(line.slice(start));
  if (match === null) return null;
  const [, at = '', text = '', keyId = '', signature = ''] = match;
  const signed = line.slice(0, line.lastIndexOf(' sig='));
  return { signed, at, text, keyId, signature };
}

function isMarkerKind(text: string): text is MarkerKind {
  return (MARKER_KINDS as readonly string[]).includes(text);
}
