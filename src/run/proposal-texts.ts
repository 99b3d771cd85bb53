/** Finds the text that shows a proposed cluster change, classifies its versions and restores it. */

import type { ActionRecord } from '../domain/actions/action.ts';
import type { CommentFacts, ProposalText, RunFacts, ShownVersion } from '../domain/facts.ts';
import { limits } from '../domain/limits.ts';
import { markerIdentity, type VerifiedMarker } from '../domain/marker.ts';
import { request } from '../domain/reconcile-request.ts';
import { brandAs, fromRfc3339, type Instant, isInstant, shortDigestHex } from '../domain/values.ts';
import { actionCommentText } from '../render/publication.ts';
import { canRewrite, findShownSince } from './decide-shown.ts';
import { canTry, type DeciderInput, perform, type Step } from './step.ts';

type ProposalTextInput = Omit<DeciderInput, 'config' | 'facts'> & { readonly facts: Pick<RunFacts, 'proposalTexts'> };

/** Restores the texts of open proposals that other people edited. Null if all texts are intact or unknown. */
export function decideProposalTexts(input: ProposalTextInput): Step | null {
  const { state, facts } = input;
  const open = state.actions.filter(isOpenProposal);
  const unread = open.filter(({ digest }) => !facts.proposalTexts.has(digest));
  if (unread.length > 0)
    return request(...unread.map(({ digest }) => ({ fact: 'proposalTexts', of: digest }) as const));
  for (const one of open) {
    const text = facts.proposalTexts.get(one.digest);
    const step = text?.kind === 'known' && text.value !== null ? restoreText(input, one, text.value) : null;
    if (step !== null) return step;
  }
  return null;
}

/** Rewrites an edited text, also one that a person restored: only a seal newer than the edit counts. */
function restoreText(
  { state, now, memory }: ProposalTextInput,
  one: ActionRecord,
  { comment, versions }: ProposalText,
): Step | null {
  const newest = versions[0]?.editedAt ?? now;
  const seals = new Set(versions.flatMap(({ sealedAt }) => sealedAt ?? []));
  if (comment === null || findShownSince(versions, newest) !== null || !canRewrite([...seals], now)) return null;
  const key = `proposal:${one.seq}:${newest}`;
  if (!canTry(memory, key, limits.effectTriesMax)) return null;
  const body = actionCommentText(String(one.seq), state);
  return perform(key, { kind: 'edit-comment', thread: one.proposal.thread, comment, body });
}

/** Whether consent is still possible. */
export function isOpenProposal({ claim: begun, ended }: ActionRecord): boolean {
  return begun === null && ended === null;
}

/** When to start reading texts of this proposal, with slack for clock differences. */
export function textsSince({ at }: ActionRecord): Instant {
  return brandAs((fromRfc3339(at) ?? 0) - limits.sweepSlackMs, isInstant);
}

/** Marker prefix of the proposal's text: its own comment, or the cluster's disk issue. */
function proposalMarkerPrefix({ proposal, seq }: ActionRecord): string {
  return proposal.record === 'journal'
    ? markerIdentity({ run: 'journal', kind: 'disk', key: proposal.cluster })
    : markerIdentity({ run: proposal.record, kind: 'action', key: String(seq) });
}

/**
 * The comment with the proposal's marker; otherwise edited candidates whose history may show it. Removing the marker must not hide a
 * proposal.
 */
export function proposalComments(one: ActionRecord, comments: readonly CommentFacts[]): readonly CommentFacts[] {
  const identity = proposalMarkerPrefix(one);
  const from = textsSince(one);
  const here = comments.filter(
    ({ surface, isByOwnLogin, thread, createdAt }) =>
      surface === 'comment' && isByOwnLogin && thread === one.proposal.thread && createdAt >= from,
  );
  const standing = here.find(({ marker }) => marker !== null && markerIdentity(marker) === identity);
  if (standing !== undefined) return [standing];
  return here.filter(({ editedAt }) => editedAt !== null).slice(-limits.spoiledTextsMax);
}

/** Whether an old version has the proposal's marker. */
export function wasProposalText(one: ActionRecord, versions: readonly ShownVersion[]): boolean {
  const identity = proposalMarkerPrefix(one);
  return versions.some(({ marker }) => marker !== null && markerIdentity(marker) === identity);
}

/** Classifies each version. `words`: digest of control's text, if the watch may write it too. */
export function judgeText(
  one: ActionRecord,
  comment: number | null,
  versions: readonly ShownVersion[],
  words: string | null,
): ProposalText {
  const identity = proposalMarkerPrefix(one);
  return {
    comment,
    versions: versions.map(({ editedAt, body, marker }) => ({
      editedAt,
      shows: classifyText(one, { body, marker, identity, words }),
      sealedAt: marker?.at ?? null,
    })),
  };
}

type PostedText = {
  readonly body: string;
  readonly marker: VerifiedMarker | null;
  readonly identity: string;
  /** Digest of control's text; null if only control writes it. */
  readonly words: string | null;
};

/**
 * `this`: intact, sealed for this place, and names the proposal. The watch's key may only repeat control's text. It can therefore not
 * present another change for consent.
 */
export function classifyText(
  { digest }: Pick<ActionRecord, 'digest'>,
  { body, marker, identity, words }: PostedText,
): 'this' | 'other' | 'foreign' {
  if (marker === null || !marker.isIntact || markerIdentity(marker) !== identity) return 'foreign';
  if (marker.role !== 'control' && marker.text !== words) return 'foreign';
  return body.includes(shortDigestHex(digest)) ? 'this' : 'other';
}
