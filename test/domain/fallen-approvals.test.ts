/** When approvals of a manifest stopped to count, for whoever asks what a revocation took back. */

import { expect, it } from 'vitest';
import { fallenApprovals } from '../../src/domain/logbook/fallen-approvals.ts';
import { aRun } from '../support/run-builder.ts';
import { bob } from '../support/run-drafts.ts';

const approved = aRun().gated().shown().approved(bob);
const { digest } = approved.state.gate ?? {};
if (digest === undefined || digest === null) throw new Error('no digest');

it('they fall where the record has it, each with its time', () => {
  expect(fallenApprovals(approved.state, digest)).toEqual([]);
  expect(fallenApprovals(approved.dropped('manifest-changed').state, digest)).toMatchObject([
    { user: bob.id, isSaid: false },
  ]);
  expect(fallenApprovals(approved.dropped('revoked').state, digest)).toMatchObject([
    { user: bob.id, isSaid: true },
  ]);
  const refused = approved.ordered().incident('runner-refused', { reason: 'held-in-thread', why: '' });
  expect(fallenApprovals(refused.state, digest)).toMatchObject([{ user: null, isSaid: false }]);
});

it('those of an attempt that has failed fall with its end where no restart is left', () => {
  const spent = approved.ordered().submitted().ended({ status: 'FAILED' });
  expect(fallenApprovals(spent.state, digest)).toMatchObject([{ user: null, isSaid: false }]);
  const { gate } = aRun().gated().state;
  const manifest = gate?.manifest;
  if (manifest === undefined || manifest === null) throw new Error('no manifest');
  const envelope = { ...manifest.envelope, restarts: 1 };
  const left = aRun()
    .gated({ manifest: { ...manifest, envelope } })
    .shown()
    .approved(bob);
  const failed = left.ordered().submitted().ended({ status: 'FAILED' });
  expect(fallenApprovals(failed.state, failed.state.gate?.digest ?? digest)).toEqual([]);
});
