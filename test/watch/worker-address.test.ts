/** Which worker a failure happened on, as far as a Ray job's log shows it. */

import { describe, expect, it } from 'vitest';
import { NO_LOG_FACTS, workerAddress } from '../../src/watch/log-facts.ts';
import { readLogText } from '../support/log-text.ts';

const BUSY = 'RuntimeError: open(/dev/accel0): Device or resource busy';

/** The workers of the first failure in a log. */
function workersIn(...lines: readonly string[]): readonly string[] | undefined {
  return readLogText(NO_LOG_FACTS, lines.map((line) => `${line}\n`).join('')).failures[0]?.workers;
}

describe('the address of a worker', () => {
  it.each([
    ['(pid=1234, ip=10.130.1.45) hello', '10.130.1.45'],
    ['(RayTrainWorker pid=1234, ip=10.130.1.45) hello', '10.130.1.45'],
    ['ray.exceptions.RayTaskError(RuntimeError): ray::train() (pid=1, ip=10.0.0.9, actor_id=ab)', '10.0.0.9'],
    ['(Train pid=7, ip=2600:1900:4000::1F) hello', '2600:1900:4000:0:0:0:0:1f'],
    ['(Train pid=7, ip=::ffff:10.0.0.9) hello', '0:0:0:0:0:ffff:a00:9'],
  ])('is read from %s', (line, address) => {
    expect(workerAddress(line)).toBe(address);
  });

  it.each([
    ['a worker on the head node itself', '(Train pid=1234) hello'],
    ['an invalid address', '(Train pid=1, ip=10.130.1.450) hello'],
    ['invalid groups', '(Train pid=1, ip=2600::1::2) hello'],
    ['too few groups', '(Train pid=1, ip=2600:1:2) hello'],
    ['an address in the text', 'connecting to ip=10.130.1.45'],
    ['an address without a process id', '(ip=10.130.1.45) hello'],
  ])('is not read from %s', (_, line) => expect(workerAddress(line)).toBeNull());

  it('is not a single one when Ray merged the lines of several workers', () => {
    const line = '(Train pid=1, ip=10.130.1.45) RuntimeError: x [repeated 7x across cluster]';
    expect(workerAddress(line)).toBe('several');
  });
});

describe('a failure in a log', () => {
  it('is assigned to the worker of its line', () => {
    expect(workersIn(`(Train pid=1, ip=10.0.0.1) fine`, `(Train pid=2, ip=10.0.0.2) ${BUSY}`)).toEqual(['10.0.0.2']);
  });

  it('is assigned to the worker of the surrounding task traceback', () => {
    const head = 'ray.exceptions.RayTaskError(RuntimeError): ray::train() (pid=1, ip=10.0.0.9)';
    expect(workersIn(head, '  File "train.py", line 3, in train', BUSY)).toEqual(['10.0.0.9']);
    const far = Array.from({ length: 200 }, (_, index) => `line ${index}`);
    expect(workersIn(head, ...far, BUSY)).toEqual([]);
  });

  it('is assigned to each worker that shows it', () => {
    const lines = [1, 2, 1].map((n) => `(Train pid=${n}, ip=10.0.0.${n}) ${BUSY}`);
    expect(workersIn(...lines)).toEqual(['10.0.0.1', '10.0.0.2']);
  });

  it('is assigned to no worker if no line names one', () => {
    expect(workersIn(BUSY)).toEqual([]);
  });
});
