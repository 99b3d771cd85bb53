/** Stops, holds and revocations written since the approval that a runner acts on. */

import { APPROVING } from '../commands/approving.ts';
import { meantHold, namesWiderHold } from '../commands/meant-hold.ts';
import type { meantLane } from '../commands/meant-lane.ts';
import { namedRun } from '../commands/named-run.ts';
import { definitionOf } from '../commands/registry.ts';
import type { CommentFacts } from '../domain/facts.ts';
import type { Instant } from '../domain/ids.ts';
import { holdsOn, type LaneDay } from '../domain/launch/hold.ts';
import { type PendingItem, type PendingOptions, pendingItems } from './pending-commands.ts';

/** Written by a person who may use it. */
export type Brake = { readonly name: string; readonly login: string; readonly thread: number };

/** For the record of a refusal. */
export function brakeWords({ name, login, thread }: Brake): string {
  return `/${name} by ${login} in #${thread}`;
}

/** The action, and from when on commands can block it. */
export type Braked = {
  readonly since: Instant;
  /** The end of the attempt that is repeated: earlier holds are in the record, or were lifted there. */
  readonly failedAt?: Instant | null;
  /** The newest approval or consent used; only later comments count. Null: no comment gives it. */
  readonly restsOn: Pick<CommentFacts, 'surface' | 'id' | 'createdAt'> | null;
  /** The action's run, or null. */
  readonly run: string | null;
  readonly day: LaneDay;
};

/** `name` null: a long comment whose author's permission is unknown; it may contain a command. */
type SaidBrake = PendingItem & { readonly name: string | null };

/** The lane of a thread, and whether an active run owns the thread. */
export type PlaceOf = (thread: number) => Parameters<typeof meantLane>[1] & { readonly hasRun: boolean };

type Look = Pick<PendingOptions, 'otherBots' | 'permissions'> & {
  readonly placeOf: PlaceOf;
  /** Other commands that block this action. */
  readonly heeds: (item: PendingItem) => boolean;
};

/** Blocking commands in the run's threads, and in other threads if they name its run, lane, day or the repository. */
export function brakesSince(
  braked: Braked,
  { own, others }: { readonly own: readonly CommentFacts[]; readonly others: readonly CommentFacts[] },
  { otherBots, permissions, placeOf, heeds }: Look,
): readonly SaidBrake[] {
  const { since, restsOn, failedAt = null } = braked;
  const here = new Set(own);
  const younger = [...own, ...others].filter((one) => isSince(one, restsOn));
  const items = pendingItems(new Map(), younger, { since, otherBots, permissions });
  const isApproval = ({ said, comment }: PendingItem): boolean =>
    isSameComment(comment, restsOn) && said.kind === 'command' && approves(said.name);
  const approvedAt = items.findLast(isApproval)?.index ?? -1;
  return items.flatMap((item): readonly SaidBrake[] => {
    const { said, comment } = item;
    if (isSameComment(comment, restsOn) && item.index < approvedAt) return [];
    if (said.kind === 'unread') return [{ ...item, name: null }];
    if (said.kind !== 'command' && said.kind !== 'edited') return [];
    if (definitionOf(said.name)?.holdsBack !== true && !heeds(item)) return [];
    if (said.name === 'hold' && failedAt !== null && comment.createdAt < failedAt) return [];
    const isMeant = concerns(said, here.has(comment), placeOf(comment.thread), braked);
    return isMeant ? [{ ...item, name: said.name }] : [];
  });
}

function concerns(
  said: { readonly name: string; readonly args: Readonly<Record<string, string>> },
  isHere: boolean,
  place: ReturnType<PlaceOf>,
  { run, day }: Braked,
): boolean {
  const named = namedRun(said);
  if (named !== null) return named === run;
  const isOfLane = !isHere && !place.hasRun && place.laneHere !== null;
  if (said.name !== 'hold' || !(namesWiderHold(said.args) || isOfLane)) return isHere;
  const meant = meantHold(said.args, place);
  return meant.kind === 'hold' && holdsOn([meant.target], day).length > 0;
}

function approves(name: string): boolean {
  return APPROVING.includes(name) || name === 'approve';
}

function isSameComment({ surface, id }: CommentFacts, restsOn: Braked['restsOn']): boolean {
  return surface === restsOn?.surface && id === restsOn.id;
}

/** GitHub's times are whole seconds; ids order comments of one kind. The approving comment may also revoke itself. */
function isSince({ surface, id, createdAt }: CommentFacts, restsOn: Braked['restsOn']): boolean {
  if (restsOn === null || createdAt > restsOn.createdAt) return true;
  return createdAt === restsOn.createdAt && (surface !== restsOn.surface || id >= restsOn.id);
}
