/** The input of a command, and its possible decisions: codes and values, never text or effects. */

import type { CheckpointSearch } from '../checkpoints/choose.ts';
import type { CleanupPlan } from '../checkpoints/cleanup.ts';
import type { SealArtefactReport } from '../checkpoints/evidence.ts';
import type { LabConfig } from '../config/schema.ts';
import type { ActionRecord } from '../domain/actions/action.ts';
import type { Actor, Permission } from '../domain/actor.ts';
import type { CommentFacts, PersonFacts } from '../domain/facts.ts';
import {
  type Detail,
  type Facts,
  type FactsArgument,
  INCIDENTS,
  toRecordedFacts,
  type Vocabulary,
} from '../domain/incidents.ts';
import { type Hold, TARGET_FIELDS } from '../domain/launch/hold.ts';
import type { Verdict } from '../domain/launch/verdict.ts';
import type { EventDraft } from '../domain/logbook/define.ts';
import type { SealedCheckpoint } from '../domain/logbook/events/checkpoint-events.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import type { FactRequest, Need } from '../domain/reconcile-request.ts';
import type { Digest, Instant, Observed, Sha } from '../domain/values.ts';
import type { CommandSpec } from './values.ts';

/** Why a comment does not approve the manifest on the card. In each case, the person must read the card and copy its line. */
const UNBOUND_REASONS = [
  'no-digest',
  'other-digest',
  'other-kind',
  'before-shown',
  'other-commit',
  'too-old',
  'restarts-used',
] as const;
export type UnboundReason = (typeof UNBOUND_REASONS)[number];

/** Why a pull request or issue does not become a run. */
const ADOPTION_REFUSALS = [
  'fork',
  'draft',
  'no-experiment',
  'several-lanes',
  'knobs',
  'not-permitted',
  'no-person',
  'no-value',
  'no-name',
] as const;
export type AdoptionRefusal = (typeof ADOPTION_REFUSALS)[number];

export const ANSWERS = {
  // Any command.
  'not-permitted': { needs: 'text', held: 'text?' },
  'permission-unknown': { why: 'text' },
  'no-run-here': { name: 'text?' },
  'run-over': { name: 'text?', run: 'text?' },
  'named-run-unknown': { run: 'text', live: 'list' },
  'comment-edited': { name: 'text' },
  'comment-gone': { name: 'text?' },
  'not-understood': {
    code: 'text',
    word: 'text',
    line: 'integer',
    column: 'integer',
    suggest: 'text?',
    expected: 'text?',
  },
  hint: { word: 'text', reason: 'text', line: 'integer' },
  'logbook-broken': { name: 'text?' },
  'lane-unclear': { kind: ['unclear', 'no-such'], lanes: 'text', named: 'text' },
  'close-under-way': {},
  /** `status`: why the command has no effect now. */
  'not-now': { status: 'text' },
  'too-late': { jobId: 'text?' },
  'point-past': { what: 'text' },
  /** For a command that only records a person's text. `what` completes "recorded …". */
  recorded: { what: 'text' },
  failed: { why: 'text' },

  // Approvals. `lines`: the approving commands without the slash, one per line.
  'approval-line-needed': { why: UNBOUND_REASONS, lines: 'text', about: 'text?' },
  'approval-by-author': {},
  'already-approved': { digest: 'text', by: 'text?' },
  'no-fix': { attempt: 'integer', relaunch: 'integer?' },
  /** `name`: a `commentId`. */
  'second-card': { name: 'text', thread: 'integer', by: 'text' },
  approved: { digest: 'text', count: 'integer', quorum: 'integer' },
  'approved-waiting-for-more': { digest: 'text', count: 'integer', quorum: 'integer' },
  'approval-gates-blocked': { count: 'integer', first: 'text', code: 'text' },
  'approval-not-shown': { digest: 'text' },
  'approval-same-failure': { attempt: 'integer', earlier: 'integer', signature: 'text' },
  'action-approved': { kind: 'text', target: 'text', digest: 'text' },
  'action-nothing-proposed': {},
  'action-other-thread': { thread: 'integer' },
  'action-done': { outcome: 'text', code: 'text' },
  'action-held': { ...TARGET_FIELDS, reason: 'text' },
  'action-not-shown': { lines: 'text' },

  // Brakes.
  held: { ...TARGET_FIELDS, reason: 'text', dropped: 'integer', jobId: 'text?' },
  unheld: TARGET_FIELDS,
  'unhold-nothing': { others: 'list' },
  revoked: { digest: 'text', count: 'integer', attempt: 'integer?' },
  'revoke-nothing': {},
  'stop-requested': { by: 'text', missingCluster: 'text?' },
  'stop-before-launch': { by: 'text' },

  // Reading.
  'status-shown': {},
  'lane-past': { lane: 'text' },
  'lane-shown': { live: 'text?', last: 'text?', issue: 'integer', holds: 'list', stray: 'list' },
  /** Logins of the people who can act, by role. */
  'why-told': { author: 'text', maintainer: 'text', approver: 'text', excluded: 'text' },
  'why-nothing': {},
  'why-stopped': { by: 'text' },
  'help-shown': { command: 'text?' },

  // Attempts and checkpoints.
  'relaunch-asked': { attempt: 'integer', left: 'integer', missing: 'integer?' },
  'relaunch-fix': { attempt: 'integer' },
  'relaunch-never': INCIDENTS['relaunch-refused'],
  'relaunch-adopted': {},
  'rolled-back': { step: 'integer', path: 'text?', reason: 'text' },
  'rollback-not-now': { status: 'text' },
  'rollback-unseen': {},
  'rollback-refused': { step: 'integer', why: 'text' },
  'checkpoint-rejected': { step: 'integer', reason: 'text' },
  'reject-not-reached': { step: 'integer', reached: 'integer' },
  /** The checkpoints from this step on are already out of the lineage. */
  'reject-already': { step: 'integer', by: 'text' },
  'resumed-as': { old: 'text', run: 'text', from: 'text', root: 'text?', reason: 'text' },
  'resume-as-unclear': { name: 'text', said: 'text', wanted: 'text' },
  'resume-as-refused': { path: 'text', why: 'text' },
  'cleanup-listed': { count: 'integer', more: 'integer', kept: 'integer' },
  'cleanup-listed-already': { digest: 'text' },
  'cleanup-nothing': { kept: 'integer' },
  'cleanup-no-depth': {},
  'cleanup-unreadable': { why: 'text' },

  // The end of a run.
  acknowledged: { status: 'text' },
  'ack-before-end': { status: 'text' },
  'incident-taken': { count: 'integer', watched: 'integer?' },
  'watch-end-taken': { count: 'integer' },
  closed: { closurePull: 'integer?' },
  'closes-in-its-thread': {},
  'lost-not-lost': { minutes: 'integer' },
  sealed: { tag: 'text', closurePull: 'integer?', notMerged: 'text?' },
  'seal-adopted': {},
  'seal-failed': {},
  'seal-needs-accept': { status: 'text', verdict: 'text' },
  'seal-refused': { code: 'text', message: 'text' },
  'seal-incomplete': { missing: 'text' },
  'milestone-sealed': { name: 'text', tag: 'text', path: 'text', step: 'integer', unseen: 'text' },
  'milestone-taken': { name: 'text', step: 'integer' },
  'milestone-missing': { missing: 'text' },

  // The watch of a job.
  'watch-not-yours': { owner: 'text?' },
  'watch-resumed': {},
  'watch-stopped': {},
  'adopt-what': { missing: 'list', job: 'text?', cluster: 'text?', experiment: 'text?', clusters: 'text' },
  'adopt-asked': { run: 'text', job: 'text', cluster: 'text' },
  'adopt-cluster': { cluster: 'text', clusters: 'text' },
  'adopt-held': { job: 'text', run: 'text', thread: 'integer' },
  'adopt-place': {},
  accepted: { from: 'text?' },
  'accept-not-yours': { login: 'text' },
  'accept-too-late': { until: 'text' },
  'job-adopted': {},
  'job-not-told': {},
  'job-told-otherwise': {},
  'handoff-offered': { to: 'integer', login: 'text', until: 'text' },
  'handoff-not-theirs': { login: 'text', needs: 'text' },
  'until-set': { step: 'integer?', time: 'text?', before: 'integer?' },
  'until-what': {},

  // Proposals and rentals.
  proposed: { run: 'text', pull: 'integer', issue: 'integer' },
  'propose-held': { ...TARGET_FIELDS, by: 'text', reason: 'text' },
  'propose-standing': { run: 'text', pull: 'integer', phase: 'text', issue: 'integer?', own: 'integer?' },
  'propose-busy': { run: 'text', pull: 'integer', phase: 'text', issue: 'integer?' },
  'propose-not-today': { count: 'integer' },
  'propose-edit-refused': {
    why: ['unknown-knob', 'ambiguous-knob', 'repeated-knob', 'value-refused', 'unchanged', 'over-budget'],
    /** The knob as written in the command, or the number of knobs. */
    name: 'text',
    /** Depends on `why`: a knob, the matching paths (one per line), a value, or the allowed maximum. */
    about: 'text?',
  },
  'propose-objective-unclear': { why: 'text', said: 'text', knobs: 'text' },
  'propose-nothing': { reason: 'text', why: 'text' },
  'propose-refused': { why: ADOPTION_REFUSALS, about: 'text', wanted: 'text' },
  'rent-not-here': { why: ['no-lane', 'no-issue', 'run-here'], lanes: 'text' },
  'nothing-rented': {},
  kept: { until: 'text', reason: 'text' },
  'keep-too-long': { until: 'text', latest: 'text' },
  'teardown-asked': { by: 'text', runs: 'integer?' },
} as const satisfies Vocabulary;
export type Answers = typeof ANSWERS;
export type AnswerCode = keyof Answers;

/** Completes a command. `journal`: drafts for the repository journal in the same push. */
export type AnswerDecision = {
  readonly kind: 'answer';
  readonly code: AnswerCode;
  readonly detail: Detail;
  readonly drafts: readonly EventDraft[];
  readonly journal: readonly EventDraft[];
};

type Drafts = readonly EventDraft[];
type FactsAndDrafts<F> =
  Record<never, never> extends F
    ? [facts?: F, drafts?: Drafts, journal?: Drafts]
    : [facts: F, drafts?: Drafts, journal?: Drafts];

/** The decision to answer with this code and its facts. */
export function answer<Code extends AnswerCode>(
  code: Code,
  ...[facts, drafts = [], journal = []]: FactsAndDrafts<Facts<Answers[Code]>>
): AnswerDecision {
  return { kind: 'answer', code, detail: toRecordedFacts(facts ?? {}), drafts, journal };
}

/** An answer to record, for work done outside the command. */
export function buildAnswer<Code extends AnswerCode>(
  code: Code,
  ...[facts]: FactsArgument<Answers[Code]>
): { readonly code: Code; readonly detail: Detail } {
  return { code, detail: toRecordedFacts(facts ?? {}) };
}

/** A run without any job has no checkpoints. */
export const NO_JOB = answer('not-now', { status: 'no job of this run was submitted' });
/** A review comment on a line of the diff never counts as an approval. */
export const NOT_ON_A_LINE = answer('not-now', {
  status: 'an approval has to be a comment or a review of its own, not a remark on a line',
});

/** The launch gates at the moment of the decision. `digest` null = nothing to approve. */
export type GateView = {
  readonly digest: Digest | null;
  /** The evaluated head; null if unreadable. */
  readonly commit: Sha | null;
  readonly body: Digest;
  readonly verdicts: readonly Verdict[];
  /** Verdicts on the approvals; an approval does not depend on them. */
  readonly approvals: readonly Verdict[];
};

/** Comparison of an ended run with recent sealed ferries. `unknown` does not count as a pass. */
export type RunVerdict = 'pass' | 'fail' | 'unknown';

export type CommandPolicy = Pick<LabConfig, 'approvals' | 'permissions' | 'onCall'>;

/** Input available on every thread, with or without a run. */
export type PlaceContext = {
  readonly now: Instant;
  readonly actor: Actor;
  readonly permission: Permission;
  readonly comment: CommentFacts;
  readonly args: Readonly<Record<string, string>>;
  readonly policy: CommandPolicy;
  /** Unknown if the journal does not verify. */
  readonly journalHolds: Observed<readonly Hold[]>;
  /** All lane names; `laneHere`: the lane of the thread's run, or null. */
  readonly lanes: readonly string[];
  /** Lanes in which runs can be proposed; adoption lanes are excluded. */
  readonly proposing: () => readonly string[];
  readonly laneHere: string | null;
  /** Clusters that allow the adoption of jobs. */
  readonly adoptable: () => readonly string[];
  /** All lanes, newest first. */
  readonly recordedRuns: Observed<readonly RunState[]>;
  /** Cluster changes proposed here or outside a run, oldest first. */
  readonly actions: Observed<readonly ActionRecord[]>;
  /** Since when each open proposal had been visible when the comment was written; null = it was not. */
  readonly visibleSince: () => ReadonlyMap<Digest, Observed<Instant | null>>;
  /** Holds that apply here: of the run and of its lane. */
  readonly holds: Observed<readonly Hold[]>;
};

export type CommandContext = PlaceContext & {
  readonly state: RunState;
  /** How many people must approve this run. */
  readonly quorum: number;
  /** Computes deletable checkpoints; `asked`: requested number of steps to keep. */
  readonly cleanup: (asked: number | null) => CleanupPlan | FactRequest;
  /** Checkpoint evidence for a seal; null for kinds that need none. */
  readonly artefacts: () => SealArtefactReport | FactRequest | null;
  /** The job's cluster if the config no longer has it, so that the job cannot be stopped. */
  readonly missingCluster: string | null;
  readonly gates: GateView | null;
  readonly verdict: RunVerdict;
  /** Checkpoints in the run's roots and their lineage; null if only the job's machine can read them. */
  readonly search: () => CheckpointSearch | FactRequest | null;
  /** Since when the card has shown this manifest; null if it does not. */
  readonly shownSince: (digest: Digest) => Instant | null | FactRequest;
  /** A foreign comment that offers this digest like a card and existed when the command was written. */
  readonly secondCard: (digest: Digest) => Observed<CommentFacts | null> | FactRequest;
  /** Whether the job's description was posted and unchanged when the command was written. */
  readonly isJobShown: boolean;
  /** Unread facts behind `gates` and `interested`; request them before using either. */
  readonly unread: readonly Need[];
  /** Authors and editors, who cannot approve their own change. */
  readonly authors: readonly Actor[];
  /** People with a role in the repository. */
  readonly people: Observed<readonly PersonFacts[]>;
};

/** Input of a command that names its run, independent of the thread. */
export type NamedRunContext = Pick<
  CommandContext,
  'state' | 'missingCluster' | 'policy' | 'quorum' | 'permission' | 'actor' | 'args'
> & { readonly comment: Pick<CommentFacts, 'id' | 'surface'> };

/**
 * `answer` completes the command. `seal`, `milestone` and `close` act outside first, then answer. `hand-over` is recorded in the journal
 * and answered there. `need` waits for facts.
 */
export type CommandDecision =
  | AnswerDecision
  | {
      readonly kind: 'seal';
      readonly verdict: 'pass' | 'accepted';
      readonly accept: string | null;
      readonly checkpoint?: SealedCheckpoint;
    }
  | { readonly kind: 'milestone'; readonly name: string; readonly checkpoint: SealedCheckpoint }
  | { readonly kind: 'close'; readonly outcome: ClosingOutcome; readonly reason: string }
  | { readonly kind: 'hand-over' }
  | FactRequest;

type ClosingOutcome = 'failed' | 'lost' | 'rejected' | 'unsealed';

export type CommandDefinition = CommandSpec & {
  /** Minimum permission from the config; null = everyone. */
  readonly permission: (policy: CommandPolicy) => Permission | null;
  /** One line for `/help` and docs/commands.md. */
  readonly summary: string;
  readonly example: string;
  readonly decide: (context: CommandContext) => CommandDecision;
  /** Decides about the run in the argument `run`, from any thread. Absent if the command cannot name a run. */
  readonly decideNamed?: (context: NamedRunContext) => AnswerDecision;
  /** Decides in a thread without a run. Absent or null if the command needs a run. */
  readonly decideWithoutRun?: (
    context: PlaceContext,
  ) => Extract<CommandDecision, { kind: 'answer' | 'hand-over' }> | null;
};
