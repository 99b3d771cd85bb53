/** All commands, in help order. A new command is one new file and one line here. */

import { type Detail, type FactsArgument, recordedFacts } from '../domain/payload.ts';
import { accept } from './accept.ts';
import { ack } from './ack.ts';
import { approve } from './approve.ts';
import { approveLaunch } from './approve-launch.ts';
import { cleanupCheckpoints } from './cleanup-checkpoints.ts';
import { COMMON_ANSWERS } from './decision.ts';
import type { CommandDefinition } from './definition.ts';
import { handoff } from './handoff.ts';
import { help } from './help.ts';
import { hold } from './hold.ts';
import { keep } from './keep.ts';
import { propose } from './propose.ts';
import { rejectCheckpoint } from './reject-checkpoint.ts';
import { relaunch } from './relaunch.ts';
import { rent } from './rent.ts';
import { resumeAs } from './resume-as.ts';
import { revoke } from './revoke.ts';
import { rollback } from './rollback.ts';
import { seal } from './seal.ts';
import { sealMilestone } from './seal-milestone.ts';
import { status } from './status.ts';
import { stop } from './stop.ts';
import { stopWatching } from './stop-watching.ts';
import { teardown } from './teardown.ts';
import { unhold } from './unhold.ts';
import { until } from './until.ts';
import { watch } from './watch.ts';
import { why } from './why.ts';

const REGISTERED = [
  approveLaunch,
  approve,
  revoke,
  hold,
  unhold,
  status,
  why,
  stop,
  teardown,
  keep,
  relaunch,
  rejectCheckpoint,
  cleanupCheckpoints,
  rollback,
  resumeAs,
  ack,
  handoff,
  accept,
  until,
  stopWatching,
  watch,
  seal,
  sealMilestone,
  propose,
  rent,
  help,
] as const;

export const COMMAND_DEFINITIONS: readonly CommandDefinition[] = REGISTERED;

type InAll<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;

/** All answer codes with their facts. */
export type Answers = InAll<(typeof REGISTERED)[number]['answers']> & typeof COMMON_ANSWERS;
export type AnswerCode = keyof Answers;
export const ANSWERS: Answers = Object.assign(
  {},
  COMMON_ANSWERS,
  ...REGISTERED.map(({ answers }) => answers),
);
export const ANSWER_CODES = Object.keys(ANSWERS) as readonly AnswerCode[];

/** An answer to record, for work done outside the command. */
export function answerOf<Code extends AnswerCode>(
  code: Code,
  ...[facts]: FactsArgument<Answers[Code]>
): { readonly code: Code; readonly detail: Detail } {
  return { code, detail: recordedFacts(facts ?? {}) };
}

/** By name without the slash. */
export function definitionOf(name: string): CommandDefinition | null {
  return COMMAND_DEFINITIONS.find((definition) => definition.name === name) ?? null;
}
