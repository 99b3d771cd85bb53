/** Controls of the world's panel: the clock, the faults, redelivery of a webhook. */
import * as z from 'zod';
import { faultSchema } from '../../faults/fault.ts';
import type { Turned } from '../panel/panel.ts';
import type { ActHandler, Outcome, Visit } from '../visit.ts';
import { refuse } from './outcome.ts';

const PANEL = '/_playground/world';

/** Form field: `durationMs`. */
export const advanceClock: ActHandler = async (visit, _params, form) =>
  turned(await visit.panel?.advance(Number(form.get('durationMs'))), 'clock');

/** Form fields: `off` (the fault to switch off), or those of a new fault. */
export const changeFaults: ActHandler = async (visit, _params, form) => {
  const on = (await visit.panel?.facts())?.faults ?? [];
  const off = form.get('off');
  if (off !== null)
    return set(
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
  return wanted.success ? set(visit, [...on, wanted.data]) : refuse(z.prettifyError(wanted.error));
};

/** Form field: `delivery`. */
export const redeliverWebhook: ActHandler = async (visit, _params, form) =>
  turned(await visit.panel?.redeliver(Number(form.get('delivery'))), 'deliveries');

async function set(visit: Visit, faults: Parameters<NonNullable<Visit['panel']>['setFaults']>[0]): Promise<Outcome> {
  return turned(await visit.panel?.setFaults(faults), 'faults');
}

function turned(result: Turned | undefined, part: string): Outcome {
  return result === 'done' ? { kind: 'done', to: `${PANEL}#${part}` } : refuse('That cannot be done in this world.');
}
