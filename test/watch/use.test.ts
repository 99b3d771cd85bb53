/**
 * How busy a job's machines are: by its log, else by its tracker, else by the engine, and unknown if no
 * source has a value.
 */

import { expect, it } from 'vitest';
import type { FoundJob } from '../../src/domain/engine.ts';
import type { TrackedRun } from '../../src/domain/tracker.ts';
import { NO_LOG_FACTS } from '../../src/watch/log-facts.ts';
import { buildEvents } from '../../src/watch/observation.ts';
import { readLogText } from '../support/log-text.ts';
import { buildPoll, foundJob } from '../support/look.ts';
import { aRun } from '../support/run-builder.ts';
import { bob } from '../support/run-drafts.ts';
import { NOON } from '../support/run-facts.ts';

const submitted = aRun().gated().approved(bob).ordered().submitted();
const JOB = foundJob('RUNNING');
const BUSY: FoundJob = { ...JOB, use: { accelerators: 96.4, ram: 31.26 } };
const SAID = 'step 100 loss 2.5 gpu_util 71 gpu_mem=88%\n';
const TRACKED: TrackedRun = {
  identity: 'r',
  name: 'r',
  url: '',
  state: 'running',
  heartbeatAt: null,
  rowAt: NOON,
  step: null,
  memoryPercent: 62.5,
  metrics: {},
};

function looked(job: FoundJob, log: string, run: TrackedRun | null) {
  const look = buildPoll({
    job,
    log: readLogText(NO_LOG_FACTS, log),
    tracker: run === null ? null : { runRequested: 'r', answer: { kind: 'found', run } },
  });
  const { observation } = submitted.add(...buildEvents(submitted.state, look)).state;
  const { usePercent, memory } = observation?.pace ?? {};
  return { usePercent, memory };
}

const OLD: TrackedRun = { ...TRACKED, rowAt: null };

it.each([
  ['its log, over all other sources', BUSY, SAID, TRACKED, { usePercent: '71', memory: '88%' }],
  ['its tracker, if the log has no value', BUSY, '', TRACKED, { usePercent: '96', memory: '62.5%' }],
  ['the engine, if the tracker has no value of this attempt', BUSY, '', OLD, { usePercent: '96', memory: 'ram:31.3%' }],
  ['the engine, without a tracker', BUSY, '', null, { usePercent: '96', memory: 'ram:31.3%' }],
  ['no source', JOB, '', null, { usePercent: undefined, memory: undefined }],
])('comes from %s', (_, job, log, run, expected) => {
  expect(looked(job, log, run)).toEqual(expected);
});
