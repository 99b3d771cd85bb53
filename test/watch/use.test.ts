/** How busy the machines of a job are: by its log, else by its tracker, else by the engine, and nothing where nobody says. */

import { expect, it } from 'vitest';
import type { FoundJob } from '../../src/domain/engine.ts';
import type { TrackedRun } from '../../src/domain/tracker.ts';
import { USUAL_CADENCE } from '../../src/watch/cadence.ts';
import { NO_LOG_FACTS } from '../../src/watch/log-facts.ts';
import type { Look } from '../../src/watch/look.ts';
import { eventsOf } from '../../src/watch/observation.ts';
import { readLogText } from '../support/log-text.ts';
import { aRun } from '../support/run-builder.ts';
import { bob } from '../support/run-drafts.ts';
import { NOON } from '../support/run-facts.ts';

const submitted = aRun().gated().approved(bob).ordered().submitted();
const JOB: FoundJob = {
  kind: 'found',
  status: 'RUNNING',
  message: '',
  errorType: null,
  exitCode: null,
  startedAtMs: null,
  endedAtMs: null,
  metadata: null,
  session: null,
  details: {},
};
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
  const look: Look = {
    log: log === '' ? NO_LOG_FACTS : readLogText(NO_LOG_FACTS, log),
    at: NOON,
    job,
    logOffset: 0,
    logUnread: null,
    diagnosis: null,
    lease: { holder: 'watch-1', fence: 1, until: '2026-11-21T23:00:00.000Z' },
    metrics: {},
    cadence: USUAL_CADENCE,
    redact: (text) => text,
    tracker: run === null ? null : { asked: 'r', answer: { kind: 'found', run } },
  };
  const { observation } = submitted.add(...eventsOf(submitted.state, look)).state;
  const { usePercent, memory } = observation?.pace ?? {};
  return { usePercent, memory };
}

const OLD: TrackedRun = { ...TRACKED, rowAt: null };

it.each([
  ['its log, whatever the others say', BUSY, SAID, TRACKED, { usePercent: '71', memory: '88%' }],
  ['its tracker, where the log says nothing', BUSY, '', TRACKED, { usePercent: '96', memory: '62.5%' }],
  [
    'the engine, where the tracker has nothing of this attempt',
    BUSY,
    '',
    OLD,
    { usePercent: '96', memory: 'ram:31.3%' },
  ],
  ['the engine alone', BUSY, '', null, { usePercent: '96', memory: 'ram:31.3%' }],
  ['nobody', JOB, '', null, { usePercent: undefined, memory: undefined }],
])('is what it is by %s', (_, job, log, run, expected) => {
  expect(looked(job, log, run)).toEqual(expected);
});
