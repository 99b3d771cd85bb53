/**
 * Logs that try to break the watch: each observation and the end are recorded, with any text in place of a
 * number.
 */

import { describe, expect, it } from 'vitest';
import { DEFINITIONS } from '../../src/domain/logbook/fold.ts';
import { canonicalize } from '../../src/logbook/chain.ts';
import { NO_LOG_FACTS } from '../../src/watch/log-facts.ts';
import { buildEvents } from '../../src/watch/observation.ts';
import { readLogText } from '../support/log-text.ts';
import { buildPoll, foundJob } from '../support/look.ts';
import { aRun } from '../support/run-builder.ts';
import { bob } from '../support/run-drafts.ts';

const submitted = aRun().gated().approved(bob).ordered().submitted();
/** Far below the size limit of an entry (a million characters). */
const ENTRY_CHARS_MAX = 200_000;
const NUMBERS = [
  '1e400',
  '-1e400',
  'nan',
  '9007199254740993',
  '99999999999999999999999',
  '1e-400',
  '-3',
  '9'.repeat(400),
  `1.${'3'.repeat(15_000)}`,
];
const UNSEEN = '\u0001'.repeat(120);
const many = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n');

/** A log with the given number in it. */
const LOGS: readonly (readonly [name: string, log: (number: string) => string])[] = [
  [
    'Levanter’s bar',
    (n) => `Progress on:train ${n}it/${n}it rate:${n}it/s remaining:${n}:00:00 elapsed:01:00 postfix:loss=${n}`,
  ],
  ['tqdm', (n) => `train:  5%|###| 9999999999G/9999999999G [00:10<${n.slice(0, 8)}:10, 3it/s, loss=${n}]`],
  ['a line of values', (n) => `step ${n}/${n} | loss ${n} | grad_norm ${n} | ${n} s/step | tokens/s ${n}`],
  ['checkpoints', (n) => `Saved checkpoint to gs://lab/step-${n} for step ${n}`],
  ['evals', (n) => many(600, (index) => `eval/${'a'.repeat(100)}${index}=${n}`)],
  ['links', (n) => many(40, (index) => `https://wandb.ai/e${UNSEEN}/p${UNSEEN.repeat(60)}/runs/${index} ${n}`)],
];

function entriesOf(text: string) {
  const log = readLogText(NO_LOG_FACTS, `${text}\n`);
  return buildEvents(submitted.state, buildPoll({ log, job: foundJob('FAILED') }));
}

describe('an observation of a job with invalid numbers', () => {
  // threat T240
  it.each(LOGS)('in %s is recorded, and so is its end', (_name, log) => {
    for (const number of NUMBERS) {
      const entries = entriesOf(log(number));
      expect(entries.map(({ type }) => type)).toContain('ended');
      for (const { type, data } of entries) {
        expect(canonicalize(data as never).length).toBeLessThan(ENTRY_CHARS_MAX);
        expect(DEFINITIONS[type].data.safeParse(data).success).toBe(true);
      }
    }
  });

  // threat T241
  it('records no text in place of a loss, because it may be a secret', () => {
    const bar = (loss: string): string =>
      `Progress on:train 5it/9it rate:1.0it/s remaining:00:04 elapsed:00:05 postfix:loss=${loss}`;
    expect(JSON.stringify(entriesOf(bar('sk-of-somebody')))).not.toContain('somebody');
    expect(JSON.stringify(entriesOf(bar('3.5')))).toContain('"loss":"3.5"');
  });
});
