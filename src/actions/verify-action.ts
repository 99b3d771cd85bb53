/**
 * Checks whether a recorded consent is valid now. The proposal must match its digest, the person's comment must be unchanged,
 * the person must still have the permission, and the consent must not be too old.
 */

import { type ActionApprovers, findApproverFault } from '../care/action-approval.ts';
import {
  type ActionApproval,
  type ActionRecord,
  type ApprovalSource,
  approvalEndsAt,
  proposalPostedAt,
} from '../domain/actions/action.ts';
import type { Permission } from '../domain/actor.ts';
import type { CommentFacts } from '../domain/facts.ts';
import type { Hold } from '../domain/launch/hold.ts';
import { citationKey, compareDigest } from '../domain/launch/order.ts';
import type { RefusalCode } from '../domain/launch/verdict.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { type DigestOf, type Instant, known, type Observed } from '../domain/values.ts';
import { canonicalDigest } from '../logbook/chain.ts';
import type { Brake } from '../run/open-brakes.ts';
import { findBrakeFault, findFirstApprovalFault } from './verify-approval.ts';

/** Why an approved action may not be carried out. */
export type ActionFaultCode =
  | RefusalCode
  | 'not-proposed'
  | 'other-record'
  | 'proposal-forged'
  | 'already-over'
  | 'no-consent'
  | 'not-pre-approved'
  | 'pre-approval-used-up';
export type ActionFault = { readonly code: ActionFaultCode; readonly why: string };

/** The facts about one action, read just now. */
export type ActionFacts = {
  readonly repository: string;
  /** The run, or `journal`. */
  readonly record: string;
  /** From the verified logbook: only control's signature makes a `action-approved` (`WRITERS`). */
  readonly action: ActionRecord | null;
  readonly now: Instant;
  readonly digestOf: DigestOf;
  readonly holds: Observed<readonly Hold[]>;
  /** Comments since the consent that ask to hold the action back. */
  readonly brakes: Observed<readonly Brake[]>;
  /** The run's own /stop; null if there is none, or if the action belongs to no run. */
  readonly stop: RunState['stop'];
  /** The consenting comment, fetched by its id; null if GitHub has none. Unused where the config gives the consent. */
  readonly cited: Observed<CommentFacts | null>;
  /** Since when the proposal's text had been shown when the comment was written; null if it was not shown. */
  readonly shownSince: Observed<Instant | null>;
  readonly permission: Observed<Permission>;
  /** Who may approve, from the config in force. `maxAgeMs`: how long an approval counts. */
  readonly approvers: ActionApprovers;
  readonly maxAgeMs: number;
  readonly otherBots: readonly string[];
  readonly preApproval: PreApproval;
};

/** The pre-approval in the current config of the default branch. */
export type PreApproval = {
  readonly isInForce: boolean;
  /** How many cluster changes the config approved within its period, without this one. */
  readonly used: number;
  readonly max: number;
};

/** The first reason not to carry out the action on this consent now, or null. */
export function findActionFault(facts: ActionFacts, consent: ActionApproval | null): ActionFault | null {
  const { action } = facts;
  if (action === null) return buildFault('not-proposed', 'the record has no such proposal');
  const unproposed = proposalFault(facts, action);
  if (unproposed !== null) return unproposed;
  if (action.ended !== null) return buildFault('already-over', action.ended.code);
  if (consent === null) return buildFault('no-consent', 'nobody has consented');
  if (facts.now >= approvalEndsAt(consent, facts.maxAgeMs)) return buildFault('approval-outdated', consent.at);
  const { stop, holds, brakes } = facts;
  const stoppedBy = stop !== null && stop.seq > consent.seq ? stop.actor.login : null;
  const held = findBrakeFault({ stoppedBy, holds, brakes });
  if (held !== null) return held;
  return consent.source.kind === 'comment'
    ? findCommentFault(facts, action, consent, consent.source)
    : findPreApprovalFault(facts);
}

function proposalFault(facts: ActionFacts, { proposal, digest, evidence }: ActionRecord): ActionFault | null {
  if (proposal.repository !== facts.repository) return buildFault('other-repository', proposal.repository);
  if (proposal.record !== facts.record) return buildFault('other-record', proposal.record);
  if (canonicalDigest(proposal, facts.digestOf) !== digest)
    return buildFault('proposal-forged', 'its digest is that of another proposal');
  return canonicalDigest(evidence, facts.digestOf) === proposal.evidence
    ? null
    : buildFault('proposal-forged', 'its evidence is not what was shown');
}

function findCommentFault(
  facts: ActionFacts,
  action: ActionRecord,
  { actor }: ActionApproval,
  source: Extract<ApprovalSource, { kind: 'comment' }>,
): ActionFault | null {
  const { proposal, digest } = action;
  const approval = { ...source, user: actor?.id ?? 0 };
  const reading = {
    cited: new Map([[citationKey(source), facts.cited]]),
    permissions: new Map([[approval.user, facts.permission]]),
  };
  return findFirstApprovalFault([approval], reading, {
    threads: [proposal.thread],
    otherBots: facts.otherBots,
    isApproval: ({ name, args }) => name === 'approve' && compareDigest(args['digest'], digest) === 'named',
    quorum: 1,
    // Only control signed the recorded time of the proposal, so the text itself is checked as well.
    shownSince: [known(proposalPostedAt(action)), facts.shownSince],
    shownForMs: 0,
    isTooOld: (createdAt) => facts.now >= createdAt + facts.maxAgeMs,
    mayApprove: (person, held) => findApproverFault(action, person, held, facts.approvers) === null,
  });
}

function findPreApprovalFault({ preApproval: { isInForce, used, max } }: ActionFacts): ActionFault | null {
  if (!isInForce) return buildFault('not-pre-approved', 'the config does not approve it');
  return used >= max ? buildFault('pre-approval-used-up', `${used} of ${max}`) : null;
}

function buildFault(code: ActionFaultCode, why: string): ActionFault {
  return { code, why };
}
