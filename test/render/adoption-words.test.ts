/**
 * Texts about a job that can be adopted: after the cluster described it, once more, and when the adoption
 * was not confirmed.
 */

import { expect, it } from 'vitest';
import type { Description, RunState } from '../../src/domain/logbook/run-state.ts';
import { brandAs, isSha, known } from '../../src/domain/values.ts';
import { explainNotConfirmed } from '../../src/render/propose-words.ts';
import { renderPublication } from '../../src/render/publication.ts';
import { createPastReader } from '../../src/run/lane.ts';
import { listPublications } from '../../src/run/publications.ts';
import { aRun } from '../support/run-builder.ts';
import { aConfig } from '../support/run-parts.ts';

const { state } = aRun();
const adopts = { jobId: 'ray-run-ada-sweep', cluster: 'us-central1' };
const DESCRIBED: Description = {
  found: 'described',
  why: '',
  engine: 'ray',
  status: 'RUNNING',
  since: null,
  submitter: 'ada',
  entrypoint: 'python3 experiments/ferries/daily.py',
  commit: brandAs('ab'.repeat(20), isSha),
  commitIsHere: true,
  session: null,
  urls: {},
  seq: 2,
  at: '2026-11-21T09:00:00.000Z',
};
const UNCONFIRMED = {
  reason: 'job-unconfirmed',
  about: '2-1',
  permission: 'maintain',
  seq: 3,
  at: '2026-11-22T09:00:00.000Z',
  role: 'control',
} as const;

function noticesOf(change: Partial<RunState>): readonly string[] {
  const config = aConfig();
  const asked = { ...state, gate: null, proposal: { ...state.proposal, adopts }, ...change };
  return listPublications(asked)
    .filter(({ kind }) => kind === 'notice')
    .map((owed) =>
      renderPublication(owed, {
        state: asked,
        config,
        verdict: null,
        approvals: [],
        past: createPastReader(known([asked]), config.lanes),
      }),
    );
}

it.each<[string, Partial<RunState>]>([
  ['with a commit of a branch and without a command', { description: DESCRIBED, notices: [UNCONFIRMED] }],
  ['with a commit of no branch', { description: { ...DESCRIBED, commitIsHere: false } }],
  ['that the cluster could not describe', { description: { ...DESCRIBED, found: 'unknown', why: 'it is away' } }],
])('a job %s', (_, change) => {
  expect(noticesOf(change).join('\n\n')).toMatchSnapshot();
});

it('a job that was not adopted is declined, with the reason', () => {
  const unknown = { ...state, description: { ...DESCRIBED, found: 'unknown' as const } };
  expect([
    explainNotConfirmed({ ...state, description: DESCRIBED }, null),
    explainNotConfirmed({ ...state, description: DESCRIBED }, 5),
    explainNotConfirmed(unknown, null),
  ]).toMatchSnapshot();
});
