/** Why a job is not restarted, in the text that people read. */

import { expect, it } from 'vitest';
import { type Detail, readIncident } from '../../src/domain/incidents.ts';
import { describeIncident } from '../../src/render/incident-words.ts';

const REASONS: readonly Detail[] = [
  { reason: 'not-recoverable', attempt: 1, failure: 'infra-cluster' },
  { reason: 'same-failure', attempt: 2, earlier: 1, failure: 'preempted' },
  { reason: 'no-progress', attempt: 2, earlier: 1, failure: 'network' },
  { reason: 'loss-lost', attempt: 1 },
  { reason: 'other-steps', attempt: 2 },
  { reason: 'unstable', attempt: 1, failure: 'gradient-norm' },
  { reason: 'same-in-lane', attempt: 1, run: 'ferry-daily-20261120' },
  { reason: 'no-restarts-left', attempt: 1, restarts: 0 },
  { reason: 'manifest-changed', attempt: 1 },
  { reason: 'gate', attempt: 1, gate: 'freshness', gateCode: 'stale' },
];

it.each(REASONS)('%j', (detail) => {
  const written = { role: 'control', at: '2026-11-21T09:00:00.000Z', seq: 9 } as const;
  const { evidence } = describeIncident(readIncident({ code: 'relaunch-refused', detail }, written), 'pull request');
  expect(evidence).toMatchSnapshot();
});
