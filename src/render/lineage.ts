/** The lineage of a run as a Mermaid graph and a table: which attempt went on from what, and what was rejected. */

import type { RecordedAttempt, RecordedLineage } from '../checkpoints/lineage.ts';
import { checkpointName, lineageOf } from '../checkpoints/lineage.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { code, details, paragraphs, person, table, text, utc } from './words.ts';

/** Attempts that the card draws: more do not fit a phone. */
const LINEAGE_ATTEMPTS_SHOWN = 8;

/** The part of the card; null for a run of one attempt of which nothing was rejected. */
export function lineagePart(state: RunState): string | null {
  const lineage = lineageOf(state);
  if (lineage.attempts.length < 2 && lineage.rejections.length === 0) return null;
  const newest = { ...lineage, attempts: lineage.attempts.slice(-LINEAGE_ATTEMPTS_SHOWN) };
  return details(
    'Lineage: what each attempt went on from',
    paragraphs(
      `\`\`\`mermaid\n${lineageGraph(newest)}\n\`\`\``,
      attemptsTable(newest),
      rejectionsTable(lineage),
    ),
  );
}

/** Numbers and words of ours alone: nothing that the job or a person wrote stands in the graph. */
export function lineageGraph({ attempts, rejections }: RecordedLineage): string {
  const shown = new Set(attempts.map(({ attempt }) => attempt));
  const lines = attempts.flatMap((one) => {
    const node = `a${one.attempt}`;
    const box = `  ${node}["attempt ${one.attempt}<br/>${one.status}<br/>${newestWords(one)}"]`;
    return [box, `  ${sourceOf(one, shown)} -->|${startWords(one)}| ${node}`];
  });
  const crosses = rejections.flatMap(({ step, at }, index) => {
    const hit = attempts.filter(
      (one) => one.newestStep !== null && one.newestStep >= step && one.from <= Date.parse(at),
    );
    return [
      `  r${index + 1}{{"rejected from step ${step} on"}}`,
      ...hit.map(({ attempt }) => `  a${attempt} -.-x r${index + 1}`),
    ];
  });
  return ['flowchart LR', ...lines, ...crosses].join('\n');
}

function sourceOf({ attempt, parent, startStep }: RecordedAttempt, shown: ReadonlySet<number>): string {
  if (parent !== null && shown.has(parent)) return `a${parent}`;
  return startStep === 0 ? `s${attempt}(("begin"))` : `s${attempt}(["earlier"])`;
}

function startWords({ startStep }: RecordedAttempt): string {
  return startStep === null ? 'not known' : `step ${startStep}`;
}

function newestWords({ newestStep }: RecordedAttempt): string {
  return newestStep === null ? 'no checkpoint seen' : `checkpoint at step ${newestStep}`;
}

function attemptsTable({ attempts }: RecordedLineage): string {
  return table(
    ['Attempt', 'Began', 'Went on from', 'Newest checkpoint', 'Ended'],
    attempts.map((one) => [
      String(one.attempt),
      utc(new Date(one.from).toISOString()),
      one.startedFrom === null
        ? startWords(one)
        : `${text(checkpointName(one.startedFrom))}, ${code(one.startedFrom)}`,
      one.newestStep === null ? 'none seen' : `step ${one.newestStep}`,
      one.status,
    ]),
  );
}

function rejectionsTable({ rejections }: RecordedLineage): string | null {
  if (rejections.length === 0) return null;
  return table(
    ['Rejected', 'By', 'When', 'Why'],
    rejections.map(({ step, actor, at, reason }) => [
      `from step ${step} on`,
      person(actor),
      utc(at),
      text(reason),
    ]),
  );
}
