/** Lines that trainers print, with their public sources, and what is read in them. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { diagnose } from '../../src/diagnosis/diagnose.ts';
import { formatOfLine, TRAINERS } from '../../src/diagnosis/trainers.ts';
import { readTrainingLine } from '../../src/diagnosis/training-line.ts';
import { finishLog, NO_LOG_FACTS, readLogBytes } from '../../src/watch/log-facts.ts';
import { findSignalWord } from '../../src/watch/signal-lines.ts';
import { readLogText } from '../support/log-text.ts';

const sample = z.strictObject({
  trainer: z.string(),
  source: z.url(),
  lines: z.array(z.string()),
  reads: z.strictObject({
    step: z.int().optional(),
    total: z.int().optional(),
    loss: z.string().optional(),
    gradient: z.string().optional(),
    seconds: z.number().optional(),
    tokens: z.number().optional(),
    samples: z.number().optional(),
    eval: z.string().optional(),
    saved: z.int().optional(),
  }),
});
const SAMPLES = z
  .array(sample)
  .parse(parse(readFileSync(new URL('../../fixtures/trainers.yml', import.meta.url), 'utf8')));

/** What the watch has read after these lines. */
function readOf(lines: readonly string[]): z.infer<typeof sample>['reads'] {
  const facts = readLogText(NO_LOG_FACTS, lines.map((line) => `${line}\n`).join(''));
  const { latest, series } = facts.training;
  const short = (value: number | undefined) => (value === undefined ? undefined : Number(value.toPrecision(3)));
  const said = {
    step: facts.step?.value,
    total: facts.exactTotal ?? undefined,
    loss: facts.loss ?? undefined,
    gradient: series['grad-norm']?.trend === undefined ? undefined : String(series['grad-norm'].trend),
    seconds: short(latest.secondsPerStep.at(-1)),
    tokens: latest.tokensPerSecond.at(-1),
    samples: short(latest.samplesPerSecond.at(-1)),
    eval: facts.isEvaluated ? facts.evals['eval/loss'] : undefined,
    saved: facts.checkpointStep ?? undefined,
  };
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
}

describe('a line of', () => {
  it.each(SAMPLES)('$trainer ($source) is read', ({ lines, reads }) => {
    const read = readOf(lines);
    expect({ ...read, gradient: reads.gradient }).toEqual({ ...reads, gradient: reads.gradient });
    if (reads.gradient !== undefined) expect(read.gradient).toBe(reads.gradient);
  });

  it('each trainer of the table has a sample', () => {
    const memory = TRAINERS.filter(
      (row) => row.memory !== undefined && row.trainingLine === undefined && row.saveEnd === undefined,
    );
    const shown = [...SAMPLES.map(({ trainer }) => trainer), ...memory.map(({ name }) => name)];
    expect(TRAINERS.map(({ name }) => name).filter((name) => !shown.includes(name))).toEqual([]);
    expect(SAMPLES.map(({ trainer }) => trainer).filter((name) => !TRAINERS.some((row) => row.name === name))).toEqual(
      [],
    );
  });

  it.each(TRAINERS.map((row) => [row.name, row] as const))(
    '%s passes the filter in front of the reader',
    (name, row) => {
      const patterns = Object.values(row).filter((value) => value instanceof RegExp);
      for (const { lines } of SAMPLES.filter(({ trainer }) => trainer === name))
        for (const line of lines.filter((one) => patterns.some((pattern) => pattern.test(one)))) {
          const bytes = new TextEncoder().encode(`\n${line}\n`);
          expect(findSignalWord(bytes, 0, bytes.length), line).not.toBe(-1);
        }
    },
  );
});

describe('a line that a lane gives', () => {
  const own = formatOfLine('tick {step}/{total} * crossent {loss} * {tokens} tok');

  it('is read, and nothing else is', () => {
    if (own === null) throw new Error('the line is a format');
    const line = 'I0101 tick  120/5000 | lr 3e-4 | crossent 2.4131 | gn 0.71 | 1,234 tok';
    expect(readTrainingLine(line)).toBeNull();
    expect(readTrainingLine(line, own)).toMatchObject({
      step: { value: 120 },
      total: { value: 5_000 },
      measures: { loss: '2.4131' },
      tokensPerSecond: 1_234,
    });
    expect(readTrainingLine('tick is 12 o clock', own)).toBeNull();
  });

  it('passes the filter in front of the reader', () => {
    const bytes = new TextEncoder().encode(
      'started\ntick 1/9 | crossent nan | 5 tok\ntick 2/9 | crossent nan | 5 tok\nmore\n',
    );
    const facts = finishLog(readLogBytes(NO_LOG_FACTS, bytes, own), own);
    expect(facts).toMatchObject({ step: { value: 2 }, exactTotal: 9, loss: 'nan', lines: 4 });
    expect(facts.failures.map(({ id }) => id)).toEqual(['loss-not-finite']);
  });

  it('shows the diagnosis too that the job recovered', () => {
    const lines = ['ConnectionResetError: [Errno 104] Connection reset by peer'];
    for (let step = 1; step <= 20; step += 1) lines.push(`tick ${step}/20 | crossent 2.1 | 5 tok`);
    expect(diagnose(lines, null, own).class).toBe('benign');
    expect(diagnose(lines, null).class).not.toBe('benign');
  });

  it('costs a hostile line one pass', () => {
    const line = `tick 1/2 ${'crossent 1 '.repeat(1_500)}`;
    const started = performance.now();
    readTrainingLine(line, own);
    expect(performance.now() - started).toBeLessThan(500);
  });

  it.each(['loss', '{step}', 'it {step} {step} loss', 'step {tokens} seen', '{step} *'])('is refused: %s', (line) => {
    expect(formatOfLine(line)).toBeNull();
  });
});
