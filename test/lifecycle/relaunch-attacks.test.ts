/** Holds, expired approvals and the quorum between a failure and the next attempt. */

import { describe, expect, it } from 'vitest';
import { filterIncidents } from '../../src/domain/incidents.ts';
import { ferryScript, type JobScript } from '../support/ferry-script.ts';
import { approve, type Ferry, propose, readEventsOf, readState, until } from '../support/play.ts';
import { commentAndReadCode, postedEvents } from '../support/recorded.ts';
import {
  HOUR,
  holdJobs,
  listBotTexts,
  MINUTE,
  postComment,
  pushExperiment,
  readBody,
  SHORT_FERRY,
} from '../support/talk.ts';
import { openVirtualLab } from '../support/virtual-lab.ts';

const DISK = 'OSError: [Errno 28] No space left on device';
const PREEMPTED = 'trainer Received a preemption notice: this TPU slice was preempted by the cloud';

/** The first attempt fails with this line, the next one succeeds. */
function dyingOf(line: string): () => JobScript {
  let started = 0;
  return () => {
    started += 1;
    return ferryScript({ ...SHORT_FERRY, failAt: started === 1 ? { step: 400, line, exitCode: 1 } : null });
  };
}

const answer = ({ lab, issue }: Ferry, who: 'mira' | 'ada' | 'ravi', words: string) =>
  commentAndReadCode(lab, who, issue, words);

/** The approval line in the answer to a bare `/relaunch`. */
async function shownLine(played: Ferry): Promise<string> {
  await answer(played, 'mira', '/relaunch');
  const line = /\/relaunch [0-9a-f]{32}/.exec(listBotTexts(played.lab, 'answer').at(-1) ?? '')?.[0] ?? '';
  expect(line).not.toBe('');
  return line;
}

async function runs({ lab, run }: Ferry): Promise<void> {
  await until(lab, 'a step', async () => (await readState(lab, run))?.observation?.firstStepCompleted === true);
}

async function failed({ lab, run }: Ferry): Promise<void> {
  await until(lab, 'the end', async () => (await readEventsOf(lab, run)).some(({ type }) => type === 'ended'));
}

it('beyond the approved restarts, an author of the change cannot request the next attempt', async () => {
  const config = (text: string): string =>
    text.replace('restartsMax: 1', 'restartsMax: 0').replace('permission: maintain', 'permission: write');
  const lab = await openVirtualLab({ script: dyingOf(DISK), config });
  const played = { lab, ...(await propose(lab)) };
  await pushExperiment(lab, played.run, (text) => `${text}# as before\n`);
  await lab.clock.advance(5 * MINUTE);
  await approve(lab, 'mira', played.pull);
  await runs(played);
  await failed(played);
  await lab.clock.advance(5 * MINUTE);
  const line = await shownLine(played);
  expect(await answer(played, 'ada', line)).toBe('approval-by-author');
  await lab.clock.advance(30 * MINUTE);
  expect(lab.engine.startCount()).toBe(1);
  expect(await answer(played, 'mira', line)).toBe('relaunch-asked');
  await lab.close();
});

describe('beyond the approved restarts with a quorum of two', () => {
  /** Approved by two people; the first attempt fails, and no restart was approved. */
  async function play(): Promise<Ferry & { readonly line: string }> {
    const config = (text: string): string =>
      text
        .replace('maxAgeHours: 24', 'maxAgeHours: 2')
        .replace('restartsMax: 1', 'restartsMax: 0')
        .replace('quorum: 1', 'quorum: 2')
        .replace('permission: maintain', 'permission: write');
    const lab = await openVirtualLab({ script: dyingOf(DISK), config });
    const played = { lab, ...(await propose(lab)) };
    await approve(lab, 'mira', played.pull);
    await lab.clock.advance(MINUTE);
    await approve(lab, 'ada', played.pull);
    await runs(played);
    // No later attempt exists yet that a /revoke could prevent.
    expect(await answer(played, 'mira', '/revoke')).toBe('too-late');
    await failed(played);
    await lab.clock.advance(5 * MINUTE);
    const line = await shownLine(played);
    return { ...played, line };
  }

  async function starts({ lab }: Ferry): Promise<number> {
    await lab.clock.advance(30 * MINUTE);
    return lab.engine.startCount();
  }

  it('the next attempt starts after the second approval', async () => {
    const played = await play();
    expect(await answer(played, 'mira', played.line)).toBe('relaunch-asked');
    expect(await answer(played, 'mira', played.line)).toBe('relaunch-asked');
    expect(await starts(played)).toBe(1);
    expect(await answer(played, 'ada', played.line)).toBe('relaunch-asked');
    expect(await starts(played)).toBe(2);
    await played.lab.close();
  });

  // threat T131
  it('an expired approval does not count, and counts again after the same person repeats it', async () => {
    const played = await play();
    await answer(played, 'mira', played.line);
    await played.lab.clock.advance(3 * HOUR);
    expect(await answer(played, 'ada', played.line)).toBe('relaunch-asked');
    expect(await starts(played)).toBe(1);
    expect(listBotTexts(played.lab, 'drop').at(-1)).toContain('older than this lab allows');
    expect(await answer(played, 'mira', played.line)).toBe('relaunch-asked');
    expect(await starts(played)).toBe(2);
    await played.lab.close();
  });

  // threat T132
  it("/revoke revokes the user's own approval, or everyone's if a maintainer without an approval posts it", async () => {
    const played = await play();
    await answer(played, 'ada', played.line);
    // mira's approval of the first attempt does not count as her own here.
    expect(await answer(played, 'mira', '/revoke')).toBe('revoked');
    expect(await answer(played, 'mira', played.line)).toBe('relaunch-asked');
    expect(await answer(played, 'mira', '/revoke')).toBe('revoked');
    expect(await answer(played, 'ada', played.line)).toBe('relaunch-asked');
    expect(await answer(played, 'ada', '/revoke')).toBe('revoked');
    expect(await answer(played, 'mira', played.line)).toBe('relaunch-asked');
    expect(await starts(played)).toBe(1);
    expect(await answer(played, 'ada', played.line)).toBe('relaunch-asked');
    expect(await starts(played)).toBe(2);
    await played.lab.close();
  });
});

describe('an automatic restart', () => {
  async function play(
    beforeJob: (mode: string) => Promise<void> = () => Promise.resolve(),
    config: (text: string) => string = (text) => text,
  ): Promise<Ferry> {
    const lab = await openVirtualLab({ script: dyingOf(PREEMPTED), beforeJob, config });
    const played = { lab, ...(await propose(lab)) };
    await approve(lab, 'mira', played.pull);
    await runs(played);
    return played;
  }

  // threat T133
  // rule HR-50
  it.each([
    ['/hold reason="the cluster moves"', 'held'],
    ['/revoke', 'revoked'],
    ['/hold lane=daily reason="the cluster moves"', 'held'],
  ])('is not done after %s during the attempt, and the incident reports it', async (brake, says) => {
    const played = await play();
    const { lab, run } = played;
    expect(await answer(played, 'mira', brake)).toBe(says);
    await failed(played);
    await lab.clock.advance(30 * MINUTE);
    expect(lab.engine.startCount()).toBe(1);
    const state = await readState(lab, run);
    // Control knew about it too, so the launcher did not have to refuse.
    expect(filterIncidents(state?.incidents ?? [], 'runner-refused')).toEqual([]);
    expect((await postedEvents(lab, 'incident')).join()).toContain('relaunch-refused');
    await lab.close();
  });

  it('is done if the hold was lifted before the failure', async () => {
    const played = await play();
    const { lab } = played;
    await answer(played, 'mira', '/hold reason="the cluster moves"');
    await answer(played, 'mira', '/unhold');
    await failed(played);
    await lab.clock.advance(30 * MINUTE);
    expect(lab.engine.startCount()).toBe(2);
    await until(lab, 'the second end', async () => (await readState(lab, played.run))?.end != null);
    expect(await answer(played, 'mira', '/hold reason="wait"')).toBe('too-late');
    await lab.close();
  });

  // threat T130
  it('needs a person if the approvals expired before the runner was available', async () => {
    const { beforeJob, letGo } = holdJobs('launch');
    let hasFailed = false;
    const played = await play(
      (mode) => (hasFailed ? beforeJob(mode) : Promise.resolve()),
      (text) => text.replace('maxAgeHours: 24', 'maxAgeHours: 2'),
    );
    const { lab } = played;
    hasFailed = true;
    await failed(played);
    await lab.clock.advance(5 * HOUR);
    letGo();
    await lab.clock.advance(HOUR);
    expect(lab.engine.startCount()).toBe(1);
    await lab.close();
  });
});

describe('between the order of another attempt and its launch', () => {
  type Ordered = Ferry & { readonly approving: number; readonly asking: number };

  const deeds: readonly (readonly [string, string, (played: Ordered) => Promise<unknown>])[] = [
    [
      'the pull request is closed',
      PREEMPTED,
      ({ lab, pull }) => lab.as('ada', 'PATCH', `/pulls/${pull}`, { state: 'closed' }),
    ],
    [
      'its description is edited',
      PREEMPTED,
      ({ lab, pull }) => lab.as('ada', 'PATCH', `/pulls/${pull}`, { body: `${readBody(lab, pull)} more` }),
    ],
    ['its branch is moved', PREEMPTED, ({ lab, run }) => pushExperiment(lab, run, (text) => `${text}# more\n`)],
    [
      'the approving comment is deleted',
      PREEMPTED,
      ({ lab, approving }) => lab.as('ada', 'DELETE', `/issues/comments/${approving}`),
    ],
    ['the `/relaunch` is deleted', DISK, ({ lab, asking }) => lab.as('ada', 'DELETE', `/issues/comments/${asking}`)],
    [
      'the `/relaunch` is edited',
      DISK,
      ({ lab, asking }) => lab.as('ada', 'PATCH', `/issues/comments/${asking}`, { body: '/relaunch reason="no"' }),
    ],
  ];

  // threat T129
  it.each(deeds)('starts nothing if %s', async (_, line, deed) => {
    const { beforeJob, letGo, waiting } = holdJobs('launch');
    let hasFailed = false;
    const lab = await openVirtualLab({
      script: dyingOf(line),
      beforeJob: (mode) => (hasFailed ? beforeJob(mode) : Promise.resolve()),
    });
    const played = { lab, ...(await propose(lab)) };
    const approving = await approve(lab, 'mira', played.pull);
    await runs(played);
    hasFailed = true;
    await failed(played);
    await lab.clock.advance(MINUTE);
    const asking = line === DISK ? await postComment(lab, 'ada', played.issue, '/relaunch') : 0;
    await until(lab, 'the order', () => waiting() > 0);
    await deed({ ...played, approving, asking });
    letGo();
    await lab.clock.advance(3 * HOUR);
    expect(lab.engine.startCount()).toBe(1);
    await lab.close();
  });
});
