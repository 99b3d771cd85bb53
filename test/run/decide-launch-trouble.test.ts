/** What is posted about a launch that no runner has claimed, and how often. */

import { describe, expect, it } from 'vitest';
import type { RunFacts } from '../../src/domain/facts.ts';
import { markerText } from '../../src/domain/marker.ts';
import { type Instant, known, unknown } from '../../src/domain/values.ts';
import { renderIncident } from '../../src/render/notice.ts';
import { decideLaunch, decideLaunchTrouble } from '../../src/run/decide-launch.ts';
import { decideWaitEdit } from '../../src/run/decide-waits.ts';
import { NO_ATTEMPTS } from '../../src/run/step.ts';
import type { RunBuilder } from '../support/run-builder.ts';
import { bob, labBot } from '../support/run-drafts.ts';
import { aComment, aWorkflowRun, instant, knownWorkflowRuns, someFacts } from '../support/run-facts.ts';
import { CONFIG, describeStep, runWithGates } from './parts.ts';

const ordered = runWithGates().approved(bob).ordered();
const digest = ordered.state.order?.digest ?? '';
const sent = ordered.dispatched('launch', digest);
const sentAt = Date.parse(sent.state.head.at);
const at = (ms: number): Instant => instant(new Date(sentAt + ms).toISOString());
const MINUTE = 60_000;

const seen = (change: Parameters<typeof aWorkflowRun>[0], why?: RunFacts['failedJobs']): RunFacts =>
  someFacts({
    ...knownWorkflowRuns(aWorkflowRun({ createdAt: instant(sent.state.head.at), ...change })),
    failedJobs: why,
  });
const failed = seen(
  { status: 'completed', conclusion: 'failure' },
  new Map([[77, known('the job launch ended with failure: no such commit')]]),
);
const decide = (facts: RunFacts, now = at(5_000), run = sent) => decideLaunchTrouble(run.state, facts, now, true);
const recorded = (run: RunBuilder, facts: RunFacts, now: Instant): RunBuilder => {
  const step = decide(facts, now, run);
  return step?.kind === 'append' ? run.add(...step.drafts) : run;
};

describe('a launch workflow that ended without a claim', () => {
  it('is read by the id of its dispatch, and its failed jobs are read once it has completed', () => {
    expect(describeStep(decide(someFacts()))).toBe('need workflowRuns of 77');
    expect(describeStep(decide(seen({ status: 'completed' })))).toBe('need failedJobs of 77');
    expect(describeStep(decide(someFacts(), at(0)))).toBe('nothing');
    expect(describeStep(decide(seen({ status: 'in_progress' })))).toBe('nothing');
  });

  it('is read without a trigger only when no runner has claimed it for 2 min', () => {
    const alone = (ms: number) => describeStep(decideLaunchTrouble(sent.state, someFacts(), at(ms), false));
    expect(alone(119_000)).toBe('nothing');
    expect(alone(120_000)).toBe('need workflowRuns of 77');
  });

  it('is reported at the first failure with reason and link, and the order stays open', () => {
    const run = recorded(sent, failed, at(5_000));
    const [incident] = run.state.incidents;
    expect(incident).toMatchObject({ code: 'launch-failed', detail: { left: 2 } });
    expect(run.state.order?.status).toBe('open');
    const text = renderIncident(String(incident?.seq), run.state);
    expect(text).toContain('no such commit');
    expect(text).toContain('workflow run');
    expect(text).toContain('at most 2 more times');
    expect(describeStep(decide(failed, at(10_000), run))).toBe('nothing');
  });

  it('is reported by its conclusion when its jobs cannot be read', () => {
    const dark = seen({ status: 'completed', conclusion: 'failure' }, new Map([[77, unknown('away')]]));
    expect(decide(dark)).toMatchObject({
      drafts: [{ data: { detail: { why: 'the workflow run ended with failure' } } }],
    });
  });

  it('ends the order after the last dispatch, so that a new approval issues a new order', () => {
    const thrice = sent.dispatched('launch', digest).dispatched('launch', digest);
    const run = recorded(thrice, failed, at(10 * MINUTE));
    expect(run.state.incidents.at(-1)).toMatchObject({ code: 'launch-failed', detail: { left: 0 } });
    expect(run.state.order?.status).toBe('failed');
    expect(run.state.approvals).toEqual([]);
    expect(renderIncident(String(run.state.head.seq), run.state)).toContain('approve again');
  });
});

describe('a launch that waits for a runner', () => {
  const queued = seen({ status: 'queued', conclusion: null });

  it('is reported once per order, after 5 min', () => {
    const minutes = Array.from({ length: 110 }, (_, minute) => minute);
    expect(describeStep(decide(queued, at(5 * MINUTE - 1)))).toBe('nothing');
    const run = minutes.reduce((so, minute) => recorded(so, queued, at(minute * MINUTE)), sent);
    expect(run.state.incidents).toMatchObject([{ code: 'launch-waiting', detail: { orderDigest: digest } }]);
  });

  it('updates its one comment with back-off, and closes it once a runner has claimed the order', () => {
    const run = recorded(sent, queued, at(5 * MINUTE));
    const edits: number[] = [];
    const [incident] = run.state.incidents;
    const from = Date.parse(run.state.head.at);
    const text = `${markerText({ run: run.state.run, kind: 'incident', key: String(incident?.seq), fields: {} })}\n`;
    let comment = aComment(labBot, text, {
      isByOwnLogin: true,
      createdAt: instant(run.state.head.at),
      updatedAt: instant(run.state.head.at),
    });
    const edit = (of: RunBuilder, minute: number) => {
      const step = decideWaitEdit({
        state: of.state,
        facts: queued,
        ownComments: [comment],
        textOf: () => text,
        now: instant(new Date(from + minute * MINUTE).toISOString()),
        memory: NO_ATTEMPTS,
      });
      return step?.kind === 'perform' && step.effect.kind === 'edit-comment' ? step.effect.body : null;
    };
    for (let minute = 0; minute < 110; minute += 1) {
      const body = edit(run, minute);
      if (body === null) continue;
      edits.push(minute);
      expect(body).toContain('is queued');
      comment = { ...comment, body, updatedAt: instant(new Date(from + minute * MINUTE).toISOString()) };
    }
    expect(edits).toEqual([10, 20, 40, 80]);
    expect(edit(run.claimed(), 81)).toContain('Closed: a runner took the order.');
    expect(edit(run.incident('order-expired', { orderDigest: digest, attempt: 1 }), 81)).toContain(
      'Closed: the order is over.',
    );
  });

  it('is not dispatched again, also under a new order after the first has expired', () => {
    const again = sent
      .incident('order-expired', { orderDigest: digest, attempt: 1 })
      .ordered({ issuedAt: '2026-11-21T15:00:00.000Z', expiresAt: '2026-11-21T17:00:00.000Z' });
    const now = instant(new Date(Date.parse(again.state.head.at) + 2 * MINUTE).toISOString());
    const next = (facts: RunFacts) =>
      describeStep(decideLaunch({ state: again.state, facts, config: CONFIG, now, memory: NO_ATTEMPTS }));
    expect(again.state.order?.digest).not.toBe(digest);
    expect(next(someFacts())).toBe('need workflowRuns of 77');
    expect(next(queued)).toBe('nothing');
    expect(next(failed)).toBe('dispatch-workflow launch');
  });
});
