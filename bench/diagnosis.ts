/** What jobs died of, over the logs of the corpus: precision, recall and delay of each class, and how long a log takes to judge. */

import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { replay } from '../src/app/replay/replay.ts';
import { traceFromLog } from '../src/app/replay/trace-of-log.ts';
import { diagnose } from '../src/diagnosis/diagnose.ts';
import { FAILURE_CLASSES, type FailureClass } from '../src/domain/failure-class.ts';
import { brandAs, type Instant, isInstant } from '../src/domain/values.ts';
import { CADENCE_S } from './detectors.ts';
import { type Result, resultWithBar, resultWithoutBar } from './measure.ts';

const FOLDER = new URL('../fixtures/failure-logs/', import.meta.url);
const kind = z.enum(FAILURE_CLASSES);
const labels = z.array(z.object({ file: z.string(), class: kind, alternatives: z.array(kind) }));

/** None is left out: a class that no log has says so by its counts. */
export async function measureDiagnosis(): Promise<readonly Result[]> {
  const since = performance.now();
  const judged = labels
    .parse(JSON.parse(readFileSync(new URL('labels.json', FOLDER), 'utf8')))
    .map(({ file, class: meant, alternatives }) => {
      const lines = readFileSync(new URL(file, FOLDER), 'utf8').split(/\r\n|\n|\r/);
      const found = diagnose(lines, null).class;
      return { lines, meant, found, isRight: [meant, ...alternatives].includes(found) };
    });
  const ms = performance.now() - since;
  const count = (some: (one: (typeof judged)[number]) => boolean): number => judged.filter(some).length;
  const share = (part: number, whole: number): number => (whole === 0 ? 1 : part / whole);
  const ofClass = (name: FailureClass): readonly Result[] => {
    const said = count(({ found }) => found === name);
    const meant = count((one) => one.meant === name);
    const precision = share(
      count(({ found, isRight }) => found === name && isRight),
      said,
    );
    const recall = share(
      count((one) => one.meant === name && one.isRight),
      meant,
    );
    const id = `diagnosis-precision-${name}`;
    return [
      resultWithoutBar(`diagnosis-logs-${name}`, meant, 'logs'),
      // Unknown is said rather than a guess: how often in all is bounded below.
      name === 'unknown' ? resultWithoutBar(id, precision, 'share') : resultWithBar(id, precision, 'share', '>=', 0.9),
      resultWithBar(`diagnosis-recall-${name}`, recall, 'share', '>=', 0.8),
    ];
  };
  const unknown = count(({ found, isRight }) => found === 'unknown' && !isRight);
  const wrong = count(({ isRight }) => !isRight) - unknown;
  const delays = await Promise.all(
    FAILURE_CLASSES.filter((name) => name !== 'benign').map((name) =>
      measureDelay(
        name,
        judged.flatMap(({ lines, meant, found }) => (meant === name && found === name ? [lines] : [])),
      ),
    ),
  );
  return [
    resultWithoutBar('diagnosis-log', ms / judged.length, 'ms'),
    resultWithBar('diagnosis-wrong', share(wrong, judged.length), 'share', '<=', 0.05),
    resultWithBar('diagnosis-unknown', share(unknown, judged.length), 'share', '<=', 0.2),
    ...FAILURE_CLASSES.flatMap(ofClass),
    ...delays.flat(),
  ];
}

/** From the end of the job, which is when the class can be known, until the watch answers it: the latest of some jobs. */
async function measureDelay(name: FailureClass, logs: readonly (readonly string[])[]): Promise<readonly Result[]> {
  let delay = logs.length === 0 ? Number.POSITIVE_INFINITY : 0;
  for (const [index, lines] of logs.slice(0, LOGS_OF_CLASS).entries()) {
    const end = START + RUNNING_MS + index * APART_MS;
    const trace = traceFromLog({ lines, start: instant(START), end: 'FAILED', until: instant(end) });
    const over = trace.records.at(-1)?.at ?? end;
    const answered = (await replay(trace)).actions.find(({ action }) => action !== 'alert');
    const at = answered === undefined ? Number.POSITIVE_INFINITY : Date.parse(answered.at);
    delay = Math.max(delay, (at - over) / 1_000);
  }
  return [
    resultWithBar(`diagnosis-delay-${name}`, delay, 's', '<=', CADENCE_S + 60),
    resultWithoutBar(`diagnosis-delay-cadences-${name}`, delay / CADENCE_S, 'cadences'),
  ];
}

function instant(ms: number): Instant {
  return brandAs(ms, isInstant);
}

const START = Date.UTC(2026, 10, 20, 9);
const RUNNING_MS = 2_460_000;
/** Ends are spread over a cadence. */
const APART_MS = 97_000;
const LOGS_OF_CLASS = 6;
