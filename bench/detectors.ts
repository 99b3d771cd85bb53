/** The detectors over the regression traces: precision, recall and delay of each, and how long replaying all of them takes. */

import { readdirSync, readFileSync } from 'node:fs';
import { replay } from '../src/app/replay/replay.ts';
import { readTrace } from '../src/app/replay/trace.ts';
import { DETECTOR_IDS } from '../src/domain/failure-class.ts';
import { type Result, resultWithBar, resultWithoutBar } from './measure.ts';

const FOLDER = new URL('../fixtures/traces/', import.meta.url);

/** Of the watch, where nothing is wrong yet. */
export const CADENCE_S = 570;

type Tally = { readonly hits: number[]; missed: number; falseAlarms: number };

/** None is left out: also a detector that no trace plants has its row. */
export async function measureDetectors(): Promise<readonly Result[]> {
  const tallies = new Map<string, Tally>(DETECTOR_IDS.map((id) => [id, { hits: [], missed: 0, falseAlarms: 0 }]));
  const of = (id: string): Tally => {
    const known = tallies.get(id) ?? { hits: [], missed: 0, falseAlarms: 0 };
    tallies.set(id, known);
    return known;
  };
  const since = performance.now();
  for (const name of readdirSync(FOLDER)) {
    const read = readTrace(readFileSync(new URL(name, FOLDER), 'utf8'));
    if (!read.ok) throw new Error(`${name}: ${read.error}`);
    const { alarms } = await replay(read.value);
    const planted = read.value.header.expect?.alarms ?? [];
    for (const { detector, lawMetAt } of planted) {
      const raised = alarms.find((one) => one.detector === detector);
      const delay = raised === undefined ? null : (Date.parse(raised.at) - lawMetAt) / 1_000;
      if (delay === null) of(detector).missed += 1;
      else if (delay < 0) of(detector).falseAlarms += 1;
      else of(detector).hits.push(delay);
    }
    for (const { detector } of alarms)
      if (!planted.some((one) => one.detector === detector)) of(detector).falseAlarms += 1;
  }
  const ms = performance.now() - since;
  return [
    resultWithoutBar('detectors-replay-all', ms, 'ms'),
    ...[...tallies].flatMap(([id, tally]) => toResults(id, tally)),
  ];
}

function toResults(id: string, { hits, missed, falseAlarms }: Tally): readonly Result[] {
  const [raised, planted] = [hits.length + falseAlarms, hits.length + missed];
  const delay = hits.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...hits);
  return [
    resultWithBar(`detector-precision-${id}`, raised === 0 ? 1 : hits.length / raised, 'share', '>=', 1),
    // What no trace plants has not been shown to be found.
    resultWithBar(`detector-recall-${id}`, planted === 0 ? 0 : hits.length / planted, 'share', '>=', 1),
    // One cadence and a minute; what was never raised is late for ever.
    resultWithBar(`detector-delay-${id}`, delay, 's', '<=', 630),
    resultWithoutBar(`detector-delay-cadences-${id}`, delay / CADENCE_S, 'cadences'),
  ];
}
