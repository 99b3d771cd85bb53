/** Decides reproducibly whether a fault strikes. */

import { createHash } from 'node:crypto';
import { faults as limits } from '../limits/limits.ts';
import { nextId, type World } from '../world/world.ts';
import { type Fault, type FaultKind, matchesRoute } from './fault.ts';

/** An event that a fault may strike, with each name that a route may use for it. The first name is reported. */
export type Occasion = {
  readonly routes: readonly [string, ...string[]];
  /** An action by a person, which most faults spare. */
  readonly byPerson: boolean;
  /** Text that a fault's route must contain to match; a plain `*` does not match then. */
  readonly namedBy?: string;
};

/** A fault that strikes an occasion, and the number of that occasion (`count`). */
export type Strike = { readonly fault: Fault; readonly count: number };

/**
 * The active faults that strike this occasion, in the order in which they were switched on. Each fault counts its own
 * occasions and draws by its own seed, so that other requests do not change its history.
 */
export function drawStrikes(world: World, kinds: readonly FaultKind[], occasion: Occasion): readonly Strike[] {
  return world.state.settings.faults.flatMap((fault, index) => {
    if (!kinds.includes(fault.kind) || (occasion.byPerson && !fault.people)) return [];
    if (occasion.namedBy !== undefined && !fault.route.includes(occasion.namedBy)) return [];
    if (!occasion.routes.some((route) => matchesRoute(fault, route))) return [];
    const count = nextId(world, counterKey(index, fault));
    return drawNumber(fault.seed, `${fault.kind}/${count}`) < fault.rate ? [{ fault, count }] : [];
  });
}

/** Records that a fault took effect. */
export function recordStrike(world: World, { kind }: Fault, { routes }: Occasion): void {
  world.state.faultsStruck[kind] = (world.state.faultsStruck[kind] ?? 0) + 1;
  addToHistory(world, { kind, route: routes[0], atMs: world.clock.now() });
}

/** Draws and records: the first fault of these kinds that strikes this occasion, or null. */
export function drawStrike(world: World, kinds: readonly FaultKind[], occasion: Occasion): Fault | null {
  const [first] = drawStrikes(world, kinds, occasion);
  if (first === undefined) return null;
  recordStrike(world, first.fault, occasion);
  return first.fault;
}

/** The key of a fault's counter; it depends on the fault's place in the list. */
export function counterKey(index: number, { kind }: Fault): string {
  return `faults/${index}/${kind}`;
}

/** One strike of a fault with its occasion: a request's route, an event's name, `push`. */
export type RecordedStrike = { readonly kind: FaultKind; readonly route: string; readonly atMs: number };

/** Recent strikes, newest first. */
export function recentStrikes(world: World): readonly RecordedStrike[] {
  return (histories.get(world) ?? []).toReversed();
}

const histories = new WeakMap<World, readonly RecordedStrike[]>();

function addToHistory(world: World, struck: RecordedStrike): void {
  histories.set(world, [...(histories.get(world) ?? []), struck].slice(-limits.strikesKept));
}

/** Whether any fault of these kinds is on. */
export function isFaultOn(world: World, kinds: readonly FaultKind[]): boolean {
  return world.state.settings.faults.some((fault) => kinds.includes(fault.kind));
}

/** How far GitHub's clock is ahead of real time, by the active faults. */
export function skewMs(faults: readonly Fault[]): number {
  const skewed = faults.filter(({ kind, rate }) => kind === 'clock-skew' && rate > 0);
  return skewed.reduce((sum, { durationMs }) => sum + durationMs, 0);
}

/** A number in [0, 1) that depends only on the seed and the text. */
export function drawNumber(seed: number, text: string): number {
  return createHash('sha256').update(`${seed}/${text}`).digest().readUInt32BE(0) / 2 ** 32;
}
