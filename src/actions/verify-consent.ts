/**
 * Whether a recorded consent counts at this moment, as whoever acts on it asks again: the proposal is what its digest
 * says, the person wrote it there and did not take it back, may still say it, and the hour is not over.
 */

import { type ActionApprovers, approverFault } from '../care/may-approve-action.ts';
import { evidenceDigest, proposalDigest } from '../care/mutation-digest.ts';
import type { Permission } from '../domain/actor.ts';
import { namingOf } from '../domain/approval-binding.ts';
import type { ConsentSource } from '../domain/care/mutation.ts';
import {
  type Consent,
  consentEndsAt,
  type MutationRecord,
  proposalShownAt,
} from '../domain/care/mutation-state.ts';
import type { CommentFacts } from '../domain/facts.ts';
import type { DigestOf, Instant } from '../domain/ids.ts';
import type { Hold } from '../domain/launch/hold.ts';
import type { RefusalCode } from '../domain/launch/refusal.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { known, type Observed } from '../domain/observed.ts';
import type { Brake } from '../run/open-brakes.ts';
import { brakeFault, citedApprovalFault, citedComment } from './verify-approval.ts';

/** Why an approved action may not be carried out. */
export type ConsentFaultCode =
  | RefusalCode
  | 'not-proposed'
  | 'other-record'
  | 'proposal-forged'
  | 'already-over'
  | 'no-consent'
  | 'not-pre-approved'
  | 'pre-approval-used-up';
export type ConsentFault = { readonly code: ConsentFaultCode; readonly why: string };

/** What was asked just now. */
export type ConsentFacts = {
  readonly repository: string;
  /** The run, or `journal`. */
  readonly record: string;
  /** From the verified logbook: only control's signature makes a `consented` (`WRITERS`). */
  readonly mutation: MutationRecord | null;
  readonly now: Instant;
  readonly digestOf: DigestOf;
  readonly holds: Observed<readonly Hold[]>;
  /** What was commented to hold it back since the consent. */
  readonly brakes: Observed<readonly Brake[]>;
  /** The run's own /stop; null where nobody said one, or where this belongs to no run. */
  readonly stop: RunState['stop'];
  /** The consenting comment, fetched by its id; null = GitHub has none. Of no meaning where the config consents. */
  readonly cited: Observed<CommentFacts | null>;
  /** Since when the text that shows the proposal had stood when the comment was written; null = it did not. */
  readonly shownSince: Observed<Instant | null>;
  readonly permission: Observed<Permission>;
  /** Who may approve, from the config in force, and for how long an approval counts. */
  readonly approvers: ActionApprovers;
  readonly maxAgeMs: number;
  readonly otherBots: readonly string[];
  readonly preApproval: Observed<PreApproval>;
};

/** What the config says about consenting by itself. */
export type PreApproval = {
  /** At this moment, on the default branch. */
  readonly standsNow: boolean;
  /** At the commit that the consent names, which is in the default branch's history. */
  readonly stoodThen: boolean;
  /** Mutations of the cluster that the config consented to within its period, this one not counted. */
  readonly used: number;
  readonly max: number;
};

/** The first thing that is wrong with acting on this consent now, or null. */
export function consentFault(facts: ConsentFacts, consent: Consent | null): ConsentFault | null {
  const { mutation } = facts;
  if (mutation === null) return fault('not-proposed', 'the record has no such proposal');
  const unproposed = proposalFault(facts, mutation);
  if (unproposed !== null) return unproposed;
  if (mutation.ended !== null) return fault('already-over', mutation.ended.code);
  if (consent === null) return fault('no-consent', 'nobody has consented');
  if (facts.now >= consentEndsAt(consent, facts.maxAgeMs)) return fault('approval-too-old', consent.at);
  const { stop, holds, brakes } = facts;
  const stoppedBy = stop !== null && stop.seq > consent.seq ? stop.actor.login : null;
  const held = brakeFault({ stoppedBy, holds, brakes });
  if (held !== null) return held;
  return consent.source.kind === 'comment'
    ? commentFault(facts, mutation, consent, consent.source)
    : configFault(facts);
}

function proposalFault(
  facts: ConsentFacts,
  { proposal, digest, evidence }: MutationRecord,
): ConsentFault | null {
  if (proposal.repository !== facts.repository) return fault('other-repository', proposal.repository);
  if (proposal.record !== facts.record) return fault('other-record', proposal.record);
  if (proposalDigest(proposal, facts.digestOf) !== digest)
    return fault('proposal-forged', 'its digest is that of another proposal');
  return evidenceDigest(evidence, facts.digestOf) === proposal.evidence
    ? null
    : fault('proposal-forged', 'its evidence is not what was shown');
}

function commentFault(
  facts: ConsentFacts,
  mutation: MutationRecord,
  { actor }: Consent,
  source: Extract<ConsentSource, { kind: 'comment' }>,
): ConsentFault | null {
  const { proposal, digest } = mutation;
  const cited = { ...source, threads: [proposal.thread], user: actor?.id ?? null };
  const comment = citedComment(
    facts.cited,
    cited,
    facts.otherBots,
    ({ name, args }) => name === 'approve' && namingOf(args['digest'], digest) === 'named',
  );
  if (!comment.ok) return comment.error;
  return citedApprovalFault(comment.value, {
    // The record says when it was proposed, and that is control's word: the text itself was read as well.
    shownSince: [known(proposalShownAt(mutation)), facts.shownSince],
    shownForMs: 0,
    isTooOld: (createdAt) => facts.now >= createdAt + facts.maxAgeMs,
    permission: facts.permission,
    personFault: (person, held) => approverFault(mutation, person, held, facts.approvers),
  });
}

function configFault({ preApproval }: ConsentFacts): ConsentFault | null {
  if (preApproval.kind === 'unknown') return fault('unreadable', preApproval.why);
  const { standsNow, stoodThen, used, max } = preApproval.value;
  if (!standsNow || !stoodThen) return fault('not-pre-approved', standsNow ? 'not then' : 'not now');
  return used >= max ? fault('pre-approval-used-up', `${used} of ${max}`) : null;
}

function fault(code: ConsentFaultCode, why: string): ConsentFault {
  return { code, why };
}
