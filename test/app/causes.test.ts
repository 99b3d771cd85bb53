/** Which causes a trigger gives a run to decide. */

import { describe, expect, it } from 'vitest';
import { listCauses, noteReconciled } from '../../src/app/control/reconcile-run.ts';
import type { ReconcileRequest } from '../../src/domain/reconcile-request.ts';
import { brandAs, isInstant } from '../../src/domain/values.ts';
import { buildAgenda, type Cause, listCausesOfStep } from '../../src/run/reconcile.ts';
import { append, NO_ATTEMPTS } from '../../src/run/step.ts';
import { CONFIG, runWithGates } from '../run/parts.ts';
import { aRun } from '../support/run-builder.ts';
import { bob } from '../support/run-drafts.ts';
import { NOON } from '../support/run-facts.ts';

const { state } = runWithGates();
const COMMENT = { kind: 'comment', surface: 'comment', comment: 5, hasSlash: true } as const;

function causesAfter(settledBy: readonly Cause[], ...triggers: readonly ReconcileRequest[]): readonly Cause[] {
  const look = { now: NOON, poster: NO_ATTEMPTS, settled: new Map() };
  noteReconciled(look, state, state, { outcome: 'settled', causes: settledBy });
  const { logbookBranch } = CONFIG;
  return listCauses(look, state, { triggers, mayHaveEnded: false, areHoldsNew: false, logbookBranch });
}

describe('a trigger', () => {
  it('causes the commented run to read its commands, and no other run to do anything', () => {
    const { pull } = state.proposal;
    expect(causesAfter(['facts'], { ...COMMENT, thread: pull })).toEqual(['comments']);
    expect(causesAfter(['facts'], { ...COMMENT, thread: pull + 1_000 })).toEqual([]);
  });

  it('causes all decisions after a change of the thread, and in a sweep before the launch', () => {
    expect(causesAfter(['facts'], { kind: 'thread', thread: state.proposal.pull })).toEqual(['facts']);
    expect(causesAfter(['facts'], { kind: 'sweep' })).toEqual(['facts']);
  });

  it('causes decisions on entries of other processes only if the last turn was not limited to a comment', () => {
    const push = { kind: 'push', ref: `refs/heads/${CONFIG.logbookBranch}` } as const;
    expect(causesAfter(['facts'], push)).toEqual([]);
    expect(causesAfter(['comments'], push)).not.toEqual([]);
  });
});

describe('a sweep after the launch', () => {
  const running = aRun().gated().approved(bob).ordered().submitted().state;
  const now = brandAs(Date.parse(running.head.at), isInstant);
  const causes = (settled: Parameters<typeof listCauses>[0]['settled']): readonly Cause[] =>
    listCauses({ now, poster: NO_ATTEMPTS, settled }, running, {
      ...{ triggers: [{ kind: 'sweep' }], mayHaveEnded: false, areHoldsNew: false },
      logbookBranch: CONFIG.logbookBranch,
    });

  it('reads the threads in a process that has not read them, however new the newest entry is', () => {
    expect(causes(new Map())).toEqual(['facts']);
  });

  it('reads no thread in a process that has read them', () => {
    const settled = new Map();
    const look = { now, poster: NO_ATTEMPTS, settled };
    noteReconciled(look, running, running, { outcome: 'settled', causes: ['facts'] });
    expect(causes(settled)).not.toContain('facts');
  });
});

describe('a step', () => {
  it('triggers only the deciders that declared the recorded event: one for an answer, several for gates', () => {
    const answer = { comment: 5, surface: 'comment', index: 0, thread: 1, code: 'status-shown', detail: {} } as const;
    const answered = listCausesOfStep(append({ type: 'command-answered', role: 'control', data: answer }));
    expect(answered).toEqual(['command-answered']);
    expect(buildAgenda(answered).due.size).toBe(1);
    expect(buildAgenda(['gated']).due.size).toBeGreaterThan(1);
    expect(buildAgenda(['facts']).areGatesDue).toBe(true);
  });
});
