/**
 * Switches faults on and off: a fault that stays on keeps its history, a new one starts its own, a removed one releases
 * what it held.
 */

import type { World } from '../world/world.ts';
import type { Fault } from './fault.ts';
import { endWaits } from './slow-answers.ts';
import { endStorms } from './storms.ts';
import { counterKey, isFaultOn } from './strike.ts';

/**
 * Makes `wanted` the complete list of active faults. A fault that was already on keeps its count, in any place of the
 * list. Any other fault starts at its first occasion, so that a repeated seed strikes the same occasions again.
 * Switching a fault off releases its delayed answers and its secondary limit.
 */
export function switchFaults(world: World, wanted: readonly Fault[]): void {
  const { counters, settings } = world.state;
  const before = settings.faults.map((fault, index) => ({ fault, counter: counterKey(index, fault) }));
  const left = [...before];
  const kept = wanted.map((fault) => {
    const at = left.findIndex((one) => isSame(one.fault, fault));
    const [one] = at < 0 ? [] : left.splice(at, 1);
    return one === undefined ? { fault, count: 0 } : { fault: one.fault, count: counters[one.counter] ?? 0 };
  });
  for (const { counter } of before) delete counters[counter];
  for (const [index, { fault, count }] of kept.entries()) counters[counterKey(index, fault)] = count;
  settings.faults = kept.map(({ fault }) => fault);
  endWaits(world, ({ fault }) => !settings.faults.includes(fault));
  if (!isFaultOn(world, ['secondary-limit'])) endStorms(world);
}

function isSame(a: Fault, b: Fault): boolean {
  return (
    a.kind === b.kind &&
    a.rate === b.rate &&
    a.seed === b.seed &&
    a.route === b.route &&
    a.people === b.people &&
    a.durationMs === b.durationMs
  );
}
