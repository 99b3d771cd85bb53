/** Controls of the world's panel: the clock, the faults, redelivery of a webhook. */
import * as z from 'zod';
import { faultSchema } from '../../faults/fault.ts';
import type { Turned } from '../panel/panel.ts';
import type { ActHandler, Outcome, Visit } from '../visit.ts';
import { refuseAct } from './outcome.ts';

const PANEL = '/_playground/world';

/** Form field: `durationMs`. */
export const advanceClock: ActHandler = async (visit, _params, form) =>
  toTurnOutcome(await visit.panel?.advance(Number(form.get('durationMs'))), 'clock');

/** Form fields: `off` (the fault to switch off), or those of a new fault. */
export const changeFaults: ActHandler = async (visit, _params, form) => {
  const on = (await visit.panel?.facts())?.faults ?? [];
  const off = form.get('off');
  if (off !== null)
    return setFaults(
      visit,
      on.filter((_fault, index) => String(index) !== off),
    );
  const wanted = faultSchema.safeParse({
    kind: form.get('kind'),
    rate: Number(form.get('percent') || Number.NaN) / 100,
    seed: Number(form.get('seed') || Number.NaN),
    route: form.get('route'),
    people: form.get('people') === 'on',
    durationMs: Math.round(Number(form.get('seconds') || Number.NaN) * 1000),
  });
  return wanted.success ? setFaults(visit, [...on, wanted.data]) : refuseAct(z.prettifyError(wanted.error));
};

/** Form field: `delivery`. */
export const redeliverWebhook: ActHandler = async (visit, _params, form) =>
  toTurnOutcome(await visit.panel?.redeliver(Number(form.get('delivery'))), 'deliveries');

async function setFaults(
  visit: Visit,
  faults: Parameters<NonNullable<Visit['panel']>['setFaults']>[0],
): Promise<Outcome> {
  return toTurnOutcome(await visit.panel?.setFaults(faults), 'faults');
}

function toTurnOutcome(result: Turned | undefined, part: string): Outcome {
  return result === 'done' ? { kind: 'done', to: `${PANEL}#${part}` } : refuseAct('That cannot be done in this world.');
}
