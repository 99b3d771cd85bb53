/**
 * The outbox of every process. The record lists pending texts, markers identify posted ones, and `src/run/publications.ts` decides who
 * posts. Alerts come first; GitHub's rate limits pace the rest.
 */

import type { Effect, EffectOutcome } from '../domain/effect.ts';
import type { CommentFacts } from '../domain/facts.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { markerIdentity, readMarker } from '../domain/marker.ts';
import { type Instant, known, type Observed, type RunId, unknown } from '../domain/values.ts';
import { findIssue } from '../github/issues.ts';
import { readProposal, readThread } from '../github/threads.ts';
import { threadsReadFrom } from '../run/pending-commands.ts';
import { type Failed, failNotDone } from '../run/proposing.ts';
import {
  decideComment,
  decideIssue,
  hasWriteBudget,
  type PendingComment,
  type PendingIssue,
  type PostedIssue,
} from '../run/publications.ts';
import { POSTING_AGENDA } from '../run/reconcile.ts';
import { type AttemptCache, NO_ATTEMPTS } from '../run/step.ts';
import { sendPendingNotices } from './channels.ts';
import { guard, type Trouble } from './contained-errors.ts';
import { factsForPosting } from './control/gather.ts';
import { performEffect } from './control/perform.ts';
import { type FactSource, reconcileRun } from './control/reconcile-run.ts';
import { issueMarkerReader, proposalPlace, rememberRun, threadReading } from './markers.ts';
import { type OpenLab, openLaneOfRun } from './open-lab.ts';

// Texts in a run's own threads.

/** Maximum time for posting in one turn, so that posting does not delay a stop. */
const POST_TURN_MS = 15_000;

/** `alerts`: post only incidents, because time is short. */
type PostingPass = 'alerts' | 'all';

/** Sends the notices of new entries, then posts pending texts, alerts of all runs first. What exceeds the time waits for a later turn. */
export async function postPending(open: OpenLab, troubles: Trouble[], lastPass: PostingPass = 'all'): Promise<void> {
  const { lab, store, posted } = open;
  const until = lab.now() + POST_TURN_MS;
  const runs = new Map(store.current().runs.map((state) => [state.run, state]));
  for (const run of runs.keys())
    if (store.appended(run).size > (posted.runs.get(run)?.entries ?? 0)) posted.unposted.add(run);
  const owing = [...posted.unposted].flatMap((run) => runs.get(run) ?? []);
  for (const state of owing)
    await guard(open, troubles, { run: state.run, thread: null }, () => sendPendingNotices(open, state));
  const passes = [
    ...owing.filter((state) => hasUnpostedAlert(open, state)).map(({ run }) => [run, 'alerts'] as const),
    ...(lastPass === 'all' ? owing : []).map(({ run }) => [run, 'all'] as const),
  ];
  for (const [run, pass] of passes) {
    if (lab.now() >= until || !hasWriteBudget(lab.client, lab.now(), pass === 'alerts')) return;
    const work = () => postRun(open, run, pass);
    if ((await guard(open, troubles, { run, thread: null }, work)) !== false) posted.unposted.delete(run);
  }
}

/** Whether an incident still has to be posted; this does not read the threads. */
function hasUnpostedAlert({ store, posted }: OpenLab, { run, incidents }: RunState): boolean {
  const outcomes = posted.runs.get(run)?.memory.outcomes;
  return incidents.some(({ seq }) => store.appended(run).has(seq) && outcomes?.get(`${ALERT}${seq}`) === undefined);
}

/** Prefix of the keys of incident comments. */
const ALERT = 'publish:incident:';

/** Reads the threads once, then applies its own writes to the cache, so progress costs one request. False if posts may remain. */
async function postRun(open: OpenLab, run: RunId, pass: PostingPass): Promise<boolean> {
  const { lab, store, posted } = open;
  const appended = store.appended(run);
  const before = posted.runs.get(run);
  const memory: AttemptCache = { ...(before?.memory ?? NO_ATTEMPTS), appended };
  // After a bug or an unreadable thread, do not retry the same entries: control posts them.
  rememberRun(posted, run, { ownComments: null, memory, entries: appended.size });
  let ours = before?.ownComments ?? null;
  let isRead = false;
  let isWhole = true;
  const reloadOwnComments = async (): Promise<void> => {
    ours = await readOwnComments(open, run);
    isRead = true;
  };
  const source: FactSource = {
    gather: async (state) => {
      if (ours === null && !isRead) await reloadOwnComments();
      const unread = unknown('the threads could not be read');
      return factsForPosting(open, state, ours === null ? unread : known(ours));
    },
    // Another process may have posted a shared comment since the threads were cached.
    refresh: async (effect) => {
      if (isRead || effect.kind !== 'post-comment' || effect.isShared !== true) return false;
      await reloadOwnComments();
      return true;
    },
    note: (effect, outcome) => {
      const after = applyWriteToCache(ours ?? [], effect, outcome);
      isWhole &&= after !== null;
      ours = after ?? ours;
    },
  };
  const only = pass === 'alerts' ? (['incident'] as const) : undefined;
  const turned = await reconcileRun({ open, source, agenda: POSTING_AGENDA, memory, only }, run);
  const kept = isWhole ? (ours?.map(dropBody) ?? null) : null;
  rememberRun(posted, run, { ownComments: kept, memory: turned.memory, entries: appended.size });
  return pass === 'all' && hasWriteBudget(lab.client, lab.now(), false);
}

/** Keep only the card's text, because thousands of runs have many comments. */
function dropBody(comment: CommentFacts): CommentFacts {
  return comment.marker?.kind === 'card' ? comment : { ...comment, body: '' };
}

async function readOwnComments(open: OpenLab, run: RunId): Promise<readonly CommentFacts[] | null> {
  const { lab, config, store } = open;
  const state = store.current().runs.find((one) => one.run === run);
  if (state === undefined) return null;
  const place = proposalPlace(state.proposal, openLaneOfRun(open, state).config);
  const read = await readProposal(lab.client, place, threadReading(lab, config), threadsReadFrom(state));
  if (read.kind === 'known') return read.value.comments.filter(({ marker }) => marker !== null);
  lab.log(`the threads could not be read: ${read.why}`, { run });
  return null;
}

/** The cached threads after this process wrote; null if they must be read again. For a new comment, only its key is cached. */
function applyWriteToCache(
  ours: readonly CommentFacts[],
  effect: Effect,
  outcome: EffectOutcome,
): readonly CommentFacts[] | null {
  if (outcome.kind !== 'done') return null;
  if (effect.kind === 'post-comment') return readMarker(effect.body)?.kind === 'card' ? null : ours;
  if (effect.kind !== 'edit-comment') return ours;
  const { written } = outcome;
  if (written === undefined) return null;
  return ours.map((one) => (one.id === effect.comment ? { ...one, ...written, editedAt: written.updatedAt } : one));
}

// Texts outside a run's own threads.

/** `unsaid`: not posted, with the reason; the next trigger retries. */
export type PostResult =
  | { readonly kind: 'stands' }
  | { readonly kind: 'unsaid'; readonly code: 'unreadable' | 'not-written'; readonly why: string };

const POSTED: PostResult = { kind: 'stands' };

/** Whether this process has seen the comment in its thread. */
export function isPosted(
  { lab, posted }: OpenLab,
  { thread, marker, recheckMs }: Pick<PendingComment, 'thread' | 'marker' | 'recheckMs'>,
): boolean {
  const seenAt = posted.texts.get(`${thread} ${marker}`);
  return seenAt !== undefined && lab.now() - seenAt < (recheckMs ?? Number.POSITIVE_INFINITY);
}

/** Posts a comment unless its thread already has it. `since`: earliest possible time of the comment. */
export async function post(open: OpenLab, owed: PendingComment, since: Instant | null = null): Promise<PostResult> {
  if (owed.isUpdated !== true && isPosted(open, owed)) return POSTED;
  const read = await readThread(open.lab.client, owed.thread, threadReading(open.lab, open.config), since);
  return read.kind === 'known'
    ? postIn(open, owed, read.value.comments)
    : { kind: 'unsaid', code: 'unreadable', why: read.why };
}

/** Same as `say`, for a thread that was already read. */
export async function postIn(
  open: OpenLab,
  owed: PendingComment,
  comments: readonly CommentFacts[],
): Promise<PostResult> {
  const effect = decideComment(owed, comments);
  const outcome = effect === null ? null : await performEffect(open, effect);
  if (outcome === null || outcome.kind === 'done') {
    markPosted(open, `${owed.thread} ${owed.marker}`);
    return POSTED;
  }
  const code = outcome.kind === 'unknown' ? 'unreadable' : 'not-written';
  return { kind: 'unsaid', code, why: outcome.message };
}

/** Records that this process saw a text; `key` is a key of `Posted.texts`. */
export function markPosted({ lab, posted }: OpenLab, key: string): void {
  posted.texts.delete(key);
  posted.texts.set(key, lab.now());
  const oldest = posted.texts.keys().next();
  if (posted.texts.size > POSTED_TEXTS_MAX && oldest.done !== true) posted.texts.delete(oldest.value);
}

/** Maximum number of texts in memory; an evicted text costs one request. */
const POSTED_TEXTS_MAX = 2_000;

/** Opens an issue, or finds the existing one by its marker, and returns its number. `what` names the issue in an error message. */
export async function openIssue(
  open: Pick<OpenLab, 'lab' | 'git' | 'config'>,
  what: string,
  issue: Omit<Extract<Effect, { readonly kind: 'open-issue' }>, 'kind'>,
): Promise<number | Failed> {
  const outcome = await performEffect(open, { kind: 'open-issue', ...issue });
  return outcome.kind === 'done' && outcome.number !== null ? outcome.number : failNotDone(what, outcome);
}

/** Opens or updates an issue unless this process has seen it with this text. Null once it is current, otherwise the reason. */
export async function syncIssue(open: OpenLab, owed: PendingIssue): Promise<string | null> {
  const key = `${owed.marker} ${owed.body}`;
  if (open.posted.texts.has(key)) return null;
  const kept = await writeIssue(open, owed);
  if (kept.kind === 'unknown') return kept.why;
  // The issue may change back to an earlier text, so remember only the newest one.
  for (const one of open.posted.texts.keys()) if (one.startsWith(`${owed.marker} `)) open.posted.texts.delete(one);
  markPosted(open, key);
  return null;
}

/** Returns the issue's number. */
async function writeIssue(open: OpenLab, owed: PendingIssue): Promise<Observed<number | null>> {
  const standing = await findOwnIssue(open, owed.label, owed.marker);
  if (standing.kind === 'unknown') return standing;
  const effect = decideIssue(owed, standing.value);
  if (effect === null) return known(standing.value?.number ?? null);
  const outcome = await performEffect(open, effect);
  if (outcome.kind !== 'done') return unknown(outcome.message);
  if (effect.kind !== 'open-issue' || owed.state !== 'closed' || outcome.number === null) return known(outcome.number);
  // The subject ended before its issue was opened: open the issue and close it.
  const closing = { kind: 'edit-issue', issue: outcome.number, expected: null, body: null } as const;
  const closed = await performEffect(open, { ...closing, state: 'closed' });
  return closed.kind === 'done' ? known(outcome.number) : unknown(closed.message);
}

/** Finds ferrybot's issue by its marker. `isIt` also accepts an issue by number, in case its first line was edited. */
export async function findOwnIssue(
  { lab, config }: OpenLab,
  label: string,
  marker: string,
  isKnownIssue: (number: number) => boolean = () => false,
): Promise<Observed<PostedIssue | null>> {
  const markerOf = issueMarkerReader(lab, config);
  const found = await findIssue(lab.client, label, (number, body) => {
    const one = markerOf(number, body);
    return isKnownIssue(number) || (one?.role === 'control' && markerIdentity(one) === marker);
  });
  if (found.kind === 'unknown' || found.value === null) return found.kind === 'unknown' ? found : known(null);
  const { number, body } = found.value;
  return known({ ...found.value, marker: markerOf(number, body) });
}
