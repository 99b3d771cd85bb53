/** What a command looks at and what it may decide: values and reason codes, never prose and never an effect. */

import type { Search } from '../checkpoints/choose.ts';
import type { CleanupPlan } from '../checkpoints/cleanup.ts';
import type { SealArtefacts } from '../checkpoints/seal-artefacts.ts';
import type { Permissions } from '../config/approvals-schema.ts';
import type { Actor, Permission } from '../domain/actor.ts';
import type { MutationRecord } from '../domain/care/mutation-state.ts';
import type { CommentFacts, PersonFacts } from '../domain/facts.ts';
import type { Digest, Instant, Sha } from '../domain/ids.ts';
import type { Hold } from '../domain/launch/hold.ts';
import type { Verdict } from '../domain/launch/verdict.ts';
import type { EventDraft } from '../domain/logbook/event.ts';
import type { SealedCheckpoint } from '../domain/logbook/events/checkpoint-events.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import type { Need, Needing } from '../domain/need.ts';
import type { Observed } from '../domain/observed.ts';
import { type CodeOf, type Detail, type Facts, recordedFacts, type Vocabulary } from '../domain/payload.ts';

/** The launch gates at the moment of the decision. `digest` null = there is no manifest to approve. */
export type GateView = {
  readonly digest: Digest | null;
  /** The head that they were evaluated on; null where it could not be read. */
  readonly commit: Sha | null;
  readonly body: Digest;
  readonly verdicts: readonly Verdict[];
  /** The verdicts over the approvals, which an approval does not need. */
  readonly approvals: readonly Verdict[];
};

/** The judgement on an ended run against the last sealed ferries; `unknown` is no pass. */
export type RunVerdict = 'pass' | 'fail' | 'unknown';

/** The config keys that commands read. */
export type CommandPolicy = {
  readonly approvePermission: Permission;
  readonly approveUsers: readonly number[];
  readonly quorum: number;
  readonly onePersonIsEnough: boolean;
  readonly shownForMs: number;
  readonly approvalMaxAgeMs: number;
  /** How long somebody has to take a watch that is offered to them. */
  readonly handoffMs: number;
  /** The least permission of every other command that changes something. */
  readonly permissions: Permissions;
};

/** What a command can see wherever it is said: on a thread of a run, and on one that has none. */
export type PlaceContext = {
  readonly now: Instant;
  readonly actor: Actor;
  readonly permission: Permission;
  readonly comment: CommentFacts;
  readonly args: Readonly<Record<string, string>>;
  readonly policy: CommandPolicy;
  /** The holds of the journal; unknown where the journal does not verify. */
  readonly journalHolds: Observed<readonly Hold[]>;
  /** The lanes of the lab by name; `laneHere`: that of the run whose thread this is, null where it has none. */
  readonly lanes: readonly string[];
  /** Those of them whose runs can be proposed: a job that is taken over was launched by somebody else. */
  readonly proposing: readonly string[];
  readonly laneHere: string | null;
  /** Clusters on which a job that somebody else has launched may be taken over. */
  readonly adoptable: readonly string[];
  /** Runs of every lane, newest first. */
  readonly recordedRuns: Observed<readonly RunState[]>;
  /** Changes of the cluster that were proposed here or for no run, oldest first. */
  readonly mutations: Observed<readonly MutationRecord[]>;
  /** Since when each open one of them had been on show when the comment was written; null = nobody saw it then. */
  readonly showings: ReadonlyMap<Digest, Observed<Instant | null>>;
  /** What holds this place back: the run's own holds and the lane's. */
  readonly holds: Observed<readonly Hold[]>;
};

export type CommandContext = PlaceContext & {
  readonly state: RunState;
  /** What could go of its checkpoints; `asked`: of how many of the newest steps somebody said that they stay. */
  readonly cleanup: (asked: number | null) => CleanupPlan | Needing;
  /** What a seal rests on besides the engine's word; null for a kind of run that is sealed without. */
  readonly artefacts: () => SealArtefacts | Needing | null;
  /** The cluster of its job, where the config does not have it any more: then nothing can stop the job. */
  readonly missingCluster: string | null;
  readonly gates: GateView | null;
  readonly verdict: RunVerdict;
  /** What lies in the roots of the run, and its lineage; null where only the job's own machine can look. */
  readonly search: () => Search | Needing | null;
  /** Until when the card is left as somebody else has made it, RFC 3339; null where it is not. */
  readonly cardLeftUntil: string | null;
  /** Whether the card was edited since it was shown, and nobody has read yet by whom. */
  readonly isCardUnread: boolean;
  /** A comment that offers this digest like a card and is not ferrybot's; it stood there when the command was written. */
  readonly secondCard: (digest: Digest) => Observed<CommentFacts | null> | Needing;
  /** Whether what the cluster says of a job that is to be taken over stood there, as it was posted, when this was said. */
  readonly isJobShown: boolean;
  /** What `gates` and `interested` rest on and nobody has read yet: whoever goes by them asks for it. */
  readonly unread: readonly Need[];
  /** People whose approval would be their own: authors of the change and the last editor of the body. */
  readonly interested: readonly Actor[];
  /** Who works here, for the names of those who can. */
  readonly people: Observed<readonly PersonFacts[]>;
};

/** What a command can see that names its run: it is decided apart from the thread that it was said in. */
export type NamedContext = Pick<
  CommandContext,
  'state' | 'missingCluster' | 'policy' | 'permission' | 'actor' | 'args'
> & { readonly comment: Pick<CommentFacts, 'id' | 'surface'> };

/**
 * `answer` ends the command now; `seal` and `close` need work outside first and are answered when it is done. `hand-over`
 * concerns more than one run: it is received in the repository journal, carried out and answered from there. `need` waits
 * for facts that nobody has read yet.
 */
export type CommandDecision =
  | {
      readonly kind: 'answer';
      readonly code: string;
      readonly detail: Detail;
      readonly drafts: readonly EventDraft[];
      /** What goes into the repository journal in the same push: it concerns more than this run. */
      readonly journal: readonly EventDraft[];
    }
  | {
      readonly kind: 'seal';
      readonly verdict: 'pass' | 'accepted';
      readonly accept: string | null;
      readonly checkpoint?: SealedCheckpoint;
    }
  | { readonly kind: 'milestone'; readonly name: string; readonly checkpoint: SealedCheckpoint }
  | { readonly kind: 'close'; readonly outcome: ClosingOutcome; readonly reason: string }
  | { readonly kind: 'hand-over' }
  | Needing;

/** How a command can close a run. */
type ClosingOutcome = 'failed' | 'lost' | 'stopped' | 'rejected' | 'unsealed';

/** What any command may be answered, besides what is its own. */
export const COMMON_ANSWERS = {
  'not-permitted': { needs: 'text', held: 'text?' },
  'permission-unknown': { why: 'text' },
  /** `name`: as `commentName` gives it. */
  'second-card': { name: 'text', thread: 'integer', by: 'text' },
  'no-run-here': { name: 'text?' },
  'run-over': { name: 'text?' },
  'named-run-unknown': { run: 'text', live: 'list' },
  'named-run-over': { run: 'text' },
  'comment-edited': { name: 'text' },
  'comment-gone': { name: 'text?' },
  'not-understood': {
    code: 'text',
    word: 'text',
    line: 'integer',
    column: 'integer',
    suggest: 'text?',
    takes: 'text?',
  },
  hint: { word: 'text', reason: 'text', line: 'integer' },
  'logbook-broken': { name: 'text?' },
  'lane-unclear': { kind: ['unclear', 'no-such'], lanes: 'text', named: 'text' },
  'close-under-way': {},
  /** For a command that only records what a person wrote: `what`, after *recorded*. */
  recorded: { what: 'text' },
  'watch-none': { status: 'text' },
  'watch-not-yours': { owner: 'text?' },
} as const satisfies Vocabulary;

export type AnswerDecision = Extract<CommandDecision, { kind: 'answer' }>;
type Drafts = readonly EventDraft[];
type FactsAndDrafts<F> =
  Record<never, never> extends F
    ? [facts?: F, drafts?: Drafts, journal?: Drafts]
    : [facts: F, drafts?: Drafts, journal?: Drafts];

/** Ends a command with one of these answers, after recording what it brought about: in its run, and in the journal. */
type Answer<V extends Vocabulary> = <Code extends CodeOf<V>>(
  code: Code,
  ...rest: FactsAndDrafts<Facts<V[Code]>>
) => AnswerDecision;

/** How a command answers: with a code of its own, which it names here with the facts of its sentence, or with a common one. */
export function answering<const Own extends Vocabulary>(
  vocabulary: Own,
): Answer<Own & typeof COMMON_ANSWERS> & { readonly vocabulary: Own } {
  const answer: Answer<Own & typeof COMMON_ANSWERS> = (code, ...[facts = {}, drafts = [], journal = []]) => ({
    kind: 'answer',
    code,
    detail: recordedFacts(facts),
    drafts,
    journal,
  });
  return Object.assign(answer, { vocabulary });
}

/** Ends any command with a common answer. */
export const answerCommon = answering({});
