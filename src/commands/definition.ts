/** A command is defined in one file (docs/extending.md). */

import type { Permission } from '../domain/actor.ts';
import type { Vocabulary } from '../domain/payload.ts';
import type {
  AnswerDecision,
  CommandContext,
  CommandDecision,
  CommandPolicy,
  NamedContext,
  PlaceContext,
} from './decision.ts';
import type { CommandSpec } from './spec.ts';

export type CommandDefinition = CommandSpec & {
  /** Its own codes and their facts; render/answer-words.ts has the sentences. */
  readonly answers: Vocabulary;
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
