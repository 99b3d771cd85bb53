/**
 * Which checkpoint a run goes on from: the newest complete one of its own lineage (docs/checkpoints.md has the rule in
 * words; test/checkpoints/rule.py is a second reading of those words). What could not be read is never passed over.
 */

import { z } from 'zod';
import {
  namedStep,
  type SearchedRoot,
  type StoredCheckpoint,
  type StorePath,
} from '../domain/checkpoint/stored.ts';
import { withoutEndSlashes } from '../domain/end-slashes.ts';
import { type Lineage, standingIn } from './standing.ts';

/** Why a checkpoint is passed over. */
export const PASSED_OVER = [
  'no-metadata',
  'bad-metadata',
  'misnamed',
  'above-max',
  'excluded',
  'foreign',
  'rejected',
  'unvalidated',
] as const;
export type PassedOver = (typeof PASSED_OVER)[number];

export type JudgedCheckpoint = {
  readonly stored: StoredCheckpoint;
  /** Null where it is not complete, or could not be read. */
  readonly metadata: CheckpointMetadata | null;
  /** The attempt that wrote it, as the record tells; null where nobody knows or nobody asked. */
  readonly attempt: number | null;
  readonly standing: 'eligible' | 'unreadable' | PassedOver;
};

export type Search = {
  /** Permanent and temporary roots: both are always searched. */
  readonly roots: readonly SearchedRoot[];
  /** Null where nobody asks whose they are. */
  readonly lineage: Lineage | null;
  readonly maxStep: number | null;
  /** These, and all below them, are passed over. */
  readonly excludePaths: readonly StorePath[];
};

/** Why a person in charge is asked: nothing that may be used, or something that may be newer and could not be read. */
export type AskCode = 'root-unreadable' | 'checkpoint-unreadable' | 'none-complete' | 'none-of-lineage';

export type Choice =
  | { readonly kind: 'chosen'; readonly checkpoint: CompleteCheckpoint }
  | { readonly kind: 'ask'; readonly code: AskCode; readonly why: string };

export type CompleteCheckpoint = JudgedCheckpoint & { readonly metadata: CheckpointMetadata };

/** Every checkpoint once, in the order of the rule: what is complete last and the newest of it at the end. */
export function judgeAll(search: Search): readonly JudgedCheckpoint[] {
  const byPath = new Map<StorePath, StoredCheckpoint>();
  for (const { found } of search.roots)
    if (found.kind === 'known') for (const one of found.value) byPath.set(one.path, one);
  const checkpoints = [...byPath.values()].filter((one) => !isOnlyFolderOf(search.roots, one));
  const judged = checkpoints.map((stored) => judgeOne(stored, search));
  return judged.toSorted(inOrder);
}

/** A root may lie below another: the folder on the way there is no checkpoint that was left incomplete. */
function isOnlyFolderOf(roots: readonly SearchedRoot[], { path, metadata }: StoredCheckpoint): boolean {
  const isEmpty = metadata.kind === 'known' && metadata.value === null;
  return isEmpty && roots.some(({ root }) => isUnder(root, path));
}

/** The newest eligible checkpoint, or the question to the person in charge. */
export function chooseCheckpoint(search: Search): Choice {
  const blind = search.roots.find(({ found }) => found.kind === 'unknown');
  if (blind?.found.kind === 'unknown')
    return { kind: 'ask', code: 'root-unreadable', why: `${blind.root}: ${blind.found.why}` };
  const all = judgeAll(search);
  // rule HR-54
  const newest = all.findLast(isEligible) ?? null;
  const unread = all.find((one) => one.standing === 'unreadable' && mayBeNewer(one, newest));
  if (unread !== undefined) return { kind: 'ask', code: 'checkpoint-unreadable', why: unread.stored.path };
  if (newest !== null) return { kind: 'chosen', checkpoint: newest };
  const isAnyComplete = all.some(({ metadata, standing }) => metadata !== null && standing !== 'misnamed');
  return isAnyComplete
    ? { kind: 'ask', code: 'none-of-lineage', why: `${all.length} looked at` }
    : { kind: 'ask', code: 'none-complete', why: `${all.length} looked at` };
}

export type RefusalCode = PassedOver | 'unreadable' | 'not-there';

export type Asked =
  | { readonly kind: 'chosen'; readonly checkpoint: CompleteCheckpoint }
  | { readonly kind: 'refused'; readonly code: RefusalCode; readonly why: string };

/** The checkpoint that a person names by its step or its path: refused with its reason where it may not be used. */
export function askedCheckpoint(
  search: Search,
  asked: { readonly step: number } | { readonly path: StorePath },
): Asked {
  const named = judgeAll(search).filter(({ stored, metadata }) =>
    'path' in asked
      ? stored.path === withoutEndSlashes(asked.path)
      : metadata?.step === asked.step || namedStep(stored.path) === asked.step,
  );
  const newest = named.findLast(isEligible);
  const blind = search.roots.find(({ found }) => found.kind === 'unknown');
  // Of one step there may be another, newer one in the root that nobody can read.
  if (blind?.found.kind === 'unknown' && (newest === undefined || 'step' in asked))
    return { kind: 'refused', code: 'unreadable', why: `${blind.root}: ${blind.found.why}` };
  const unread = named.find(({ standing }) => standing === 'unreadable');
  if (unread !== undefined) return { kind: 'refused', code: 'unreadable', why: unread.stored.path };
  if (newest !== undefined) return { kind: 'chosen', checkpoint: newest };
  const last = named.at(-1);
  return last === undefined || last.standing === 'eligible'
    ? { kind: 'refused', code: 'not-there', why: 'no such checkpoint' }
    : { kind: 'refused', code: last.standing, why: last.stored.path };
}

/** Whether it may be used. */
export function isEligible(one: JudgedCheckpoint): one is CompleteCheckpoint {
  return one.standing === 'eligible' && one.metadata !== null;
}

function judgeOne(stored: StoredCheckpoint, search: Search): JudgedCheckpoint {
  const passed = (
    standing: JudgedCheckpoint['standing'],
    metadata: CheckpointMetadata | null = null,
    attempt: number | null = null,
  ): JudgedCheckpoint => ({ stored, metadata, attempt, standing });
  if (stored.metadata.kind === 'unknown') return passed('unreadable');
  // rules HR-55, HR-57
  if (stored.metadata.value === null) return passed('no-metadata');
  const metadata = readMetadata(stored.metadata.value.text);
  if (metadata === null) return passed('bad-metadata');
  const named = namedStep(stored.path);
  if (named !== null && named !== metadata.step) return passed('misnamed', metadata);
  if (search.maxStep !== null && metadata.step > search.maxStep) return passed('above-max', metadata);
  if (search.excludePaths.some((path) => isUnder(stored.path, path))) return passed('excluded', metadata);
  if (search.lineage === null) return passed('eligible', metadata);
  const { standing, attempt } = standingIn(search.lineage, {
    step: metadata.step,
    writtenAt: stored.metadata.value.writtenAt,
  });
  return passed(standing, metadata, attempt);
}

/** What cannot be read and says nothing of its step may be the newest of all. */
function mayBeNewer({ stored }: JudgedCheckpoint, newest: CompleteCheckpoint | null): boolean {
  const named = namedStep(stored.path);
  return named === null || newest === null || named >= newest.metadata.step;
}

function isUnder(path: StorePath, folder: StorePath): boolean {
  const whole = withoutEndSlashes(folder);
  return path === whole || path.startsWith(`${whole}/`);
}

/** By step as a number, then by time, then by path; what has neither comes before all that has. */
function inOrder(a: JudgedCheckpoint, b: JudgedCheckpoint): number {
  return (
    // rule HR-58
    (a.metadata?.step ?? -1) - (b.metadata?.step ?? -1) ||
    (a.metadata?.micros ?? 0) - (b.metadata?.micros ?? 0) ||
    compareCodePoints(a.stored.path, b.stored.path)
  );
}

/** As Python compares texts: `<` of JavaScript goes by halves of characters beyond the first 65,536. */
function compareCodePoints(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  const at = left.findIndex((sign, index) => sign !== right[index]);
  if (at === -1) return left.length - right.length;
  return (left[at]?.codePointAt(0) ?? 0) - (right[at]?.codePointAt(0) ?? -1);
}

/** `metadata.json` of a checkpoint: what it has to say for the checkpoint to be complete (levanter, checkpoint.py). */
type CheckpointMetadata = {
  readonly step: number;
  readonly timestamp: string;
  /** Microseconds since 1970 of the time as it is written: it names no zone, so that it orders checkpoints of one writer alone. */
  readonly micros: number;
  readonly isTemporary: boolean;
};

// Python writes `datetime.now().isoformat()`: naive, with microseconds or without; where it has a zone, that counts.
const TIMESTAMP =
  /^([12]\d{3})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2}):(\d{2})(?:[.,](\d{1,9}))?(?:(Z)|([+-])(\d{2}):?(\d{2}))?$/;

const schema = z.looseObject({
  step: z.int().nonnegative(),
  timestamp: z.string().regex(TIMESTAMP),
  is_temporary: z.boolean().default(false),
});

/** Null where it is no JSON, or a step or a time is missing: then nobody can say which checkpoint it is. */
function readMetadata(text: string): CheckpointMetadata | null {
  const parsed = schema.safeParse(parsedJson(text));
  if (!parsed.success) return null;
  const { step, timestamp, is_temporary: isTemporary } = parsed.data;
  const micros = microsOf(timestamp);
  return micros === null ? null : { step, timestamp, micros, isTemporary };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Null for a date that no calendar has. */
function microsOf(timestamp: string): number | null {
  const match = TIMESTAMP.exec(timestamp);
  if (match === null) return null;
  const [, year, month, day, hour, minute, second, fraction = '', , sign, zoneHours, zoneMinutes] = match;
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  // Date.parse takes the 31st of a month with 30 days for the next one.
  if (!Number.isFinite(ms) || new Date(ms).getUTCDate() !== Number(day)) return null;
  const zone = sign === undefined ? 0 : (Number(zoneHours) * 60 + Number(zoneMinutes)) * 60_000;
  const micros = Number(fraction.padEnd(6, '0').slice(0, 6));
  return (ms - (sign === '-' ? -zone : zone)) * 1_000 + micros;
}
