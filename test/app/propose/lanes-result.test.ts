/** What the job of the scheduled workflow tells of several lanes: it is red where one of them failed, and names them all. */

import { expect, it } from 'vitest';
import { resultOfLanes } from '../../../src/app/action/run-action.ts';
import type { LaneProposal } from '../../../src/app/propose/propose.ts';
import { branded, isRunId, type RunId } from '../../../src/domain/ids.ts';

const run = (name: string): RunId => branded(name, isRunId);
const DAILY: LaneProposal = {
  lane: 'daily',
  outcome: { kind: 'proposed', run: run('ferry-daily-20261121'), pull: 4, issue: 3 },
};
const WAITS: LaneProposal = { lane: 'canary', outcome: { kind: 'not-due', why: 'on mondays' } };
const HELD: LaneProposal = {
  lane: 'weekly',
  outcome: { kind: 'held', why: 'hold on the lane by mira: wait' },
};
const FAILED: LaneProposal = {
  lane: 'hourly',
  outcome: { kind: 'failed', code: 'unreadable', why: 'GitHub is away' },
};

it('is that of the lane where there is one', () => {
  expect(resultOfLanes([WAITS])).toMatchObject({ ok: true, result: 'not-due', detail: 'on mondays' });
});

it('is a proposal where there is one, and says what became of every lane', () => {
  expect(resultOfLanes([WAITS, HELD, DAILY])).toMatchObject({
    ok: true,
    result: 'proposed',
    run: 'ferry-daily-20261121',
    detail: 'canary: not-due on mondays; weekly: held hold on the lane by mira: wait; daily: proposed',
  });
});

it('is a failure where one lane failed, whatever the others did', () => {
  expect(resultOfLanes([DAILY, FAILED])).toMatchObject({
    ok: false,
    result: 'unreadable',
    run: 'ferry-daily-20261121',
    detail: 'daily: proposed; hourly: unreadable GitHub is away',
  });
});
