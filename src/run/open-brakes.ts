/** What was said to hold a launch back: what stands answered in no record that the reader has, and what is younger than the approval. */

import { namedRun, namesOther } from '../commands/named-run.ts';
import { definitionOf } from '../commands/registry.ts';
import type { CommentFacts } from '../domain/facts.ts';
import type { Instant } from '../domain/ids.ts';
import { HOLD_KINDS, type HoldKind, type LaneDay, LIFTED_BY } from '../domain/launch/hold.ts';
import { commandKey, type SeenCommand } from '../domain/logbook/run-state.ts';
import { itemKey, type PendingItem, type PendingOptions, pendingItems } from './pending-commands.ts';

/** A brake of somebody who may pull it. `thread` null: it was lifted, says the record, and nobody is found who did. */
export type Brake = { readonly name: string; readonly login: string; readonly thread: number | null };

/** For the record of a refusal. */
export function brakeWords({ name, login, thread }: Brake): string {
  return `/${name} by ${login}${thread === null ? ', lifted by nobody who can be found' : ` in #${thread}`}`;
}

/** The commands that a record has, and from when on comments can be commands of it. */
export type Unanswered = {
  readonly commands: ReadonlyMap<string, SeenCommand>;
  readonly since: Instant;
  /**
   * The oldest approval or consent that is to be acted on; null: none. What the record answers of whatever was said after
   * it counts for nothing: who has stolen the control key can write that a brake was answered, or lifted. Nor does it count
   * for a hold, a freeze or a skipped day that was said in these threads.
   */
  readonly restsOn: Pick<CommentFacts, 'id' | 'createdAt'> | null;
  /** The run that it is of; null: of none. What names another run holds nothing back here. */
  readonly run: string | null;
  /** The lane and day of what is to be done. */
  readonly day: LaneDay;
};

/** `name` null: a long comment of somebody whose permission is not given, which may be a brake. */
export type OpenBrake = PendingItem & {
  readonly name: string | null;
  /** The record has an answer to it. */
  readonly isAnswered: boolean;
  /** Later comments that lift it, if whoever wrote them may. */
  readonly lifts: readonly PendingItem[];
};

/** How it is looked. */
export type Looked = Pick<PendingOptions, 'otherBots' | 'permissions'> & {
  /** Whether this holds back what is to be done, though it is no brake anywhere else. */
  readonly heeds?: (item: PendingItem, isAnswered: boolean) => boolean;
  /** Those of the comments that stand in threads of which the run is none. */
  readonly abroad?: ReadonlySet<CommentFacts>;
};

const NOWHERE: ReadonlySet<CommentFacts> = new Set();

/**
 * The comments of the run's own threads that hold something back (`/stop`, `/hold`, `/revoke`, `/freeze`, …) and that the
 * record does not have as answered, or that were written after what is to be acted on. An older hold, freeze or skipped day is
 * one as well, unless it says that it is another lane's.
 */
export function openBrakes(
  { commands, since, restsOn, run, day }: Unanswered,
  elsewhere: ReadonlyMap<string, SeenCommand>,
  comments: readonly CommentFacts[],
  { otherBots, permissions, abroad = NOWHERE, heeds = () => false }: Looked,
): readonly OpenBrake[] {
  const recorded = new Map([...elsewhere, ...commands]);
  const younger = new Set(comments.filter((one) => isAfter(one, restsOn)).map(nameOf));
  const known = new Map([...recorded].filter(([, seen]) => !younger.has(commandKey({ ...seen, index: 0 }))));
  const isHere = concerns(run, abroad);
  const items = pendingItems(known, comments, { since, otherBots, permissions }).filter(isHere);
  const open = items.flatMap((item, at): readonly OpenBrake[] => {
    const name = item.said.kind === 'unread' ? null : nameIn(item);
    const isAnswered = (recorded.get(itemKey(item))?.answer ?? null) !== null;
    if (name !== null && definitionOf(name)?.holdsBack !== true && !heeds(item, isAnswered)) return [];
    if (name === null && item.said.kind !== 'unread') return [];
    if (isHoldKind(name) && !isOfLane(item, day.lane)) return [];
    return [{ ...item, name, isAnswered, lifts: liftsOf(name, items.slice(at + 1), day.lane) }];
  });
  if (restsOn === null) return open;
  const taken = new Set(items.map(itemKey));
  const all = pendingItems(new Map(), comments, { since, otherBots, permissions }).filter(isHere);
  return [...olderHolds(all, day.lane).filter((item) => !taken.has(itemKey(item))), ...open];
}

/** The holds with what was said to lift them, as if there were no record. Younger ones are found as brakes already. */
function olderHolds(all: readonly PendingItem[], lane: string | null): readonly OpenBrake[] {
  return all.flatMap((item, at): readonly OpenBrake[] => {
    const name = item.said.kind === 'unread' ? null : nameIn(item);
    if (item.said.kind !== 'unread' && !(isHoldKind(name) && isOfLane(item, lane))) return [];
    return [{ ...item, name, isAnswered: true, lifts: liftsOf(name, all.slice(at + 1), lane) }];
  });
}

function liftsOf(
  name: string | null,
  later: readonly PendingItem[],
  lane: string | null,
): readonly PendingItem[] {
  if (!isHoldKind(name)) return [];
  return later.filter(
    (item) =>
      nameIn(item) === LIFTED_BY[name] && isOfLane(item, lane) && (name === 'hold' || !namesRun(item)),
  );
}

/** Of a run that it names a command lifts the hold, and no freeze or skipped day. */
function namesRun({ said }: PendingItem): boolean {
  return said.kind === 'command' && namedRun(said) !== null;
}

/** In its own threads all but what names another run; in any other only what names this one. */
function concerns(run: string | null, abroad: NonNullable<Looked['abroad']>): (item: PendingItem) => boolean {
  return ({ said, comment }) => {
    if (said.kind !== 'command' && said.kind !== 'edited') return true;
    return abroad.has(comment) ? run !== null && namedRun(said) === run : !namesOther(said, run);
  };
}

/** Whether a comment in any other thread may hold back this run, which only what names it does; it is read by its text alone. */
export function mayNameRun(body: string, run: string): boolean {
  return body.includes(`run=${run}`) || body.includes(`run="${run}"`);
}

/** Whether it holds back until somebody lifts it. */
export function isHoldKind(name: string | null): name is HoldKind {
  return HOLD_KINDS.some((kind) => kind === name);
}

/** Whether it is said of this lane; what is said of the repository is of every one, whatever lane it names beside. */
function isOfLane({ said }: PendingItem, lane: string | null): boolean {
  const args: Readonly<Record<string, string>> = said.kind === 'command' ? said.args : {};
  const { lane: named, scope } = args;
  return scope === 'repository' || named === undefined || lane === null || named === lane;
}

function nameIn({ said }: PendingItem): string | null {
  return said.kind === 'command' || said.kind === 'edited' ? said.name : null;
}

function nameOf({ surface, id }: CommentFacts): string {
  return commandKey({ surface, comment: id, index: 0 });
}

/** GitHub tells whole seconds; within one, ids tell what came later. */
function isAfter(comment: CommentFacts, restsOn: Unanswered['restsOn']): boolean {
  if (restsOn === null) return false;
  const { createdAt, id } = restsOn;
  return comment.createdAt > createdAt || (comment.createdAt === createdAt && comment.id > id);
}
