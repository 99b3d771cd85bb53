/** Iris log positions restart from zero: no line may be returned twice, and no gap may go unreported. */

import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Engine } from '../../src/domain/engine.ts';
import { GAP, HEADLESS } from '../../src/engines/iris/log-reader.ts';
import { submitTo } from '../support/capabilities.ts';
import { type IrisLab, openIrisLab } from '../support/iris-lab.ts';
import { readText } from '../support/log-text.ts';

let lab: IrisLab;
beforeEach(async () => {
  lab = await openIrisLab();
});
afterEach(() => lab.close());

async function textFrom(engine: Engine, offset: number): Promise<string> {
  const read = await readText(engine, 'job-1', offset);
  if (read.kind !== 'chunk') throw new Error(`the log is ${read.kind}`);
  return read.text;
}

/** Lines are ten milliseconds apart and follow the wrapper's own lines. */
async function started(lines: string): Promise<void> {
  await submitTo(lab.engine(), lab.spec({ command: ['endless', lines] }));
  lab.pass(100);
}

it('continues at the offset and returns whole lines when the offset is inside a character', async () => {
  await started('käse b c d');
  const engine = lab.engine();
  lab.pass(10);
  expect(await textFrom(engine, 0)).toBe('ferrybot begin job-1:0\nkäse\n');
  lab.pass(10);
  expect(await textFrom(engine, 29)).toBe('b\n');
  expect(await textFrom(engine, 31)).toBe('');
  expect(await textFrom(lab.engine(), 23)).toBe('käse\nb\n');
});

it('reads no line of a job whose name only shares the prefix', async () => {
  await started('a');
  await submitTo(lab.engine(), lab.spec({ submissionId: 'job-10', command: ['endless', 'x y'] }));
  await submitTo(lab.engine(), lab.spec({ submissionId: 'JOB-1', command: ['endless', 'x y'] }));
  lab.pass(1_000);
  expect(await textFrom(lab.engine(), 0)).toBe('ferrybot begin job-1:0\na\n');
});

it('reports a gap once after the log server restarts, and returns buffered lines once', async () => {
  await started('a b b c d e f g h i');
  const engine = lab.engine();
  lab.pass(40);
  const before = await textFrom(engine, 0);
  expect(before).toBe('ferrybot begin job-1:0\na\nb\nb\nc\n');
  lab.iris.restart();
  lab.pass(20);
  const size = Buffer.byteLength(before);
  expect(await textFrom(engine, size)).toBe(`${GAP}\n`);
  lab.pass(40_000);
  expect(await textFrom(engine, size + GAP.length + 1)).toBe('d\ne\nf\ng\nh\ni\n');
});

it('detects a restarted log store that has grown beyond the last offset', async () => {
  await started('a b c');
  const engine = lab.engine();
  lab.pass(100);
  const size = Buffer.byteLength(await textFrom(engine, 0));
  lab.iris.restart();
  // Another job fills the store beyond the place that was read to.
  await submitTo(
    lab.engine(),
    lab.spec({ submissionId: 'other', command: ['endless', 'a b c d e f g h i j k'] }),
  );
  lab.pass(60_000);
  expect(await textFrom(engine, size)).toContain(GAP);
});

it('detects a log store that lost lines while the controller stayed up', async () => {
  await started('a b c');
  const engine = lab.engine();
  lab.pass(100);
  const size = Buffer.byteLength(await textFrom(engine, 0));
  lab.iris.world.loseLines();
  lab.pass(60_000);
  expect(await textFrom(engine, size)).toBe(`${GAP}\n`);
});

it('reports a missing beginning when the log is read from offset zero after a restart', async () => {
  await started('a b c d e f');
  lab.pass(30);
  await lab.engine().observe('job-1', null);
  lab.iris.restart();
  lab.pass(60_000);
  expect(await textFrom(lab.engine(), 0)).toMatch(new RegExp(`^d\\ne\\nf\\n${HEADLESS}\\n$`));
  expect(await readText(lab.engine(), 'job-1', 500)).toMatchObject({ kind: 'rewound' });
});

it('reports unknown when the log server or the controller does not answer', async () => {
  await started('a');
  lab.faults.push({ method: 'GetProcessStatus', fault: 'bad-gateway-before' });
  expect(await readText(lab.engine(), 'job-1', 0)).toMatchObject({ kind: 'unknown' });
  lab.faults.push({ method: 'FetchLogs', fault: 'bad-gateway-before' });
  expect(await readText(lab.engine(), 'job-1', 0)).toMatchObject({ kind: 'unknown' });
});
