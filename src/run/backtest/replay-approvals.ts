/** Recorded approvals under another config: whose would have counted, and whose that was refused. */

import type { LaneScopedConfig } from '../../config/lane-scope.ts';
import { PERMISSIONS, type Permission, permits } from '../../domain/actor.ts';
import { namingOf } from '../../domain/approval-binding.ts';
import type { Manifest } from '../../domain/launch/manifest.ts';
import { allPass } from '../../domain/launch/verdict.ts';
import type { EventOf } from '../../domain/logbook/event.ts';
import type { RunState, SeenCommand } from '../../domain/logbook/run-state.ts';
import { fromRfc3339 } from '../../domain/time.ts';

export type Counts = { readonly to: 'counts' | 'refused' | 'unknown'; readonly why: string };

/** An approval that counted. `state` is as it was just after it. */
export function replayApproval(
  state: RunState,
  event: EventOf<'approved'>,
  config: LaneScopedConfig,
): Counts {
  const actor = event.actor?.id;
  if (actor === undefined) return { to: 'unknown', why: 'approver-not-recorded' };
  const policy = state.gate?.manifest?.policy ?? {};
  return worst([
    byPermission(actor, policy, config),
    bySelf(state, actor, policy, config),
    byTime(state, event, config),
  ]);
}

/** A `/approve-launch` that was refused by a rule of the config; null where another reason stood against it. */
export function replayRefusal(
  state: RunState,
  command: SeenCommand,
  config: LaneScopedConfig,
): Counts | null {
  const { approvals } = config;
  switch (command.answer?.code) {
    case 'approval-by-author':
      return approvals.onePersonIsEnough ? whenReady(state, command, config) : null;
    case 'not-permitted': {
      const needed = permissionOf(command.answer.detail['needs']);
      const isLooser = needed === null || !permits(approvals.permission, needed);
      return isLooser || approvals.users.includes(command.actor.id)
        ? { to: 'unknown', why: 'permission-not-recorded' }
        : null;
    }
    case 'approval-before-shown':
    case 'approval-not-shown':
      if (state.gate === null) return null;
      return approvals.shownForMs === 0
        ? { to: 'unknown', why: 'comment-time-not-recorded' }
        : notLongEnough(state, command.at, approvals.shownForMs)
          ? null
          : { to: 'unknown', why: 'comment-time-not-recorded' };
    default:
      return null;
  }
}

/** The permission of the moment is in no record; that it sufficed then is. */
function byPermission(actor: number, policy: Manifest['policy'], { approvals }: LaneScopedConfig): Counts {
  const then = permissionOf(policy['approvals.permission']);
  const listed = (policy['approvals.users'] ?? '').split(',').includes(String(actor));
  // Whoever is listed needed write alone, and everybody who approved had that.
  const least: Permission = then === null || listed ? 'write' : then;
  const enough = permits(least, approvals.permission) || approvals.users.includes(actor);
  return enough ? COUNTS : { to: 'unknown', why: 'permission-not-recorded' };
}

function bySelf(
  state: RunState,
  actor: number,
  policy: Manifest['policy'],
  { approvals }: LaneScopedConfig,
): Counts {
  if (approvals.onePersonIsEnough || policy['approvals.onePersonIsEnough'] === 'false') return COUNTS;
  const { author, requestedBy } = state.proposal;
  if (author.id === actor || requestedBy?.id === actor) return { to: 'refused', why: 'approval-by-author' };
  return { to: 'unknown', why: 'editors-not-recorded' };
}

/** An approval counts only if the manifest was on show long enough before it. */
function byTime(state: RunState, { data, at }: EventOf<'approved'>, { approvals }: LaneScopedConfig): Counts {
  if (approvals.shownForMs === 0) return COUNTS;
  const command = [...state.commands.values()].find(
    ({ comment, surface, name }) =>
      comment === data.comment && surface === data.surface && name === 'approve-launch',
  );
  if (command === undefined) return { to: 'unknown', why: 'command-not-recorded' };
  return notLongEnough(state, at, approvals.shownForMs)
    ? { to: 'refused', why: 'approval-before-shown' }
    : { to: 'unknown', why: 'comment-time-not-recorded' };
}

/** The comment was written before it was recorded, so from the look to the record is the most that it was shown. */
function notLongEnough({ gate }: RunState, seenAt: string, shownForMs: number): boolean {
  const shown = fromRfc3339(gate?.at ?? '');
  const seen = fromRfc3339(seenAt);
  return shown !== null && seen !== null && seen - shown < shownForMs;
}

function whenReady({ gate }: RunState, command: SeenCommand, { approvals }: LaneScopedConfig): Counts | null {
  if (gate === null || gate.digest === null || !allPass(gate.verdicts)) return null;
  // A bare or short one is refused whoever gives it.
  if (namingOf(command.args['digest'], gate.digest) !== 'named') return null;
  return approvals.shownForMs === 0
    ? { ...COUNTS, why: 'one-person' }
    : { to: 'unknown', why: 'comment-time-not-recorded' };
}

const COUNTS: Counts = { to: 'counts', why: 'counts' };

/** A refusal is sure whatever else is unknown. */
function worst(all: readonly Counts[]): Counts {
  return all.find(({ to }) => to === 'refused') ?? all.find(({ to }) => to === 'unknown') ?? COUNTS;
}

function permissionOf(text: string | number | undefined): Permission | null {
  return PERMISSIONS.find((permission) => permission === text) ?? null;
}
