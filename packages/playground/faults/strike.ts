/** Decides, reproducibly, whether a fault strikes this time. */

import { createHash } from 'node:crypto';
import { faults as limits } from '../limits/limits.ts';
import { nextId, type World } from '../world/world.ts';
import { concerns, type Fault, type FaultKind } from './fault.ts';

/** Something that a fault may strike, by each name that a route may give it; the first one is told of. */
export type Occasion = {
  readonly routes: readonly [string, ...string[]];
  /** A person's own doing, which most faults spare. */
  readonly byPerson: boolean;
  /** Text that a fault's route must have to mean it: what a plain `*` does not mean. */
  readonly namedBy?: string;
};

/** A fault that strikes an occasion, its `count`th. */
export type Strike = { readonly fault: Fault; readonly count: number };

/**
 * Those of the faults that are on which strike this occasion, in the order in which they were switched on. Each counts
 * the occasions that concern it and draws a lot of its own: what others do changes nothing about its history.
 */
export function draw(world: World, kinds: readonly FaultKind[], occasion: Occasion): readonly Strike[] {
  return world.state.settings.faults.flatMap((fault, index) => {
    if (!kinds.includes(fault.kind) || (occasion.byPerson && !fault.people)) return [];
    if (occasion.namedBy !== undefined && !fault.route.includes(occasion.namedBy)) return [];
    if (!occasion.routes.some((route) => concerns(fault, route))) return [];
    const count = nextId(world, counterOf(index, fault));
    return lot(fault.seed, `${fault.kind}/${count}`) < fault.rate ? [{ fault, count }] : [];
  });
}

/** Tells that a fault did what it is there for. */
export function record(world: World, { kind }: Fault, { routes }: Occasion): void {
  world.state.faultsStruck[kind] = (world.state.faultsStruck[kind] ?? 0) + 1;
  remember(world, { kind, route: routes[0], atMs: world.clock.now() });
}

/** Draws and tells: the first fault of one of the kinds that strikes this occasion, or null. */
export function strike(world: World, kinds: readonly FaultKind[], occasion: Occasion): Fault | null {
  const [first] = draw(world, kinds, occasion);
  if (first === undefined) return null;
  record(world, first.fault, occasion);
  return first.fault;
}

/** The counter of a fault's occasions; it belongs to its place among those that are on. */
export function counterOf(index: number, { kind }: Fault): string {
  return `faults/${index}/${kind}`;
}

/** One time that a fault struck, with the occasion: a request's route, an event's name, `push`. */
export type Struck = { readonly kind: FaultKind; readonly route: string; readonly atMs: number };

/** What was injected lately, newest first. */
export function lately(world: World): readonly Struck[] {
  return (histories.get(world) ?? []).toReversed();
}

const histories = new WeakMap<World, readonly Struck[]>();

function remember(world: World, struck: Struck): void {
  histories.set(world, [...(histories.get(world) ?? []), struck].slice(-limits.strikesKept));
}

/** Whether anything of these kinds is switched on. */
export function isOn(world: World, kinds: readonly FaultKind[]): boolean {
  return world.state.settings.faults.some((fault) => kinds.includes(fault.kind));
}

/** How far GitHub's clock is ahead of everybody else's, by the faults that are on. */
export function skewMs(faults: readonly Fault[]): number {
  const skewed = faults.filter(({ kind, rate }) => kind === 'clock-skew' && rate > 0);
  return skewed.reduce((sum, { durationMs }) => sum + durationMs, 0);
}

/** A number in [0, 1) that depends on the seed and the text alone. */
export function lot(seed: number, text: string): number {
  return createHash('sha256').update(`${seed}/${text}`).digest().readUInt32BE(0) / 2 ** 32;
}
