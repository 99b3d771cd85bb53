/** Posts comments and issues outside of a run's own threads: reads the thread, then writes what `run/outbox.ts` decides. */

import type { EffectOutcome } from '../../domain/effect.ts';
import type { CommentFacts } from '../../domain/facts.ts';
import type { Instant } from '../../domain/ids.ts';
import { markerIdentity } from '../../domain/marker.ts';
import { known, type Observed, unknown } from '../../domain/observed.ts';
import { findIssue } from '../../github/issues.ts';
import { readThread } from '../../github/thread.ts';
import {
  decideComment,
  decideIssue,
  type OwedComment,
  type OwedIssue,
  type StandingIssue,
} from '../../run/outbox.ts';
import { issueMarkerReader } from '../markers.ts';
import type { OpenLab } from '../open-lab.ts';
import { readingOf } from '../reading.ts';
import { perform } from './perform.ts';

/** `unsaid` carries the reason; the next trigger tries again. */
export type Said =
  | { readonly kind: 'stands' }
  | { readonly kind: 'unsaid'; readonly code: 'unreadable' | 'not-written'; readonly why: string };

const STANDS: Said = { kind: 'stands' };

/** Posts a comment unless its thread has it. `since`: the comment cannot be older. */
export async function say(open: OpenLab, owed: OwedComment, since: Instant | null = null): Promise<Said> {
  const read = await readThread(open.lab.client, owed.thread, readingOf(open.lab, open.config), since);
  return read.kind === 'known'
    ? sayAmong(open, owed, read.value.comments)
    : { kind: 'unsaid', code: 'unreadable', why: read.why };
}

/** The same for a thread that was already read. */
export async function sayAmong(
  open: OpenLab,
  owed: OwedComment,
  comments: readonly CommentFacts[],
): Promise<Said> {
  const effect = decideComment(owed, comments);
  return effect === null ? STANDS : saidOf(await perform(open, effect));
}

/** Updates an issue. Returns its number, or null if there is none and none was opened. */
export async function keepIssue(open: OpenLab, owed: OwedIssue): Promise<Observed<number | null>> {
  const standing = await standingIssue(open, owed.label, owed.marker);
  if (standing.kind === 'unknown') return standing;
  const effect = decideIssue(owed, standing.value);
  if (effect === null) return known(standing.value?.number ?? null);
  const outcome = await perform(open, effect);
  if (outcome.kind !== 'done') return unknown(outcome.message);
  if (effect.kind !== 'open-issue' || owed.state !== 'closed' || outcome.number === null)
    return known(outcome.number);
  // The subject ended before its issue existed: open it and close it.
  const closing = { kind: 'edit-issue', issue: outcome.number, expected: null, body: null } as const;
  const closed = await perform(open, { ...closing, state: 'closed' });
  return closed.kind === 'done' ? known(outcome.number) : unknown(closed.message);
}

/** Our issue with this marker, or one that `isIt` knows by number even if its first line was edited. */
export async function standingIssue(
  { lab, config }: OpenLab,
  label: string,
  marker: string,
  isIt: (number: number) => boolean = () => false,
): Promise<Observed<StandingIssue | null>> {
  const markerOf = issueMarkerReader(lab, config);
  const found = await findIssue(lab.client, label, (number, body) => {
    const one = markerOf(number, body);
    return isIt(number) || (one?.role === 'control' && markerIdentity(one) === marker);
  });
  if (found.kind === 'unknown' || found.value === null) return found.kind === 'unknown' ? found : known(null);
  const { number, body } = found.value;
  return known({ ...found.value, marker: markerOf(number, body) });
}

function saidOf(outcome: EffectOutcome): Said {
  if (outcome.kind === 'done') return STANDS;
  const code = outcome.kind === 'unknown' ? 'unreadable' : 'not-written';
  return { kind: 'unsaid', code, why: outcome.message };
}
