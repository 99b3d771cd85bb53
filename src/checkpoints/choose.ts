/**
 * Selects the newest complete checkpoint of a run's own lineage (rule in docs/checkpoints.md; test/checkpoints/rule.py implements it
 * independently). Unreadable checkpoints are never skipped silently.
 */

import { z } from 'zod';
import { namedStep, type SearchedRoot, type StoredCheckpoint, type StorePath } from '../domain/checkpoint/stored.ts';
import { parseJson, withoutEndSlashes } from '../domain/values.ts';
import { judgeLineage, type Lineage } from './lineage.ts';

export const SKIP_REASONS = [
  'no-metadata',
  'bad-metadata',
  'misnamed',
  'above-max',
  'excluded',
  'foreign',
  'rejected',
  'unvalidated',
] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

export type JudgedCheckpoint = {
  readonly stored: StoredCheckpoint;
  /** Null if incomplete or unreadable. */
  readonly metadata: CheckpointMetadata | null;
  /** The recorded attempt that wrote it; null if unknown or not requested. */
  readonly attempt: number | null;
  readonly status: 'eligible' | 'unreadable' | SkipReason;
};

export type CheckpointSearch = {
  readonly roots: readonly SearchedRoot[];
  /** Null: accept any origin. */
  readonly lineage: Lineage | null;
  readonly maxStep?: number | null;
  readonly excludePaths?: readonly StorePath[];
};

/** Why a person must decide: nothing usable, or something possibly newer is unreadable. */
export type AskCode = 'root-unreadable' | 'checkpoint-unreadable' | 'none-complete' | 'none-of-lineage';

export type CheckpointChoice =
  | { readonly kind: 'chosen'; readonly checkpoint: CompleteCheckpoint }
  | { readonly kind: 'ask'; readonly code: AskCode; readonly why: string };

export type CompleteCheckpoint = JudgedCheckpoint & { readonly metadata: CheckpointMetadata };

/** Each checkpoint once, in the rule's order: the newest complete one is last. */
export function judgeCheckpoints(search: CheckpointSearch): readonly JudgedCheckpoint[] {
  const byPath = new Map<StorePath, StoredCheckpoint>();
  for (const { found } of search.roots)
    if (found.kind === 'known') for (const one of found.value) byPath.set(one.path, one);
  const checkpoints = [...byPath.values()].filter((one) => !isOnlyFolderOfRoot(search.roots, one));
  const judged = checkpoints.map((stored) => judgeCheckpoint(stored, search));
  return judged.toSorted(compareCheckpoints);
}

/** A folder that contains another root is not an incomplete checkpoint. */
function isOnlyFolderOfRoot(roots: readonly SearchedRoot[], { path, metadata }: StoredCheckpoint): boolean {
  const isEmpty = metadata.kind === 'known' && metadata.value === null;
  return isEmpty && roots.some(({ root }) => isUnder(root, path));
}

/** Which root could not be listed, and why; null if all were. */
export function findUnlistedRoot(roots: readonly SearchedRoot[]): string | null {
  const [first] = roots.flatMap(({ root, found }) => (found.kind === 'unknown' ? [`${root}: ${found.why}`] : []));
  return first ?? null;
}

/** The newest eligible checkpoint, or the question for the DRI. */
export function chooseCheckpoint(search: CheckpointSearch): CheckpointChoice {
  const blind = findUnlistedRoot(search.roots);
  if (blind !== null) return { kind: 'ask', code: 'root-unreadable', why: blind };
  const all = judgeCheckpoints(search);
  // rule HR-54
  const newest = all.findLast(isEligibleCheckpoint) ?? null;
  const unread = all.find((one) => one.status === 'unreadable' && mayBeNewer(one, newest));
  if (unread !== undefined) return { kind: 'ask', code: 'checkpoint-unreadable', why: unread.stored.path };
  if (newest !== null) return { kind: 'chosen', checkpoint: newest };
  const isAnyComplete = all.some(({ metadata, status }) => metadata !== null && status !== 'misnamed');
  return isAnyComplete
    ? { kind: 'ask', code: 'none-of-lineage', why: `${all.length} looked at` }
    : { kind: 'ask', code: 'none-complete', why: `${all.length} looked at` };
}

export type RefusalCode = SkipReason | 'unreadable' | 'not-there';

export type NamedCheckpointChoice =
  | { readonly kind: 'chosen'; readonly checkpoint: CompleteCheckpoint }
  | { readonly kind: 'refused'; readonly code: RefusalCode; readonly why: string };

/** A checkpoint named by step or path; refused with a reason if unusable. */
export function chooseNamedCheckpoint(
  search: CheckpointSearch,
  asked: { readonly step: number } | { readonly path: StorePath },
): NamedCheckpointChoice {
  const named = judgeCheckpoints(search).filter(({ stored, metadata }) =>
    'path' in asked
      ? stored.path === withoutEndSlashes(asked.path)
      : metadata?.step === asked.step || namedStep(stored.path) === asked.step,
  );
  const newest = named.findLast(isEligibleCheckpoint);
  const blind = findUnlistedRoot(search.roots);
  // An unreadable root may contain a newer checkpoint of the same step.
  if (blind !== null && (newest === undefined || 'step' in asked))
    return { kind: 'refused', code: 'unreadable', why: blind };
  const unread = named.find(({ status }) => status === 'unreadable');
  if (unread !== undefined) return { kind: 'refused', code: 'unreadable', why: unread.stored.path };
  if (newest !== undefined) return { kind: 'chosen', checkpoint: newest };
  const last = named.at(-1);
  return last === undefined || last.status === 'eligible'
    ? { kind: 'refused', code: 'not-there', why: 'no such checkpoint' }
    : { kind: 'refused', code: last.status, why: last.stored.path };
}

/** Usable, with known metadata. */
export function isEligibleCheckpoint(one: JudgedCheckpoint): one is CompleteCheckpoint {
  return one.status === 'eligible' && one.metadata !== null;
}

function judgeCheckpoint(stored: StoredCheckpoint, search: CheckpointSearch): JudgedCheckpoint {
  const judgement = (
    standing: JudgedCheckpoint['status'],
    metadata: CheckpointMetadata | null = null,
    attempt: number | null = null,
  ): JudgedCheckpoint => ({ stored, metadata, attempt, status: standing });
  if (stored.metadata.kind === 'unknown') return judgement('unreadable');
  // rules HR-55, HR-57
  if (stored.metadata.value === null) return judgement('no-metadata');
  const metadata = readMetadata(stored.metadata.value.text);
  if (metadata === null) return judgement('bad-metadata');
  const named = namedStep(stored.path);
  if (named !== null && named !== metadata.step) return judgement('misnamed', metadata);
  const { lineage, maxStep = null, excludePaths = [] } = search;
  if (maxStep !== null && metadata.step > maxStep) return judgement('above-max', metadata);
  if (excludePaths.some((path) => isUnder(stored.path, path))) return judgement('excluded', metadata);
  if (lineage === null) return judgement('eligible', metadata);
  const { status, attempt } = judgeLineage(lineage, {
    step: metadata.step,
    writtenAt: stored.metadata.value.writtenAt,
  });
  return judgement(status, metadata, attempt);
}

/** Whether an unreadable checkpoint may be newer than `newest`: without a step in its name it may be. */
function mayBeNewer({ stored }: JudgedCheckpoint, newest: CompleteCheckpoint | null): boolean {
  const named = namedStep(stored.path);
  return named === null || newest === null || named >= newest.metadata.step;
}

function isUnder(path: StorePath, folder: StorePath): boolean {
  const whole = withoutEndSlashes(folder);
  return path === whole || path.startsWith(`${whole}/`);
}

/** By numeric step, then time, then path; missing values first. */
function compareCheckpoints(a: JudgedCheckpoint, b: JudgedCheckpoint): number {
  return (
    // rule HR-58
    (a.metadata?.step ?? -1) - (b.metadata?.step ?? -1) ||
    (a.metadata?.micros ?? 0) - (b.metadata?.micros ?? 0) ||
    (a.stored.path < b.stored.path ? -1 : 1)
  );
}

/** Required content of `metadata.json` (levanter, checkpoint.py). */
type CheckpointMetadata = {
  readonly step: number;
  readonly timestamp: string;
  /** Microseconds since 1970 without a time zone, so it orders only checkpoints of one writer. */
  readonly micros: number;
  readonly isTemporary: boolean;
};

// Python's `datetime.now().isoformat()`, with optional microseconds and zone.
const TIMESTAMP =
  /^([12]\d{3})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2}):(\d{2})(?:[.,](\d{1,9}))?(?:(Z)|([+-])(\d{2}):?(\d{2}))?$/;

const schema = z.looseObject({
  step: z.int().nonnegative(),
  timestamp: z.string().regex(TIMESTAMP),
  is_temporary: z.boolean().default(false),
});

/** Null if it is not JSON, or lacks a step or time. */
function readMetadata(text: string): CheckpointMetadata | null {
  const parsed = schema.safeParse(parseJson(text));
  if (!parsed.success) return null;
  const { step, timestamp, is_temporary: isTemporary } = parsed.data;
  const micros = parseMicros(timestamp);
  return micros === null ? null : { step, timestamp, micros, isTemporary };
}

/** Null for an invalid date. */
function parseMicros(timestamp: string): number | null {
  const match = TIMESTAMP.exec(timestamp);
  if (match === null) return null;
  const [, year, month, day, hour, minute, second, fraction = '', , sign, zoneHours, zoneMinutes] = match;
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  // Date.parse accepts the 31st of a shorter month.
  if (!Number.isFinite(ms) || new Date(ms).getUTCDate() !== Number(day)) return null;
  const zone = sign === undefined ? 0 : (Number(zoneHours) * 60 + Number(zoneMinutes)) * 60_000;
  const micros = Number(fraction.padEnd(6, '0').slice(0, 6));
  return (ms - (sign === '-' ? -zone : zone)) * 1_000 + micros;
}
