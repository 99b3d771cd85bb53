/** Commands that name their run. */

import { type AnswerDecision, answer } from '../commands/answers.ts';
import { policyOf } from '../commands/decision.ts';
import { definitionOf } from '../commands/registry.ts';
import { missingCluster } from '../config/clusters.ts';
import { type Permission, permits } from '../domain/actor.ts';
import { limits } from '../domain/limits.ts';
import { isLive } from '../domain/logbook/liveness.ts';
import { isOver, type RunState, type SeenCommand } from '../domain/logbook/run-state.ts';
import { fromRfc3339, type Instant, type Observed, type RunId } from '../domain/values.ts';
import { configFor, type LabConfig } from './lane-scope.ts';

export type NamedInput = {
  readonly command: SeenCommand;
  readonly run: RunId;
  /** Every run with a verified record. */
  readonly states: readonly RunState[];
  /** The author's current permission. */
  readonly permission: Observed<Permission>;
  readonly config: LabConfig;
  readonly now: Instant;
};

/**
 * Decides a command that names its run, whatever thread it was written in. Null while the permission is unreadable; after the patience
 * time, the answer reports it.
 */
export function decideNamed({
  command,
  run,
  states,
  permission,
  config,
  now,
}: NamedInput): AnswerDecision | null {
  const definition = definitionOf(command.name);
  if (definition?.decideNamed === undefined) throw new Error(`/${command.name} names no run`);
  if (permission.kind === 'unknown') {
    const isPatient = now - (fromRfc3339(command.at) ?? 0) < limits.permissionPatienceMs;
    return isPatient ? null : answer('permission-unknown', { why: permission.why });
  }
  const policy = policyOf(config);
  const needs = definition.who(policy);
  const held = permission.value;
  if (needs !== null && !permits(held, needs)) return answer('not-permitted', { needs, held });
  const state = states.find((one) => one.run === run);
  if (state === undefined) {
    const live = states.filter(isLive).map((one) => one.run);
    return answer('named-run-unknown', { run, live: live.slice(0, limits.shownRowsMax) });
  }
  if (isOver(state)) return answer('run-over', { run });
  return definition.decideNamed({
    state,
    missingCluster: missingCluster(state, configFor(config, state)),
    policy: policyOf(configFor(config, state)),
    permission: held,
    actor: command.actor,
    args: command.args,
    comment: { id: command.comment, surface: command.surface },
  });
}
