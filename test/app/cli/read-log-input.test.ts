/** A log on standard input means the same wherever the stream cuts it, in the middle of a character too. */

import { Readable } from 'node:stream';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readLogInput } from '../../../src/app/cli/read-log-input.ts';
import { finishLog, NO_LOG_FACTS } from '../../../src/watch/log-facts.ts';
import { readLogText } from '../../support/log-text.ts';

const LOG = [
  'wandb: 🚀 View run at https://wandb.ai/a/b/runs/c-1',
  'Progress on:train 5.00it/9.00it rate:1.0it/s remaining:00:04 elapsed:00:05 postfix:loss=2.5',
  "KeyError: 'größe'",
  'eval/paloma/loss=3.25 🚀',
].join('\n');

it('is read as one text', async () => {
  const bytes = Buffer.from(LOG);
  const expected = finishLog(readLogText(NO_LOG_FACTS, LOG));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 12 }), async (cuts) => {
      const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
      const pieces = places.slice(1).map((to, at) => bytes.subarray(places[at], to));
      expect(await readLogInput(Readable.from(pieces))).toEqual({ ok: true, value: expected });
    }),
  );
});

it('that ends within a character, or has bytes of no text, is read to its end', async () => {
  const torn = Buffer.concat([Buffer.from('OwnerDiedError \n'), Buffer.from([0xff, 0x0a, 0xf0, 0x9f])]);
  expect(await readLogInput(Readable.from([torn]))).toMatchObject({ value: { lines: 3, carry: '' } });
});

it('that cannot be read is said, and is no bug', async () => {
  const closed = Object.assign(new Error('EBADF: bad file descriptor, read'), { syscall: 'read' });
  const stream = new Readable({
    read() {
      this.destroy(closed);
    },
  });
  expect(await readLogInput(stream)).toEqual({
    ok: false,
    error: 'standard input cannot be read: EBADF: bad file descriptor, read',
  });
});
