/** Switches faults on and off: what stays on goes on with its history, what is new begins its own, what is off lets go. */

import type { World } from '../world/world.ts';
import type { Fault } from './fault.ts';
import { endWaits } from './slow-answers.ts';
import { endStorms } from './storms.ts';
import { counterOf, isOn } from './strike.ts';

/**
 * From now on `wanted` are the faults that are on, and no others. One that was on already keeps its count wherever it
 * stands in the list; any other begins at its first occasion, so that a seed that is switched on again strikes the same
 * ones again. Answers that a fault held up go out when it is switched off, and its secondary limit lets go.
 */
export function switchFaults(world: World, wanted: readonly Fault[]): void {
  const { counters, settings } = world.state;
  const before = settings.faults.map((fault, index) => ({ fault, counter: counterOf(index, fault) }));
  const left = [...before];
  const kept = wanted.map((fault) => {
    const at = left.findIndex((one) => isSame(one.fault, fault));
    const [one] = at < 0 ? [] : left.splice(at, 1);
    return one === undefined ? { fault, count: 0 } : { fault: one.fault, count: counters[one.counter] ?? 0 };
  });
  for (const { counter } of before) delete counters[counter];
  for (const [index, { fault, count }] of kept.entries()) counters[counterOf(index, fault)] = count;
  settings.faults = kept.map(({ fault }) => fault);
  endWaits(world, ({ fault }) => !settings.faults.includes(fault));
  if (!isOn(world, ['secondary-limit'])) endStorms(world);
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
