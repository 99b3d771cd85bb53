/**
 * A run is ordered again only for a replaced bad node, with what was approved, and as often as was approved.
 */

import { describe, expect, it } from 'vitest';
import { restartsLeft } from '../../src/domain/launch/next-attempt.ts';
import { canBeApprovedAgain, decideResponse } from '../../src/domain/launch/response.ts';
import type { EventDataByType, EventDraft } from '../../src/domain/logbook/define.ts';
import { brandAs, isRunId } from '../../src/domain/values.ts';
import { aProposal, consentDraft, proposedDraft, evidence as shown } from '../care/consent-parts.ts';
import { aRun, type RunBuilder } from '../support/run-builder.ts';
import { bob } from '../support/run-drafts.ts';

const submitted = withRestarts(1).approved(bob).ordered().submitted();

/** A gated run with this number of restarts in its manifest. */
function withRestarts(restarts: number, restartAfter?: readonly string[]): RunBuilder {
  const gated = aRun().gated();
  const { manifest, digest } = gated.state.gate ?? {};
  if (manifest === undefined || manifest === null || digest === undefined) throw new Error('no manifest');
  const envelope = { ...manifest.envelope, restarts, ...(restartAfter === undefined ? {} : { restartAfter }) };
  return aRun().gated({ manifest: { ...manifest, envelope }, digest });
}

/** The bad node of an attempt, from the proposal to its outcome. */
function cared(run: RunBuilder, code: string, outcome: EventDataByType['action-ended']['outcome']): RunBuilder {
  const attempt = run.state.submission?.attempt ?? 0;
  const what = aProposal({ round: attempt });
  const { data } = proposedDraft(what);
  const evidence = { ...shown, facts: { ...shown.facts, attempt } };
  const proposed: EventDraft = { type: 'action-proposed', role: 'watch', data: { ...data, evidence } };
  const first = run.add(proposed);
  const consent = consentDraft(undefined, what);
  const source = { ...consent.data.source, comment: 900 + attempt, writtenAt: first.state.head.at };
  const given = first.add({ ...consent, data: { ...consent.data, source } });
  return given
    .add({
      type: 'action-claimed',
      role: 'runner',
      data: { proposal: data.digest, consent: given.state.head.seq, workflowRun: 1 },
    })
    .add({ type: 'action-ended', role: 'runner', data: { proposal: data.digest, outcome, code, detail: {} } });
}

describe('a run whose job failed', () => {
  const failed = submitted.ended({ status: 'FAILED' });

  // rule ML-24
  it('is ordered again after its bad node was replaced, with the same manifest and commit and a new id', () => {
    const again = cared(failed, 'replaced', 'done').ordered({ attempt: 2 }).submitted({ jobId: 'job-2' });
    const [first] = again.state.attempts;
    expect(again.state.order?.order).toMatchObject({
      attempt: 2,
      submissionId: 'ferrybot-ferry-daily-20261121-a2',
      digest: first?.order.order.digest,
      commit: first?.order.order.commit,
      approvals: first?.order.order.approvals,
    });
    expect(again.state.submission).toMatchObject({ attempt: 2, jobId: 'job-2' });
    expect(again.state.end).toBeNull();
    expect(again.state.attempts).toHaveLength(1);
  });

  it('names the attempt that it continues, and no other', () => {
    const ready = cared(failed, 'replaced', 'done');
    const after = { attempt: 2, parent: { run: ready.state.run, attempt: 1 } };
    expect(ready.ordered(after).state.order?.order.parent).toEqual(after.parent);
    const wrong = [{ attempt: 2 }, { attempt: 0 }, { run: brandAs('ferry-daily-20261122', isRunId) }];
    for (const change of wrong)
      expect(() => ready.ordered({ ...after, parent: { ...after.parent, ...change } })).toThrow(
        'another attempt than the last one',
      );
    expect(() => withRestarts(1).approved(bob).ordered({ parent: after.parent })).toThrow(
      'another attempt than the last one',
    );
  });

  // rule ML-32
  it('is not ordered again beyond the approved restarts', () => {
    const once = cared(failed, 'replaced', 'done').ordered({ attempt: 2 }).submitted();
    expect(restartsLeft(once.state)).toBe(0);
    const twice = cared(once.ended({ status: 'FAILED' }), 'replaced', 'done');
    expect(() => twice.ordered()).toThrow(/no-restarts-left/);
  });

  it.each([
    ['without a replaced node', failed],
    ['for a node that was not replaced', cared(failed, 'not-replaced', 'done')],
    ['for a node that is still there', cared(failed, 'still-there', 'failed')],
  ])('is not ordered again %s', (_, run) => {
    expect(() => run.ordered()).toThrow(/no bad node was replaced/);
  });

  // rule ML-23
  it('is not ordered again with another manifest or commit', () => {
    const replaced = cared(failed, 'replaced', 'done');
    const other = { digest: `sha256:${'0'.repeat(64)}` } as unknown as Parameters<RunBuilder['ordered']>[0];
    expect(() => replaced.ordered(other)).toThrow(/another manifest or commit/);
    const commit = { commit: '0'.repeat(40) } as unknown as Parameters<RunBuilder['ordered']>[0];
    expect(() => replaced.ordered(commit)).toThrow(/another manifest or commit/);
  });
});

describe('a run that trained wrongly and was then preempted', () => {
  const died = { class: 'preempted', confidence: 'high', response: 'retry-bounded', place: null, error: null } as const;
  const preempted = {
    status: 'FAILED',
    lastStep: 4_600,
    diagnosis: { ...died, evidence: ['the slice was preempted'] },
  } as const;
  const first = withRestarts(3, ['preempted']).approved(bob).ordered().submitted();
  const second = first
    .ended({ ...preempted, lastStep: 100, diagnosis: { ...died, evidence: ['maintenance'] } })
    .ordered({ attempt: 2 })
    .submitted();
  const other = { detector: 'resume-mismatch', since: '4500', seen: '0.2', attempt: 2 };
  const asked = { by: bob, name: 'relaunch', code: 'relaunch-asked', detail: { attempt: 3, left: 2 } };

  it('is ordered again if its training showed no fault', () => {
    expect(decideResponse(first.ended(preempted).state)).toEqual({ kind: 'relaunch' });
    expect(decideResponse(second.ended(preempted).state)).toEqual({ kind: 'relaunch' });
  });

  it('needs a decision if its log only suggests a preemption', () => {
    const diagnosis = { ...preempted.diagnosis, confidence: 'low' } as const;
    expect(decideResponse(first.ended({ ...preempted, diagnosis }).state)).toEqual({
      kind: 'ask',
      why: { attempt: 1, reason: 'not-recoverable', failure: 'preempted' },
    });
  });

  it.each([
    ['its loss was NaN', 'loss-lost', first.ended({ ...preempted, signatures: ['loss-not-finite'] })],
    ['it repeated steps with other losses', 'other-steps', second.incident('run-alarm', other).ended(preempted)],
  ])('needs a decision if %s, and no command restarts it unchanged', (_, reason, run) => {
    const { attempt } = run.state.submission ?? {};
    const asks = { kind: 'ask', why: { attempt, reason } };
    expect(decideResponse(run.state)).toEqual(asks);
    expect(decideResponse(run.commanded(asked).state)).toEqual(asks);
    expect(() => run.ordered({ attempt: (attempt ?? 0) + 1 })).toThrow(/ordered again though a person decides/);
  });

  it('may be approved once more beyond its restarts, but not if its loss was NaN', () => {
    const bare = withRestarts(0, ['preempted']).approved(bob).ordered().submitted();
    expect(canBeApprovedAgain(bare.ended(preempted).state)).toBe(true);
    const lost = bare.ended({ ...preempted, signatures: ['loss-not-finite'] });
    expect(canBeApprovedAgain(lost.state)).toBe(false);
  });

  it('is ordered again if only the attempt before had a resume mismatch', () => {
    const earlier = { ...other, attempt: 1 };
    expect(decideResponse(second.incident('run-alarm', earlier).ended(preempted).state)).toEqual({ kind: 'relaunch' });
  });
});

describe('a run with a replaced bad node that ran out of memory', () => {
  it('needs a decision, because another machine has no more memory', () => {
    const died = { class: 'oom-hbm', confidence: 'high', response: 'escalate', place: null, error: null } as const;
    const diagnosis = { ...died, evidence: ['Ran out of memory'] };
    const run = withRestarts(3, ['preempted']).approved(bob).ordered().submitted();
    expect(decideResponse(cared(run.ended({ status: 'FAILED', diagnosis }), 'replaced', 'done').state)).toEqual({
      kind: 'ask',
      why: { attempt: 1, reason: 'not-recoverable', failure: 'oom-hbm' },
    });
  });
});
