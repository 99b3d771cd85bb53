/** Decides, reproducibly, whether a fault strikes this time. */

import { createHash } from 'node:crypto';
import { faults as limits } from '../limits/limits.ts';
import { nextId, type World } from '../world/world.ts';
import { concerns, type Fault, type FaultKind } from './fault.ts';

/** The first fault of one of the kinds that strikes this occasion, or null; every occasion is counted. */
export function strike(world: World, kinds: readonly FaultKind[], route: string): Fault | null {
  for (const [index, fault] of world.state.settings.faults.entries()) {
    if (!kinds.includes(fault.kind) || !concerns(fault, route)) continue;
    const count = nextId(world, `faults/${index}/${fault.kind}`);
    if (lot(fault.seed, `${fault.kind}/${count}`) >= fault.rate) continue;
    world.state.faultsStruck[fault.kind] = (world.state.faultsStruck[fault.kind] ?? 0) + 1;
    remember(world, { kind: fault.kind, route, atMs: world.clock.now() });
    return fault;
  }
  return null;
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
