/** A command defines itself in one file (docs/extending.md): name, arguments, who may run it, help line, example, and what it decides. */

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
  /** What it may be answered besides `COMMON_ANSWERS`, with the facts of each; render/answer-words.ts has the sentences. */
  readonly answers: Vocabulary;
  /** Least permission, from config; null = everybody who can comment. */
  readonly who: (policy: CommandPolicy) => Permission | null;
  /** One line for `/help` and docs/commands.md. */
  readonly summary: string;
  readonly example: string;
  readonly decide: (context: CommandContext) => CommandDecision;
  /** What it decides of the run that its argument `run` names, in whatever thread it is said; left out where it can name none. */
  readonly decideNamed?: (context: NamedContext) => AnswerDecision;
  /** What it decides on a thread without a run; left out, or null, where the command only means something to a run. */
  readonly decideWithoutRun?: (
    context: PlaceContext,
  ) => Extract<CommandDecision, { kind: 'answer' | 'hand-over' }> | null;
};
