/** What the record lets follow an attempt that failed: a fix that was approved for itself, and nothing that was launched before. */

import { describe, expect, it } from 'vitest';
import {
  asLaunched,
  failedAttempt,
  isBeforeLaunch,
  repeatedFailure,
} from '../../src/domain/launch/next-attempt.ts';
import { restartsLeft } from '../../src/domain/launch/relaunch.ts';
import { phaseOf } from '../../src/domain/logbook/phase.ts';
import { nextAttempt } from '../../src/domain/logbook/run-state.ts';
import { aRun, type RunBuilder } from '../support/run-builder.ts';
import { bob, digestOf, gatedData, shaOf } from '../support/run-drafts.ts';

const submitted = aRun().gated().approved(bob).ordered().submitted();
const failed = submitted.ended({ status: 'FAILED', signatures: ['name-error'] });

/** Gated on another commit with other files, as if somebody had pushed `name`. */
function fixed(run: RunBuilder, name = 'the fix'): RunBuilder {
  const { manifest } = gatedData(run.state);
  if (manifest === null) throw new Error('no manifest');
  const trees = { ...manifest.trees, lib: shaOf(`the tree of ${name}`) };
  return run.gated({ commit: shaOf(name), digest: digestOf(name), manifest: { ...manifest, trees } });
}

/** Approved and ordered as the attempt that follows the last one. */
function ordered(run: RunBuilder): RunBuilder {
  const attempt = nextAttempt(run.state.order);
  const parent = { run: run.state.run, attempt: failedAttempt(run.state)?.submission.attempt ?? 0 };
  return run.approved(bob).ordered({ attempt, parent });
}

describe('a fix after a failed attempt', () => {
  it('is gated, approved and ordered as the next attempt, which knows its parent and what it launches', () => {
    const gated = fixed(failed);
    expect(phaseOf(failed.state)).toBe('ended');
    expect(phaseOf(gated.state)).toBe('gated');
    expect(gated.state.end?.status).toBe('FAILED');
    const { state } = ordered(gated).submitted({ jobId: 'job-2', commit: shaOf('the fix') });
    expect(state.submission).toMatchObject({ attempt: 2, commit: shaOf('the fix') });
    expect(state.order?.order.parent).toEqual({ run: state.run, attempt: 1 });
    expect(state.order?.manifest?.trees['lib']).toBe(shaOf('the tree of the fix'));
    expect(state.attempts.map(({ submission }) => submission.attempt)).toEqual([1]);
    expect(state.attempts[0]?.order.manifest?.trees['lib']).not.toBe(shaOf('the tree of the fix'));
  });

  it('stands on no approval that was given before the end', () => {
    const early = aRun().gated().approved(bob).ordered().submitted().ended({ status: 'FAILED' });
    expect(early.state.approvals).toHaveLength(1);
    const gated = fixed(early);
    expect(gated.state.approvals).toEqual([]);
    expect(() => gated.ordered({ attempt: 2, parent: { run: gated.state.run, attempt: 1 } })).toThrow(
      'ordered without an approval',
    );
  });

  it('names the attempt that it goes on from', () => {
    expect(() => fixed(failed).approved(bob).ordered({ attempt: 2 })).toThrow(
      'without the attempt that it goes on from',
    );
  });

  it.each([
    ['while the job runs', submitted],
    ['after a good end', submitted.ended({ status: 'SUCCEEDED' })],
    ['after a stop', submitted.stopRequested(bob).ended({ status: 'STOPPED' })],
    ['after a stop of a job that failed then', submitted.stopRequested(bob).ended({ status: 'FAILED' })],
  ])('is not gated %s', (_, run) => {
    expect(() => fixed(run)).toThrow('gated after the job was submitted');
  });

  it('is not what stands on the very commit that failed', () => {
    expect(() => failed.gated()).toThrow('gated after the job was submitted');
  });

  it('is none where it is the manifest that failed, on another commit', () => {
    const same = failed.gated({ commit: shaOf('an empty commit') });
    expect(isBeforeLaunch(same.state)).toBe(false);
    expect(phaseOf(same.state)).toBe('ended');
    expect(() => same.approved(bob)).toThrow('approved after the job was submitted');
  });

  it('does not bring back what was launched before, where its own order has ended', () => {
    const given = ordered(fixed(failed));
    const refused = given.incident('runner-refused', {
      orderDigest: given.state.order?.digest ?? '',
      why: '',
    });
    expect(refused.state.order?.status).toBe('failed');
    const back = refused.gated().approved(bob);
    expect(() => back.ordered({ attempt: 2, parent: { run: back.state.run, attempt: 1 } })).toThrow(
      'a manifest again that was launched before',
    );
    expect(ordered(fixed(refused)).state.order?.status).toBe('open');
  });

  it('is not tried again for the same failure, and is for another one', () => {
    const again = (signatures: readonly string[]): RunBuilder =>
      ordered(fixed(failed))
        .submitted({ commit: shaOf('the fix') })
        .ended({ status: 'FAILED', signatures });
    const same = again(['key-error', 'name-error']);
    expect(repeatedFailure(same.state)).toEqual({ attempt: 2, earlier: 1, signature: 'name-error' });
    expect(() => fixed(same, 'one more fix')).toThrow('gated after the job was submitted');
    const other = fixed(again(['key-error']), 'one more fix');
    expect(ordered(other).state.order?.order.attempt).toBe(3);
  });

  it('has the restarts that were approved with it', () => {
    const second = ordered(fixed(failed))
      .submitted({ commit: shaOf('the fix') })
      .ended({ status: 'FAILED' });
    expect(restartsLeft(second.state)).toBe(second.state.order?.manifest?.envelope.restarts);
  });

  it('leaves the run as its last attempt left it, where it is closed instead', () => {
    const pushed = fixed(failed);
    expect(asLaunched(pushed.state).gate).toMatchObject({
      commit: failed.state.gate?.commit,
      digest: failed.state.gate?.digest,
      manifest: failed.state.gate?.manifest,
    });
    const { state } = ordered(pushed).closed();
    expect(state.submission).toEqual(failed.state.submission);
    expect(state.end).toEqual(failed.state.end);
    expect(state.attempts).toEqual([]);
  });
});
