/** Forged failures signed with a stolen key cause no second job and no more jobs than approved. */

import { expect, it } from 'vitest';
import { filterIncidents } from '../../src/domain/incidents.ts';
import type { EventDataByType, EventDraft } from '../../src/domain/logbook/define.ts';
import type { RecordedDiagnosis } from '../../src/domain/logbook/events/job-events.ts';
import { forge, type Pushing } from '../campaign/forging.ts';
import { approve, propose, readState, until, untilState } from '../support/play.ts';
import { endedData } from '../support/run-drafts.ts';
import { MINUTE, SHORT_FERRY } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

const PREEMPTED: RecordedDiagnosis = {
  class: 'preempted',
  confidence: 'high',
  response: 'retry-bounded',
  place: null,
  error: null,
  evidence: ['the slice was preempted'],
};

type Forged = { readonly lab: VirtualLab; readonly run: string };

async function running(durationMs: number): Promise<Forged> {
  const lab = await openVirtualLab({ ferry: { ...SHORT_FERRY, durationMs } });
  const { run, pull } = await propose(lab);
  await approve(lab, 'mira', pull);
  await untilState(lab, run, (state) => state.observation?.firstStepCompleted === true);
  return { lab, run };
}

/** Signed with the watch key. */
async function forgeEnd({ lab, run }: Forged, change: Partial<EventDataByType['ended']> = {}): Promise<boolean> {
  const state = await readState(lab, run);
  if (state === null) throw new Error('no run');
  const pushing: Pushing = {
    lab,
    deeds: [],
    ask: async (_, method, path, body) => ({ status: 200, json: await lab.as('ada', method, path, body) }),
  };
  const told = { status: 'FAILED', diagnosis: PREEMPTED, lastStep: 10, ...change } as const;
  const data = { ...endedData(state), ...told, fence: state.fence + 1 };
  return forge(pushing, run, [{ type: 'ended', role: 'watch', data }]);
}

async function refusalsOf({ lab, run }: Forged): Promise<readonly string[]> {
  const state = await readState(lab, run);
  return filterIncidents(state?.incidents ?? [], 'runner-refused').map(({ detail }) => detail.reason);
}

// threat T183
it('a forged preemption of a running job, signed with the stolen watch key, starts no second job', async () => {
  const forged = await running(6 * 60 * MINUTE);
  expect(await forgeEnd(forged)).toBe(true);
  await forged.lab.clock.advance(30 * MINUTE);
  expect(await refusalsOf(forged)).toEqual(['attempt-live']);
  expect(forged.lab.engine.startCount()).toBe(1);
  await forged.lab.close();
});

// threat T185
it('a forged preemption of a job that succeeded starts no other job', async () => {
  const forged = await running(30 * MINUTE);
  const { lab, run } = forged;
  const jobId = (await readState(lab, run))?.submission?.jobId ?? '';
  let isOver = false;
  while (!isOver) {
    await lab.clock.advance(5_000);
    const seen = await lab.engine.observe(jobId, null);
    isOver = seen.kind === 'found' && seen.status === 'SUCCEEDED';
  }
  expect(await forgeEnd(forged)).toBe(true);
  await lab.clock.advance(30 * MINUTE);
  expect(await refusalsOf(forged)).toEqual(['attempt-otherwise']);
  expect(lab.engine.startCount()).toBe(1);
  await lab.close();
});

// threat T186
it('forged diagnoses of consecutive failures start no more jobs than the approved restarts', async () => {
  const forged = await running(6 * 60 * MINUTE);
  const { lab, run } = forged;
  for (let attempt = 1; attempt <= 4; attempt += 1) {
    const state = await readState(lab, run);
    const jobId = state?.submission?.jobId;
    if (jobId !== undefined && state?.end === null) {
      lab.engine.failNow(jobId, 1);
      await forgeEnd(forged, {
        lastStep: attempt * 10,
        diagnosis: { ...PREEMPTED, evidence: [`machine ${'abcd'[attempt - 1]} was preempted`] },
      });
    }
    await lab.clock.advance(20 * MINUTE);
  }
  expect(lab.engine.startCount()).toBe(2);
  await lab.close();
});

it('a forged `/relaunch` answer, signed with the stolen control key, starts nothing', async () => {
  const line = 'OSError: [Errno 28] No space left on device';
  const lab = await openVirtualLab({ ferry: { ...SHORT_FERRY, failAt: { step: 100, line, exitCode: 1 } } });
  const { run, pull, issue } = await propose(lab);
  const approving = await approve(lab, 'mira', pull);
  await until(lab, 'the end', async () => (await readState(lab, run))?.end != null);
  await lab.clock.advance(5 * MINUTE);
  const given = (await readState(lab, run))?.approvals[0];
  if (given === undefined) throw new Error('no approval');
  const said = { comment: approving, surface: 'comment', index: 7, thread: issue } as const;
  const { bodyDigest, actor } = given;
  const pushing: Pushing = {
    lab,
    deeds: [],
    ask: async (_, method, path, body) => ({ status: 200, json: await lab.as('ada', method, path, body) }),
  };
  const drafts: readonly EventDraft[] = [
    { type: 'command-seen', role: 'control', actor, data: { ...said, name: 'relaunch', args: {}, bodyDigest } },
    {
      type: 'command-answered',
      role: 'control',
      data: { ...said, code: 'relaunch-asked', detail: { attempt: 2, left: 1 } },
    },
  ];
  expect(await forge(pushing, run, drafts)).toBe(true);
  await lab.clock.advance(30 * MINUTE);
  expect(await refusalsOf({ lab, run })).toEqual(['relaunch-not-due']);
  expect(lab.engine.startCount()).toBe(1);
  await lab.close();
});
