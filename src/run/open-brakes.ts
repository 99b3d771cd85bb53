/** What people have commented to hold something back since it was approved. */

import { APPROVING } from '../commands/approving.ts';
import { meantHold, namesWiderHold } from '../commands/meant-hold.ts';
import type { meantLane } from '../commands/meant-lane.ts';
import { namedRun } from '../commands/named-run.ts';
import { definitionOf } from '../commands/registry.ts';
import type { CommentFacts } from '../domain/facts.ts';
import type { Instant } from '../domain/ids.ts';
import { holdsOn, type LaneDay } from '../domain/launch/hold.ts';
import { type PendingItem, type PendingOptions, pendingItems } from './pending-commands.ts';

/** A brake of somebody who may use it. */
export type Brake = { readonly name: string; readonly login: string; readonly thread: number };

/** For the record of a refusal. */
export function brakeWords({ name, login, thread }: Brake): string {
  return `/${name} by ${login} in #${thread}`;
}

/** What is to be done, and since when brakes count against it. */
export type Braked = {
  readonly since: Instant;
  /** The end of the attempt that this starts again on its old approval: a hold of before it is in the record, or lifted there. */
  readonly failedAt?: Instant | null;
  /** The newest approval or consent that it rests on: only what was written after it counts. Null: no comment gives it. */
  readonly restsOn: Pick<CommentFacts, 'surface' | 'id' | 'createdAt'> | null;
  /** The run that it is of; null: of none. */
  readonly run: string | null;
  readonly day: LaneDay;
};

/** `name` null: a long comment of somebody whose permission is not known yet, which may be a brake. */
type SaidBrake = PendingItem & { readonly name: string | null };

/** Which lane a thread means, and whether a run that is not over has it. */
export type PlaceOf = (thread: number) => Parameters<typeof meantLane>[1] & { readonly hasRun: boolean };

type Look = Pick<PendingOptions, 'otherBots' | 'permissions'> & {
  readonly placeOf: PlaceOf;
  /** Whether this holds it back, though it is no brake elsewhere. */
  readonly heeds: (item: PendingItem) => boolean;
};

/** The brakes in its own threads, and those of other threads that name its run, lane, day or the repository. */
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

/** GitHub tells whole seconds, and numbers comments of one kind. The approval itself may go on to take back what it gives. */
function isSince({ surface, id, createdAt }: CommentFacts, restsOn: Braked['restsOn']): boolean {
  if (restsOn === null || createdAt > restsOn.createdAt) return true;
  return createdAt === restsOn.createdAt && (surface !== restsOn.surface || id >= restsOn.id);
}
