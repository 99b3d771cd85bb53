/**
 * A bad node, its proposal, a consent to it and the facts of a moment at which everything is valid; tests
 * change one part.
 */

import type { ActionFacts } from '../../src/actions/verify-action.ts';
import type { ActionEvidence, ActionProposal, ActionRecord } from '../../src/domain/actions/action.ts';
import type { Actor } from '../../src/domain/actor.ts';
import type { CommentFacts } from '../../src/domain/facts.ts';
import type { EventDraft } from '../../src/domain/logbook/define.ts';
import { brandAs, type Digest, type Instant, isDigest, isInstant, known, toRfc3339 } from '../../src/domain/values.ts';
import { sha256Hex } from '../../src/host/keys.ts';
import { canonicalDigest } from '../../src/logbook/chain.ts';

export const digestOf = (text: string): Digest => brandAs(`sha256:${sha256Hex(text)}`, isDigest);
export const at = (minute: number): Instant => brandAs(Date.UTC(2026, 10, 21, 12, minute), isInstant);
export const mira: Actor = { id: 7, login: 'mira' };
export const RUN = 'ferry-daily-20261121';

export const evidence: ActionEvidence = {
  facts: { signature: 'device-busy', address: '10.130.1.45' },
  lines: ['(Train pid=42, ip=10.130.1.45) RuntimeError: Device or resource busy'],
};

export function aProposal(change: Partial<ActionProposal> = {}): ActionProposal {
  const vm = {
    name: 'ray-us-central1-worker-7c21',
    zone: 'us-central1-a',
    createdAt: '2026-11-20T01:02:03.000Z',
    address: '10.130.1.45',
  };
  return {
    v: 1,
    record: RUN,
    repository: 'lab/models',
    cluster: 'us-central1',
    change: { kind: 'delete-tpu-vm', vm },
    steps: [
      {
        kind: 'delete-tpu-vm',
        command: ['gcloud', 'compute', 'tpus', 'tpu-vm', 'delete', vm.name, '--zone', vm.zone, '--quiet'],
      },
    ],
    evidence: canonicalDigest(evidence, digestOf),
    thread: 12,
    round: 1,
    ...change,
  };
}

/** The proposal as an event that the watch writes. */
export function proposedDraft(what = aProposal()): Extract<EventDraft, { type: 'action-proposed' }> {
  const digest = canonicalDigest(what, digestOf);
  return { type: 'action-proposed', role: 'watch', data: { proposal: what, digest, evidence } };
}

/** The command without a digest: it is parsed, but never sufficient. */
export const BARE = '/approve';

/** The line that consents to this proposal, written without the code under test. */
export function approvalLineFor(what: ActionProposal): string {
  return `${BARE} ${canonicalDigest(what, digestOf).slice(7, 39)}`;
}
export const COMMAND = approvalLineFor(aProposal());

/** A comment by mira in the thread of the proposal. */
export function aConsentComment(change: Partial<CommentFacts> = {}): CommentFacts {
  const body = change.body ?? COMMAND;
  return {
    surface: 'comment',
    id: 900,
    nodeId: 'IC_900',
    thread: 12,
    author: mira,
    authorIsBot: false,
    isByOwnLogin: false,
    marker: null,
    byOwnApp: false,
    body,
    bodyDigest: digestOf(body),
    createdAt: at(10),
    updatedAt: at(10),
    editedAt: null,
    minimized: false,
    commit: null,
    ...change,
  };
}

export function consentDraft(
  said = aConsentComment(),
  what = aProposal(),
): Extract<EventDraft, { type: 'action-approved' }> {
  if (said.surface === 'review-comment') throw new Error('not a surface of consents');
  return {
    type: 'action-approved',
    role: 'control',
    actor: said.author,
    data: {
      proposal: canonicalDigest(what, digestOf),
      source: {
        kind: 'comment',
        comment: said.id,
        surface: said.surface,
        thread: said.thread,
        bodyDigest: said.bodyDigest,
        writtenAt: toRfc3339(said.createdAt),
      },
    },
  };
}

/** Proposed at 12:00, consented to at 12:10, started at 12:11 unless given otherwise. */
export function anActionRecord(change: Partial<ActionRecord> = {}): ActionRecord {
  const { data } = proposedDraft();
  const { data: consented } = consentDraft();
  return {
    ...data,
    at: toRfc3339(at(0)),
    seq: 20,
    approvals: [{ source: consented.source, actor: mira, at: toRfc3339(at(10)), seq: 21 }],
    claim: { proposal: data.digest, consent: 21, workflowRun: 5, at: toRfc3339(at(11)), seq: 22 },
    ended: null,
    ...change,
  };
}

export function someActionFacts(change: Partial<ActionFacts> = {}): ActionFacts {
  return {
    repository: 'lab/models',
    record: RUN,
    action: anActionRecord(),
    now: at(12),
    digestOf,
    holds: known([]),
    brakes: known([]),
    stop: null,
    cited: known(aConsentComment()),
    shownSince: known(at(0)),
    permission: known('maintain'),
    approvers: { care: 'maintain', permission: 'maintain', users: [], onePersonIsEnough: false },
    maxAgeMs: 3_600_000,
    otherBots: [],
    preApproval: { isInForce: false, used: 0, max: 2 },
    ...change,
  };
}
