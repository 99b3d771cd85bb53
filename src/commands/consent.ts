/** What the commands that consent to a change of the cluster have in common: find what was proposed, and say yes to that alone. */

import { canMean, consentCommand, consentsTo, consentText } from '../care/consent-command.ts';
import { wasShownBefore } from '../domain/approval-binding.ts';
import { type MutationKind, targetName } from '../domain/care/mutation.ts';
import { consentEndsAt, type MutationRecord, proposalShownAt } from '../domain/care/mutation-state.ts';
import { TARGET_FIELDS, targetFacts } from '../domain/launch/hold.ts';
import { limits } from '../domain/limits.ts';
import type { EventDraft } from '../domain/logbook/event.ts';
import { toRfc3339 } from '../domain/time.ts';
import { nearest } from '../settings/nearness.ts';
import { type AnswerDecision, answering, type PlaceContext } from './decision.ts';

/** What each of them may be answered. */
export const consentAnswer = answering({
  consented: { kind: 'text', target: 'text', digest: 'text' },
  'consent-nothing-proposed': { name: 'text' },
  'consent-other-target': { given: 'text', suggest: 'text?' },
  'consent-other-digest': { lines: 'text' },
  'consent-digest-needed': { lines: 'text' },
  'consent-other-thread': { thread: 'integer' },
  'consent-ambiguous': { lines: 'text' },
  'consent-too-old': {},
  'consent-given-already': { by: 'text?' },
  'consent-under-way': { at: 'text' },
  'consent-done': { outcome: 'text', code: 'text' },
  'consent-held': { ...TARGET_FIELDS, reason: 'text' },
  'consent-not-here': {},
  'consent-not-shown': { lines: 'text' },
  'cleanup-own': {},
  'cleanup-list-old': { hours: 'integer' },
});

export const CONSENT_ANSWERS = consentAnswer.vocabulary;

/** What of its place a consent is decided on. */
export type ConsentContext = Pick<
  PlaceContext,
  'now' | 'actor' | 'comment' | 'args' | 'mutations' | 'showings' | 'holds'
>;

/** The decision on a consent to a mutation of one of these kinds; what it records goes where the proposal stands. */
export function decideConsent(context: ConsentContext, kinds: readonly MutationKind[]): AnswerDecision {
  const { mutations, args } = context;
  if (mutations.kind === 'unknown') return consentAnswer('logbook-broken');
  const [first] = kinds;
  if (first === undefined) throw new Error('a command that consents to nothing');
  const { name, key } = consentCommand({ kind: first });
  const all = mutations.value.filter(({ proposal }) => kinds.includes(proposal.mutation.kind));
  if (all.length === 0) return consentAnswer('consent-nothing-proposed', { name: `/${name}` });
  const named = all.filter(({ proposal }) => key === null || targetName(proposal.mutation) === args[key]);
  if (named.length === 0) return otherTarget(context, all, key === null ? '' : (args[key] ?? ''));
  const meant = named.filter(({ proposal, digest }) => canMean({ name, args }, proposal.mutation, digest));
  const [one, ...others] = mostLikely(context, meant);
  if (one === undefined)
    return consentAnswer('consent-other-digest', linesOf(mostLikely(context, named).slice(-1)));
  if (others.length > 0) return consentAnswer('consent-ambiguous', linesOf([one, ...others]));
  const refused = refusal(context, one);
  if (refused !== null) return refused;
  return consentsTo({ name, args }, one.proposal.mutation, one.digest)
    ? consent(context, one)
    : consentAnswer('consent-digest-needed', linesOf([one]));
}

/** What somebody copies who means one of these. */
function linesOf(records: readonly MutationRecord[]): { readonly lines: string } {
  return { lines: records.map(({ proposal, digest }) => consentText(proposal.mutation, digest)).join('\n') };
}

/**
 * What of these the person can have meant: all that is open in this thread and was when they wrote; where nothing is,
 * the one that says best why not.
 */
function mostLikely(context: ConsentContext, meant: readonly MutationRecord[]): readonly MutationRecord[] {
  const here = meant.filter(({ proposal }) => proposal.thread === context.comment.thread);
  const open = here.filter(({ begun, ended }) => begun === null && ended === null);
  const shown = open.filter((one) => !isLater(context, one));
  if (shown.length > 0) return shown;
  const elsewhere = meant.findLast(({ ended }) => ended === null) ?? meant.at(-1);
  const best = open.at(-1) ?? here.at(-1) ?? elsewhere;
  return best === undefined ? [] : [best];
}

/** Proposed after the person wrote. */
function isLater({ comment }: ConsentContext, one: MutationRecord): boolean {
  const shownAt = proposalShownAt(one);
  return shownAt === null || !wasShownBefore(shownAt, comment.createdAt);
}

/** What cannot be read is no showing. */
function wasOnShow({ comment, showings }: ConsentContext, { digest }: MutationRecord): boolean {
  const since = showings.get(digest);
  return since?.kind === 'known' && since.value !== null && wasShownBefore(since.value, comment.createdAt);
}

function otherTarget(
  { comment }: ConsentContext,
  all: readonly MutationRecord[],
  given: string,
): AnswerDecision {
  const names = [
    ...new Set(
      all
        .filter(({ ended, proposal }) => ended === null && proposal.thread === comment.thread)
        .map(({ proposal }) => targetName(proposal.mutation)),
    ),
  ];
  return consentAnswer('consent-other-target', {
    given,
    suggest: nearest(given, names) ?? names.at(-1) ?? '',
  });
}

function refusal(context: ConsentContext, one: MutationRecord): AnswerDecision | null {
  const { comment, now } = context;
  const { proposal, ended, begun } = one;
  if (ended !== null) return consentAnswer('consent-done', { outcome: ended.outcome, code: ended.code });
  if (proposal.thread !== comment.thread)
    return consentAnswer('consent-other-thread', { thread: proposal.thread });
  if (begun !== null) return consentAnswer('consent-under-way', { at: begun.at });
  if (comment.surface === 'review-comment') return consentAnswer('consent-not-here');
  if (isLater(context, one))
    return consentAnswer('consent-nothing-proposed', {
      name: `/${consentCommand(proposal.mutation).name}`,
    });
  if (!wasOnShow(context, one)) return consentAnswer('consent-not-shown', linesOf([one]));
  if (now >= comment.createdAt + limits.consentLifetimeMs) return consentAnswer('consent-too-old');
  if (context.holds.kind === 'unknown') return consentAnswer('logbook-broken');
  const hold = context.holds.value[0];
  if (hold !== undefined) return consentAnswer('consent-held', { ...targetFacts(hold), reason: hold.reason });
  const given = one.consents.find((each) => now < consentEndsAt(each));
  return given === undefined
    ? null
    : consentAnswer('consent-given-already', { by: given.actor?.login ?? '' });
}

function consent({ actor, comment }: ConsentContext, { proposal, digest }: MutationRecord): AnswerDecision {
  if (comment.surface === 'review-comment') throw new Error('a consent on a line of the change');
  const draft: EventDraft = {
    type: 'consented',
    role: 'control',
    actor,
    data: {
      proposal: digest,
      source: {
        kind: 'comment',
        comment: comment.id,
        surface: comment.surface,
        thread: comment.thread,
        bodyDigest: comment.bodyDigest,
        writtenAt: toRfc3339(comment.createdAt),
      },
    },
  };
  const detail = {
    kind: proposal.mutation.kind,
    target: targetName(proposal.mutation),
    digest: digest.slice(7, 19),
  };
  return proposal.record === 'journal'
    ? consentAnswer('consented', detail, [], [draft])
    : consentAnswer('consented', detail, [draft]);
}
