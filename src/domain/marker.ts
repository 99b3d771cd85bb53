/**
 * The hidden first line of each text by ferrybot. It names the published event, which prevents duplicates. Anyone can write such a line, so
 * only a line with a valid seal counts: a role key's signature over the line, the thread and the text (docs/logbook.md, Markers).
 */

import type { Role } from './logbook/parts.ts';
import type { Instant } from './values.ts';

/** Comments in a run's own threads. */
const RUN_COMMENT_KINDS = [
  'answer',
  'launch',
  'first-eval',
  'tracker',
  'incident',
  'drop',
  'action',
  'ended',
  'sealed',
  'closed',
  'notice',
] as const;
/** The kind of such a comment. */
export type RunCommentKind = (typeof RUN_COMMENT_KINDS)[number];

export const MARKER_KINDS = [
  ...RUN_COMMENT_KINDS,
  'card',
  'issue',
  'pull',
  'closure',
  'disk',
  'disk-change',
  'disk-end',
  'disk-answer',
  'own-pull',
] as const;
export type MarkerKind = (typeof MARKER_KINDS)[number];

/** `fields` are words without spaces; `head` is `seq:hash` of the newest event (docs/logbook.md). */
export type Marker = {
  readonly run: string;
  readonly kind: MarkerKind;
  readonly key: string;
  readonly fields: Readonly<Record<string, string>>;
};

/** A marker with a verified seal: ferrybot wrote it for this thread with a valid key. */
export type VerifiedMarker = Marker & {
  /** Role of the sealing key. */
  readonly role: Role;
  /** Time of writing, by the writer's clock. */
  readonly at: Instant;
  /** SHA-256 of the text below the marker when it was written. */
  readonly text: string;
  /** Whether the text below the marker is unchanged. */
  readonly isIntact: boolean;
};

/** The verified marker of a text in a thread, or null. */
export type ReadMarker = (thread: number, body: string) => VerifiedMarker | null;

/** Maximum length of a seal: names, a time, 64 hex digits, a key id of 40, 86 signature digits. */
export const SEAL_CHARACTERS_MAX = 256;

const MARKER =
  /^<!-- ferrybot:v1 run=([a-z0-9-]+) kind=([a-z-]+) key=([A-Za-z0-9:._-]+)((?: [a-z]+=[A-Za-z0-9:._-]+)*) -->$/;

/** The marker as an HTML comment. All parts are restricted to characters that cannot close it. */
export function markerText(marker: Marker): string {
  const fields = Object.entries(marker.fields).map(
    ([name, value]) => ` ${name}=${value.replace(/[^A-Za-z0-9:._-]/g, '_') || '-'}`,
  );
  return `${markerIdentity(marker)}${fields.join('')} -->`;
}

/** Parses the first line, without verification; null if it is not a marker. */
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

/** The part that identifies a publication; threads are searched for it. */
export function markerIdentity(marker: Pick<Marker, 'run' | 'kind' | 'key'>): string {
  return `<!-- ferrybot:v1 run=${marker.run} kind=${marker.kind} key=${marker.key}`;
}

/** Whether the text is ferrybot's, with this identity, and unchanged. */
export function isOurText(marker: VerifiedMarker | null, identity: string): boolean {
  return marker?.isIntact === true && markerIdentity(marker) === identity;
}

/** The newest entry that the author knew; 0 if the marker names none. */
export function knownEntry({ fields }: Pick<Marker, 'fields'>): number {
  return Number(/^(\d{1,9}):/.exec(fields['head'] ?? '')?.[1] ?? 0);
}

/**
 * Whether a posted text replaces control's: sealed by control, or exactly the same text (plus mentions). Another role's key cannot suppress
 * control's texts with different content.
 */
export function saysForControl(marker: VerifiedMarker, standing: string, rendered: string): boolean {
  if (marker.role === 'control') return true;
  return marker.isIntact && splitBody(standing).text.startsWith(splitBody(rendered).text);
}

/** The first line, and the remaining text in the form that a seal covers. */
export function splitBody(body: string): { readonly line: string; readonly text: string } {
  const end = body.indexOf('\n');
  const line = end < 0 ? body : body.slice(0, end);
  return { line: line.replace(/\r$/, ''), text: end < 0 ? '' : comparableText(body.slice(end + 1)) };
}

/**
 * GitHub forms and proxies change line ends and drop trailing white space, which is not an edit. Avoids regular expressions over white
 * space, because the text is untrusted.
 */
function comparableText(text: string): string {
  const lines: string[] = [];
  for (const line of text.toWellFormed().split('\n')) lines.push(line.trimEnd());
  return lines.join('\n').trim();
}

/** Whether a posted text equals the rendered one, apart from the seal. */
export function saysTheSame(standing: string, rendered: string): boolean {
  const [old, now] = [splitBody(standing), splitBody(rendered)];
  return withoutSeal(old.line) === withoutSeal(now.line) && old.text === now.text;
}

function withoutSeal(line: string): string {
  const at = line.lastIndexOf(' at=');
  return at >= 0 && SEAL.test(line.slice(at)) ? `${line.slice(0, at)} -->` : line;
}

/** A seal at the end of a marker line. */
const SEAL = /^ at=([0-9TZ:.-]{24}) text=([0-9a-f]{64}) by=([a-z0-9-]{1,40}) sig=([A-Za-z0-9_-]{86}) -->$/;

/** Splits a marker line into its seal and the text that the signature covers; null without a seal. */
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
