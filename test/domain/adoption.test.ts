/** What the record takes about a job that is to be taken over, and how it stands in it from then on. */

import { describe, expect, it } from 'vitest';
import { isAdopted, NO_COMMIT, NO_ORDER } from '../../src/domain/logbook/adoption.ts';
import type { EventDataByType, EventDraft, LogbookEvent } from '../../src/domain/logbook/event.ts';
import { foldOne } from '../../src/domain/logbook/fold.ts';
import { watchedClusters } from '../../src/domain/logbook/liveness.ts';
import { nextAttempt, type RunState } from '../../src/domain/logbook/run-state.ts';
import { aRun } from '../support/run-builder.ts';
import { alice } from '../support/run-drafts.ts';

const JOB = { jobId: 'ray-run-ada-sweep-20261121-051716', cluster: 'us-central1' };
const TOLD: EventDataByType['described'] = {
  found: 'described',
  why: '',
  engine: 'ray',
  status: 'RUNNING',
  since: null,
  submitter: 'ada',
  entrypoint: 'python a.py',
  commit: null,
  commitIsHere: false,
  session: 'session_1',
  urls: {},
};
const proposed = aRun().state;
const asked: RunState = { ...proposed, gate: null, proposal: { ...proposed.proposal, adopts: JOB } };

/** The record after one more entry, or the rule that it breaks. */
function withEntry(state: RunState, draft: EventDraft): RunState | string {
  const event = {
    v: 1,
    run: state.run,
    seq: state.head.seq + 1,
    at: '2026-11-21T09:00:00.000Z',
    prev: '',
    keyId: '',
    hash: '',
    sig: '',
    ...draft,
  } as LogbookEvent;
  const folded = foldOne(state, event);
  return folded.ok ? folded.value : folded.error.rule;
}
const told = (changes: Partial<typeof TOLD> = {}): EventDraft => ({
  type: 'described',
  role: 'watch',
  data: { ...TOLD, ...changes },
});
const adopts = (described: number): EventDraft => ({
  type: 'adopted',
  role: 'control',
  actor: alice,
  data: { described },
});
const stateOf = (result: RunState | string): RunState => {
  if (typeof result === 'string') throw new Error(result);
  return result;
};

describe('a job that is to be taken over', () => {
  const described = stateOf(withEntry(asked, told()));
  const entry = described.description?.seq ?? -1;
  const adopted = stateOf(withEntry(described, adopts(entry)));

  it('is asked about by a watch of its cluster until the cluster says what it is', () => {
    expect(watchedClusters(asked)).toEqual(['us-central1']);
    const unknown = stateOf(withEntry(asked, told({ found: 'unknown' })));
    expect(watchedClusters(unknown)).toEqual(['us-central1']);
    expect(watchedClusters(described)).toEqual([]);
    expect(watchedClusters(adopted)).toEqual(['us-central1']);
  });

  it('stands as attempt 1 under an order that nobody gave, and is its owner’s', () => {
    expect(adopted.submission).toMatchObject({
      attempt: 1,
      ...JOB,
      commit: NO_COMMIT,
      orderDigest: NO_ORDER,
    });
    expect(isAdopted(adopted)).toBe(true);
    expect(adopted.watch.owner).toEqual(alice);
    expect(adopted.order).toMatchObject({ status: 'submitted', manifest: null, order: { approvals: [] } });
    expect(nextAttempt(adopted.order)).toBe(2);
  });

  it.each<[string, RunState, EventDraft, RegExp]>([
    ['a word of a cluster about a run of ours', proposed, told(), /no job is to be taken over/],
    ['a second word', described, told(), /described before/],
    ['a word by control', asked, { ...told(), role: 'control' }, /control may not write described/],
    [
      'an adoption by the watch',
      described,
      { ...adopts(entry), role: 'watch' },
      /watch may not write adopted/,
    ],
    ['an adoption of another entry', described, adopts(entry + 1), /not described so/],
    ['an adoption before the cluster spoke', asked, adopts(1), /not described so/],
    [
      'an adoption of nothing',
      stateOf(withEntry(asked, told({ found: 'absent' }))),
      adopts(entry),
      /not described so/,
    ],
    ['a second adoption', adopted, adopts(entry), /no job is to be taken over/],
    [
      'an adoption by nobody',
      described,
      { type: 'adopted', role: 'control', data: { described: entry } },
      /by nobody/,
    ],
    [
      'an adoption after a stop',
      { ...described, stop: { actor: alice, at: '', comment: 1, seq: 1 } },
      adopts(entry),
      /after a stop/,
    ],
    [
      'gates before it',
      described,
      {
        type: 'gated',
        role: 'control',
        data: { digest: null, manifest: null, commit: NO_COMMIT, body: NO_ORDER, verdicts: [] },
      },
      /before the job was taken over/,
    ],
  ])('takes no %s', (_what, state, draft, rule) => {
    expect(withEntry(state, draft)).toMatch(rule);
  });
});
