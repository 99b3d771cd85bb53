/**
 * The hidden first line of each text by ferrybot. It names the published event, which prevents duplicates. Anyone can write such a line, so
 * only a valid seal counts. A seal is a role key's signature over the line, the thread and the text (docs/logbook.md, Markers).
 */

import type { Surface } from './actor.ts';
import type { CommentFacts } from './facts.ts';
import type { Role } from './logbook/parts.ts';
import type { SeenCommand } from './logbook/run-state.ts';
import type { Instant } from './values.ts';

/** `<surface>-<id>`, unique across threads: GitHub numbers the three surfaces separately. */
export function commentId({ surface, id }: { readonly surface: Surface; readonly id: number }): string {
  return `${surface}-${id}`;
}

/**
 * Groups commands by the key in the answer's marker. The key is the comment's name. It ends in `-edited` for commands that an edit added
 * to a comment with earlier commands.
 */
export function groupAnswers(commands: Iterable<SeenCommand>): ReadonlyMap<string, readonly SeenCommand[]> {
  const all = [...commands];
  const own = new Set<string>();
  for (const one of all) if (one.answer?.code !== COMMENT_EDITED) own.add(commentIdOf(one));
  return Map.groupBy(all, (one) => {
    const isOfEdit = one.answer?.code === COMMENT_EDITED && own.has(commentIdOf(one));
    return isOfEdit ? `${commentIdOf(one)}-edited` : commentIdOf(one);
  });
}

/**
 * Commands that need no further answer in a record that is no longer published. These are answered in the thread, answered by a reaction,
 * or without an answer.
 */
export function listPostedAnswers(
  commands: ReadonlyMap<string, SeenCommand>,
  answeredKeys: ReadonlySet<string>,
): ReadonlyMap<string, SeenCommand> {
  const open = new Set<SeenCommand>();
  for (const [key, asked] of groupAnswers(commands.values()))
    if (!answeredKeys.has(key)) for (const one of asked) open.add(one);
  return new Map([...commands].filter(([, one]) => one.answer === null || isQuietAnswer(one) || !open.has(one)));
}

type AnsweredCommand = Pick<SeenCommand, 'answer'>;

/** Recorded and answered only by a reaction. */
export function isQuietAnswer({ answer }: AnsweredCommand): boolean {
  return answer?.detail['quiet'] === 1;
}

/** Answered as a comment by a person without a role in the repository. */
export function isAnswerToUntrusted({ answer }: AnsweredCommand): boolean {
  return answer?.detail['stranger'] === 1;
}

const COMMENT_EDITED = 'comment-edited';

function commentIdOf({ surface, comment }: SeenCommand): string {
  return `${surface}-${comment}`;
}

export type CommentPlace = Pick<CommentFacts, 'surface' | 'id' | 'thread'>;

export class CommentError extends Error {
  readonly comment: CommentPlace;

  constructor({ surface, id, thread }: CommentPlace, cause: unknown) {
    super(`${surface} ${id}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'CommentError';
    this.comment = { surface, id, thread };
  }
}

/** Runs `work`, and wraps what it throws in a `CommentError`. */
export function withCommentContext<T>(comment: CommentPlace, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw cause instanceof CommentError ? cause : new CommentError(comment, cause);
  }
}

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
/** The kind of a comment in a run's own threads. */
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

export type ReadMarker = (thread: number, body: string) => VerifiedMarker | null;

/** Maximum length of a seal: names, a time, 64 hex digits, a key id of 40, 86 signature digits. */
export const SEAL_CHARACTERS_MAX = 256;

const MARKER =
  /^(<!-- ferrybot:v1 run=([a-z0-9-]+) kind=([a-z-]+) key=([A-Za-z0-9:._-]+)((?: [a-z]+=[A-Za-z0-9:._-]+)*?))(?:( at=([0-9TZ:.-]{24}) text=([0-9a-f]{64}) by=([a-z0-9-]{1,40})) sig=([A-Za-z0-9_-]{86}))? -->$/;

/** The marker as an HTML comment. All parts are restricted to characters that cannot close it. */
export function markerText(marker: Marker): string {
  const fields = Object.entries(marker.fields).map(
    ([name, value]) => ` ${name}=${value.replace(/[^A-Za-z0-9:._-]/g, '_') || '-'}`,
  );
  return `${markerIdentity(marker)}${fields.join('')} -->`;
}

/** `plain`: the line without seal and end. `signed`: what the signature covers. */
type MarkerLine = {
  readonly marker: Marker;
  readonly plain: string;
  readonly seal: {
    readonly signed: string;
    readonly at: string;
    readonly text: string;
    readonly keyId: string;
    readonly signature: string;
  } | null;
};

/** Parses a marker and its seal, without verification; null if the line is not a marker. */
export function parseMarkerLine(line: string): MarkerLine | null {
  const [, plain = '', run = '', word, key = '', rest = '', sealed, at = '', text = '', keyId = '', signature = ''] =
    MARKER.exec(line) ?? [];
  const kind = MARKER_KINDS.find((one) => one === word);
  if (kind === undefined) return null;
  const fields: Record<string, string> = {};
  for (const pair of rest.split(' ').slice(1)) {
    const [name = '', value = ''] = pair.split('=', 2);
    fields[name] = value;
  }
  const seal = sealed === undefined ? null : { signed: `${plain}${sealed}`, at, text, keyId, signature };
  return { marker: { run, kind, key, fields }, plain, seal };
}

/** Parses the marker in the first line, without verification; null if there is none. */
export function readMarker(body: string): Marker | null {
  return parseMarkerLine(splitMarkerLine(body).line)?.marker ?? null;
}

/** The part that identifies a publication; threads are searched for it. */
export function markerIdentity(marker: Pick<Marker, 'run' | 'kind' | 'key'>): string {
  return `<!-- ferrybot:v1 run=${marker.run} kind=${marker.kind} key=${marker.key}`;
}

/** Whether the text is ferrybot's, with this identity, and unchanged. */
export function isOwnText(marker: VerifiedMarker | null, identity: string): boolean {
  return marker?.isIntact === true && markerIdentity(marker) === identity;
}

/** The newest entry that the author knew; 0 if the marker names none. */
export function lastEntry({ fields }: Pick<Marker, 'fields'>): number {
  return Number(/^(\d{1,9}):/.exec(fields['head'] ?? '')?.[1] ?? 0);
}

/**
 * Whether a posted text replaces control's: sealed by control, or exactly the same text (plus mentions). Another role's key cannot suppress
 * control's texts with different content.
 */
export function isControlTextCurrent(marker: VerifiedMarker, posted: string, rendered: string): boolean {
  if (marker.role === 'control') return true;
  return marker.isIntact && splitMarkerLine(posted).text.startsWith(splitMarkerLine(rendered).text);
}

/**
 * The first line, and the remaining text in the form that a seal covers. Line ends and trailing white space do not count as edits, because
 * GitHub forms and proxies change them. Avoids regular expressions over white space, because the text is untrusted.
 */
export function splitMarkerLine(body: string): { readonly line: string; readonly text: string } {
  const [line = '', ...rest] = body.split('\n');
  const lines: string[] = [];
  for (const one of rest) lines.push(one.trimEnd());
  return { line: line.replace(/\r$/, ''), text: lines.join('\n').trim().toWellFormed() };
}

/** Whether a posted text equals the rendered text, ignoring the seal. */
export function isSameContent(posted: string, rendered: string): boolean {
  const [old, now] = [splitMarkerLine(posted), splitMarkerLine(rendered)];
  const isSameLine = (parseMarkerLine(old.line)?.plain ?? old.line) === (parseMarkerLine(now.line)?.plain ?? now.line);
  return isSameLine && old.text === now.text;
}
