/** Logs of Iris, and of a log server that begins again. */

import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Engine } from '../../src/domain/engine.ts';
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

it('is rewound when the log server began again, and then gives what the server has kept', async () => {
  await started('a b b c d e f g h i');
  const engine = lab.engine();
  lab.pass(40);
  const before = await textFrom(engine, 0);
  expect(before).toBe('ferrybot begin job-1:0\na\nb\nb\nc\n');
  lab.iris.restart();
  lab.pass(40_000);
  const size = Buffer.byteLength(before);
  expect(await readText(engine, 'job-1', size)).toEqual({ kind: 'rewound', sizeBytes: 0 });
  expect(await textFrom(engine, 0)).toBe('d\ne\nf\ng\nh\ni\n');
});

it('is rewound when a restarted store has grown beyond the place that was read to', async () => {
  await started('a b c');
  const engine = lab.engine();
  lab.pass(100);
  const size = Buffer.byteLength(await textFrom(engine, 0));
  lab.iris.restart();
  await submitTo(lab.engine(), lab.spec({ submissionId: 'other', command: ['endless', 'a b c d e f g h i j k'] }));
  lab.pass(60_000);
  expect(await readText(engine, 'job-1', size)).toMatchObject({ kind: 'rewound' });
});

it('is rewound when the store lost lines behind the same controller', async () => {
  await started('a b c');
  const engine = lab.engine();
  lab.pass(100);
  const size = Buffer.byteLength(await textFrom(engine, 0));
  lab.iris.world.loseLines();
  lab.pass(60_000);
  expect(await readText(engine, 'job-1', size)).toMatchObject({ kind: 'rewound' });
  expect(await readText(lab.engine(), 'job-1', 500)).toMatchObject({ kind: 'rewound' });
});

it('reports unknown when the log server or the controller does not answer', async () => {
  await started('a');
  lab.faults.push({ method: 'GetProcessStatus', fault: 'bad-gateway-before' });
  expect(await readText(lab.engine(), 'job-1', 0)).toMatchObject({ kind: 'unknown' });
  lab.faults.push({ method: 'FetchLogs', fault: 'bad-gateway-before' });
  expect(await readText(lab.engine(), 'job-1', 0)).toMatchObject({ kind: 'unknown' });
});
