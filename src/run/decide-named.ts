/** Commands that name their run. */

import { type AnswerDecision, answer } from '../commands/decision.ts';
import { findCommand } from '../commands/registry.ts';
import { findMissingCluster } from '../config/lane-of-file.ts';
import type { Permission } from '../domain/actor.ts';
import { limits } from '../domain/limits.ts';
import { isLive } from '../domain/logbook/job-state.ts';
import { isOver, type RunState, type SeenCommand } from '../domain/logbook/run-state.ts';
import { fromRfc3339, type Instant, type Observed, type RunId } from '../domain/values.ts';
import { checkItem } from './command-events.ts';
import { configForRun, type LabConfig } from './lane.ts';

type NamedInput = {
  readonly command: SeenCommand;
  readonly run: RunId;
  /** Every run with a verified record. */
  readonly states: readonly RunState[];
  readonly permission: Observed<Permission>;
  readonly config: LabConfig;
  readonly now: Instant;
};

/** Decides a command that names its run, in any thread. Null while the permission is unreadable, up to the patience. */
export function decideNamed({ command, run, states, permission, config, now }: NamedInput): AnswerDecision | null {
  const { name, args } = command;
  const definition = findCommand(name);
  if (definition?.decideNamed === undefined) throw new Error(`/${name} names no run`);
  const comment = { createdAt: fromRfc3339(command.at) ?? now };
  const needs = definition.permission(config);
  const heard = checkItem({ comment, parsed: { kind: 'command', name, args } }, permission, {
    ...{ needs, isMuted: false, now },
  });
  if (heard.kind !== 'command') return heard.kind === 'wait' ? null : heard.answer;
  const state = states.find((one) => one.run === run);
  if (state === undefined) {
    const live = states.filter(isLive).map((one) => one.run);
    return answer('named-run-unknown', { run, live: live.slice(0, limits.shownRowsMax) });
  }
  if (isOver(state)) return answer('run-over', { run });
  return definition.decideNamed({
    state,
    missingCluster: findMissingCluster(state, configForRun(config, state)),
    policy: config,
    quorum: config.approvals.quorum,
    permission: heard.permission,
    actor: command.actor,
    args,
    comment: { id: command.comment, surface: command.surface },
  });
}
