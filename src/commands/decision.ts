/** The input of a command, and its possible decisions: codes and values, never text or effects. */

import type { Search } from '../checkpoints/choose.ts';
import type { CleanupPlan } from '../checkpoints/cleanup.ts';
import type { SealArtefacts } from '../checkpoints/evidence.ts';
import type { Permissions } from '../config/approvals-schema.ts';
import { maxAgeMsOf } from '../config/approvers.ts';
import type { LabConfig } from '../config/schema.ts';
import type { ActionRecord } from '../domain/actions/action.ts';
import type { Actor, Permission } from '../domain/actor.ts';
import type { CommentFacts, PersonFacts } from '../domain/facts.ts';
import type { Hold } from '../domain/launch/hold.ts';
import type { Verdict } from '../domain/launch/verdict.ts';
import type { SealedCheckpoint } from '../domain/logbook/events/checkpoint-events.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import type { Need, Needing } from '../domain/need.ts';
import type { Digest, Instant, Observed, Sha } from '../domain/values.ts';
import type { AnswerDecision } from './answers.ts';
import type { CommandSpec } from './values.ts';

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

/** Comparison of an ended run with recent sealed ferries; `unknown` is no pass. */
export type RunVerdict = 'pass' | 'fail' | 'unknown';

/** Config values for commands. */
export type CommandPolicy = {
  readonly approvals: LabConfig['approvals'];
  /** Required approvers of this run. */
  readonly quorum: number;
  readonly approvalMaxAgeMs: number;
  /** Time to accept an offered watch. */
  readonly handoffMs: number;
  /** Minimum permissions of all other commands. */
  readonly permissions: Permissions;
};

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
  readonly proposing: readonly string[];
  readonly laneHere: string | null;
  /** Clusters that allow the adoption of jobs. */
  readonly adoptable: readonly string[];
  /** All lanes, newest first. */
  readonly recordedRuns: Observed<readonly RunState[]>;
  /** Cluster changes proposed here or outside a run, oldest first. */
  readonly actions: Observed<readonly ActionRecord[]>;
  /** Since when each open proposal had been visible when the comment was written; null = it was not. */
  readonly showings: ReadonlyMap<Digest, Observed<Instant | null>>;
  /** Holds that apply here: of the run and of its lane. */
  readonly holds: Observed<readonly Hold[]>;
};

export type CommandContext = PlaceContext & {
  readonly state: RunState;
  /** Computes deletable checkpoints; `asked`: requested number of steps to keep. */
  readonly cleanup: (asked: number | null) => CleanupPlan | Needing;
  /** Checkpoint evidence for a seal; null for kinds that need none. */
  readonly artefacts: () => SealArtefacts | Needing | null;
  /** The job's cluster if the config no longer has it, so that the job cannot be stopped. */
  readonly missingCluster: string | null;
  readonly gates: GateView | null;
  readonly verdict: RunVerdict;
  /** Checkpoints in the run's roots and their lineage; null if only the job's machine can read them. */
  readonly search: () => Search | Needing | null;
  /** The card was edited since it was shown, and its history was not read. */
  readonly isCardUnread: boolean;
  /** A foreign comment that offers this digest like a card and existed when the command was written. */
  readonly secondCard: (digest: Digest) => Observed<CommentFacts | null> | Needing;
  /** Whether the job's description was posted and unchanged when the command was written. */
  readonly isJobShown: boolean;
  /** Unread facts behind `gates` and `interested`; request them before using either. */
  readonly unread: readonly Need[];
  /** People whose approval would be a self-approval: authors and editors. */
  readonly interested: readonly Actor[];
  /** People with a role in the repository. */
  readonly people: Observed<readonly PersonFacts[]>;
};

/** Input of a command that names its run, independent of the thread. */
export type NamedContext = Pick<
  CommandContext,
  'state' | 'missingCluster' | 'policy' | 'permission' | 'actor' | 'args'
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
  | Needing;

type ClosingOutcome = 'failed' | 'lost' | 'rejected' | 'unsealed';

export type CommandDefinition = CommandSpec & {
  /** Minimum permission from the config; null = everyone. */
  readonly who: (policy: CommandPolicy) => Permission | null;
  /** One line for `/help` and docs/commands.md. */
  readonly summary: string;
  readonly example: string;
  readonly decide: (context: CommandContext) => CommandDecision;
  /** Decides about the run in the argument `run`, from any thread. Absent if the command cannot name a run. */
  readonly decideNamed?: (context: NamedContext) => AnswerDecision;
  /** What it decides on a thread without a run; left out, or null, where the command only means something to a run. */
  readonly decideWithoutRun?: (
    context: PlaceContext,
  ) => Extract<CommandDecision, { kind: 'answer' | 'hand-over' }> | null;
};

/** The lab's rules for commands. `quorum`: required approvers (`quorumOf` needs more of the config). */
export function policyOf(
  config: Pick<LabConfig, 'approvals' | 'permissions' | 'onCall'>,
  quorum: number = config.approvals.quorum,
): CommandPolicy {
  const { approvals, permissions, onCall } = config;
  const handoffMs = onCall.handoffMinutes * 60_000;
  return { approvals, quorum, approvalMaxAgeMs: maxAgeMsOf(config), handoffMs, permissions };
}
