/** Stops, holds and revocations written since the approval that a runner acts on. */

import { APPROVING } from '../commands/approving.ts';
import { type chooseLane, namesWiderHold, readHoldTarget } from '../commands/brakes.ts';
import { findCommand, runArgument } from '../commands/registry.ts';
import type { CommentFacts } from '../domain/facts.ts';
import { filterHolds, type LaneDay } from '../domain/launch/hold.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import type { Instant } from '../domain/values.ts';
import { itemKey, listPendingItems, type PendingItem, type PendingOptions } from './pending-commands.ts';

/** A blocking command by a person who may use it. */
export type Brake = { readonly name: string; readonly login: string; readonly thread: number };

/** The brake as text, for the record of a refusal. */
export function describeBrake({ name, login, thread }: Brake): string {
  return `/${name} by ${login} in #${thread}`;
}

/** The action, and from which time on commands can block it. */
export type Braked = {
  readonly since: Instant;
  /** The end of the attempt that is repeated: earlier holds are in the record, or were lifted there. */
  readonly failedAt?: Instant | null;
  /** The newest approval or consent in use; only later comments count. Null if no comment gives it. */
  readonly basedOn: Pick<CommentFacts, 'surface' | 'id' | 'createdAt'> | null;
  readonly run: string | null;
  readonly day: LaneDay;
};

/** `name` is null for a long comment by an author with an unknown permission; it may contain a command. */
type BrakeCommand = PendingItem & { readonly name: string | null };

/** The lane of a thread, and whether an active run owns the thread. */
export type PlaceLookup = (thread: number) => Parameters<typeof chooseLane>[1] & { readonly hasRun: boolean };

type Look = Pick<PendingOptions, 'otherBots' | 'permissions'> & {
  readonly placeOf: PlaceLookup;
  readonly alsoBlocks: (item: PendingItem) => boolean;
};

/** Blocking commands in the run's threads, and in other threads if they name its run, lane, day or the repository. */
export function listBrakesSince(
  braked: Braked,
  { own, others }: { readonly own: readonly CommentFacts[]; readonly others: readonly CommentFacts[] },
  { otherBots, permissions, placeOf, alsoBlocks }: Look,
): readonly BrakeCommand[] {
  const { since, basedOn, failedAt = null } = braked;
  const here = new Set(own);
  const younger = [...own, ...others].filter((one) => isAfterApproval(one, basedOn));
  const items = listPendingItems(new Map(), younger, { since, otherBots, permissions });
  const isApprovalComment = ({ parsed, comment }: PendingItem): boolean =>
    isSameComment(comment, basedOn) && parsed.kind === 'command' && isApprovalName(parsed.name);
  const approvedAt = items.findLast(isApprovalComment)?.index ?? -1;
  return items.flatMap((item): readonly BrakeCommand[] => {
    const { parsed, comment } = item;
    if (isSameComment(comment, basedOn) && item.index < approvedAt) return [];
    if (parsed.kind === 'unread') return [{ ...item, name: null }];
    if (parsed.kind !== 'command' && parsed.kind !== 'edited') return [];
    if (findCommand(parsed.name)?.isBrake !== true && !alsoBlocks(item)) return [];
    if (parsed.name === 'hold' && failedAt !== null && comment.createdAt < failedAt) return [];
    const isMeant = concernsAction(parsed, here.has(comment), placeOf(comment.thread), braked);
    return isMeant ? [{ ...item, name: parsed.name }] : [];
  });
}

function concernsAction(
  said: { readonly name: string; readonly args: Readonly<Record<string, string>> },
  isHere: boolean,
  place: ReturnType<PlaceLookup>,
  { run, day }: Braked,
): boolean {
  const named = runArgument(said);
  if (named !== null) return named === run;
  const isOfLane = !isHere && !place.hasRun && place.laneHere !== null;
  if (said.name !== 'hold' || !(namesWiderHold(said.args) || isOfLane)) return isHere;
  const meant = readHoldTarget(said.args, place);
  return meant.kind === 'hold' && filterHolds([meant.target], day).length > 0;
}

function isApprovalName(name: string): boolean {
  return APPROVING.includes(name) || name === 'approve';
}

function isSameComment({ surface, id }: CommentFacts, restsOn: Braked['basedOn']): boolean {
  return surface === restsOn?.surface && id === restsOn.id;
}

/** GitHub's times are whole seconds; ids order comments of one kind. The approving comment may also revoke itself. */
function isAfterApproval({ surface, id, createdAt }: CommentFacts, restsOn: Braked['basedOn']): boolean {
  if (restsOn === null || createdAt > restsOn.createdAt) return true;
  return createdAt === restsOn.createdAt && (surface !== restsOn.surface || id >= restsOn.id);
}

type Run = Pick<RunState, 'attempts' | 'order' | 'commands'>;

/** Whether it rejects the ordered checkpoint and has no recorded answer. */
export function isUnrecordedRejection(state: Run, item: PendingItem): boolean {
  const { parsed } = item;
  if (parsed.kind !== 'command' && parsed.kind !== 'edited') return false;
  if (state.attempts.length === 0 || (state.commands.get(itemKey(item))?.answer ?? null) !== null) return false;
  const step = rejectedStep(parsed);
  if (step === null) return false;
  // A job that searches a checkpoint itself may load any of them.
  const from = state.order?.order.checkpoint?.step ?? Number.POSITIVE_INFINITY;
  return from >= step;
}

function rejectedStep({
  name,
  args: { step },
}: {
  readonly name: string;
  readonly args: Readonly<Record<string, string>>;
}): number | null {
  if (step === undefined) return null;
  if (name === 'reject-checkpoint') return Number(step);
  return name === 'rollback' ? Number(step) + 1 : null;
}
