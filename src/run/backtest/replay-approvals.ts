/** A recorded `/approve-launch` under another config: the command itself, over every state of what the record does not hold. */

import { approveLaunch } from '../../commands/approve-launch.ts';
import { policyOf } from '../../commands/policy.ts';
import { mayApprove } from '../../config/may-approve.ts';
import { quorumOf } from '../../config/quorum.ts';
import { type Actor, PERMISSIONS, type Permission } from '../../domain/actor.ts';
import { branded, type Instant, isInstant } from '../../domain/ids.ts';
import type { RunState, SeenCommand } from '../../domain/logbook/run-state.ts';
import { known } from '../../domain/observed.ts';
import { readFacts } from '../../domain/payload.ts';
import { fromRfc3339 } from '../../domain/time.ts';
import type { LaneScopedConfig } from '../lane-scope.ts';

/** `why`: the code of the answer; where nobody can tell, the one that may have been given. */
export type Counts = { readonly to: 'counts' | 'refused' | 'unknown'; readonly why: string };

/** The answers after which an approval counts, also where the record has it already. */
const COUNTING: readonly string[] = ['approved', 'approved-waiting-for-more', 'already-approved'];

/** Whether a recorded answer was that it counts. */
export function hasCounted({ answer }: SeenCommand): boolean {
  return answer !== null && COUNTING.includes(answer.code);
}

/** `state` is as it was when the answer was recorded. Null for an answer that no rule of the command gave. */
export function replayApproval(
  state: RunState,
  command: SeenCommand,
  config: LaneScopedConfig,
): Counts | null {
  const code = command.answer?.code ?? '';
  const now = fromRfc3339(command.answer?.at ?? '');
  if (now === null || !(code === REFUSED_FIRST || Object.hasOwn(approveLaunch.answers, code))) return null;
  const { actor, args, comment: id, surface, bodyDigest } = command;
  const commit = code === 'approval-other-commit' ? null : (state.gate?.commit ?? null);
  const answers = writtenAt(state, command).flatMap((createdAt) =>
    permissionsThen(state, command).flatMap((permission) =>
      interestedThen(state, command).map((interested) =>
        approveLaunch.decide({
          state,
          now,
          actor,
          permission,
          interested,
          args,
          comment: { id, surface, bodyDigest, createdAt, commit },
          gates: state.gate,
          policy: policyOf(config, quorumOf(config)),
          cardLeftUntil: null,
          isCardUnread: false,
          secondCard: () => known(null),
          unread: [],
        }),
      ),
    ),
  );
  const codes = answers.flatMap((answer) => (answer.kind === 'answer' ? [answer.code] : []));
  const refusals = codes.filter((one) => !COUNTING.includes(one));
  const [why = 'approved'] = refusals;
  if (refusals.length === 0) return { to: 'counts', why };
  return { to: refusals.length === codes.length ? 'refused' : 'unknown', why };
}

/** The answer before all others: whoever got another one had the permission. */
const REFUSED_FIRST = 'not-permitted';

/** What may have been held then, by the rule of then: the permission of the moment is recorded where it was refused alone. */
function permissionsThen(state: RunState, { actor, answer }: SeenCommand): readonly Permission[] {
  const policy = state.gate?.manifest?.policy ?? {};
  const users = (policy['approvals.users'] ?? '').split(',').map(Number);
  const permission = PERMISSIONS.find((one) => one === policy['approvals.permission']) ?? 'write';
  const isRefused = answer?.code === REFUSED_FIRST;
  const held = readFacts({ held: 'text?' }, answer?.detail ?? {})?.held;
  return PERMISSIONS.filter((one) =>
    held === undefined ? mayApprove(one, actor.id, { permission, users }) !== isRefused : one === held,
  );
}

/** Who edited what is not recorded: it is told by an answer that looked at it, and by who asked for the run. */
function interestedThen(
  { proposal, gate }: RunState,
  { actor, answer }: SeenCommand,
): readonly (readonly Actor[])[] {
  const isOwn = [proposal.author, proposal.requestedBy].some((one) => one?.id === actor.id);
  if (isOwn || answer?.code === 'approval-by-author') return [[actor]];
  const wasAsked = gate?.manifest?.policy['approvals.onePersonIsEnough'] === 'false';
  return wasAsked && answer?.code !== REFUSED_FIRST ? [[]] : [[], [actor]];
}

/** Comments are recorded after they were written: at the latest now, and one that counted not before the card was shown. */
function writtenAt({ shown }: RunState, command: SeenCommand): readonly Instant[] {
  const latest = fromRfc3339(command.at);
  const earliest = hasCounted(command) ? fromRfc3339(shown?.shownAt ?? '') : branded(0, isInstant);
  return [latest, earliest].filter((one) => one !== null);
}
