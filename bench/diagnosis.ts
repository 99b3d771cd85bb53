/** What jobs died of, over the logs of the corpus: precision and recall of each class, and how long a log takes to judge. */

import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { diagnose } from '../src/diagnosis/diagnose.ts';
import { FAILURE_CLASSES, type FailureClass } from '../src/domain/failure-class.ts';
import { against, type Result, reported } from './measure.ts';

const FOLDER = new URL('../fixtures/failure-logs/', import.meta.url);
const kind = z.enum(FAILURE_CLASSES);
const labels = z.array(z.object({ file: z.string(), class: kind, alternatives: z.array(kind) }));

/** None is left out: a class that no log has says so by its counts. */
export function measureDiagnosis(): Promise<readonly Result[]> {
  const since = performance.now();
  const judged = labels
    .parse(JSON.parse(readFileSync(new URL('labels.json', FOLDER), 'utf8')))
    .map(({ file, class: meant, alternatives }) => {
      const lines = readFileSync(new URL(file, FOLDER), 'utf8').split(/\r\n|\n|\r/);
      const found = diagnose(lines, null).class;
      return { meant, found, isRight: [meant, ...alternatives].includes(found) };
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
    return [
      reported(`diagnosis-logs-${name}`, meant, 'logs'),
      against(`diagnosis-precision-${name}`, precision, 'share', '>=', 0.9),
      against(`diagnosis-recall-${name}`, recall, 'share', '>=', 0.8),
    ];
  };
  const unknown = count(({ found, isRight }) => found === 'unknown' && !isRight);
  const wrong = count(({ isRight }) => !isRight) - unknown;
  return Promise.resolve([
    reported('diagnosis-log', ms / judged.length, 'ms'),
    against('diagnosis-wrong', share(wrong, judged.length), 'share', '<=', 0.05),
    against('diagnosis-unknown', share(unknown, judged.length), 'share', '<=', 0.2),
    ...FAILURE_CLASSES.flatMap(ofClass),
  ]);
}
