/** A scheduled day without a ferry gets one notice: what the lane waits for, and who can provide it. */

import { afterEach, describe, expect, it } from 'vitest';
import { Crash } from '../support/crash.ts';
import { approveAndFinish, playFerry, propose, readEventsOf, readState, until } from '../support/play.ts';
import { DAY, HOUR, listBotComments, listRepeatedComments, MINUTE, postComment, SHORT_FERRY } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

const oneCandidate = (config: string): string =>
  config.replace(/^( {4}candidates:\n)((?: {6}.*\n)*)/m, (_all, head: string, rows: string) => {
    const [first = ''] = rows.split(/(?=^ {6}- id:)/m);
    return `${head}${first.replace(/values: \[.*\]/, "values: ['2.5e-3']")}`;
  });
const noCandidates = (config: string): string =>
  config.replace(/^ {4}candidates:\n(?: {6}.*\n)*/m, '    candidates: []\n');

let lab: VirtualLab;
afterEach(async () => {
  expect(listRepeatedComments(lab)).toEqual([]);
  expect(lab.world.state.unserved).toEqual([]);
  await lab.close();
});

/** The next morning at six, when the daily workflow runs. */
async function nextMorning(): Promise<void> {
  await lab.clock.skip(Math.ceil(lab.clock.now() / DAY) * DAY + 6 * HOUR - lab.clock.now());
  await lab.dispatchDaily();
  await lab.clock.advance(45 * MINUTE);
}

const notices = (): readonly { readonly thread: number; readonly text: string }[] =>
  listBotComments(lab)
    .filter(({ kind }) => kind === 'notice')
    .map(({ thread, text }) => ({ thread, text }));

const redRuns = (): readonly string[] =>
  Object.values(lab.world.state.runs)
    .filter(({ conclusion }) => conclusion === 'failure')
    .map(({ path }) => path);

describe('a lane blocked by an open run', () => {
  it('posts one notice a day that names the run, the pending command and who may post it', async () => {
    lab = await openVirtualLab({ ferry: SHORT_FERRY });
    const { run, pull } = await propose(lab);
    await approveAndFinish(lab, run, pull);
    await lab.clock.advance(HOUR);
    expect(notices()).toEqual([]);

    await nextMorning();
    await lab.dispatchDaily();
    await lab.clock.advance(45 * MINUTE);
    const [first, ...others] = notices();
    expect(others).toEqual([]);
    expect(first?.thread).toBe(pull);
    expect(first?.text).toContain(`No ferry in the lane \`daily\` on 2026-11-22`);
    expect(first?.text).toContain(`\`${run}\``);
    expect(first?.text).toContain('`/seal` by a person with maintain permission');

    await nextMorning();
    expect(notices()).toHaveLength(2);
    expect(notices()[1]?.text).toContain('on 2026-11-23');

    await postComment(lab, 'mira', pull, '/seal');
    await until(lab, 'the seal', async () => (await readState(lab, run))?.seal != null, { stepMs: 5_000 });
    await nextMorning();
    expect(await readState(lab, 'ferry-daily-20261124')).not.toBeNull();
    expect(notices()).toHaveLength(2);
  });

  it("names the approval that yesterday's proposal is waiting for", async () => {
    lab = await openVirtualLab({ ferry: SHORT_FERRY });
    const { run, pull } = await propose(lab);
    await nextMorning();
    const [told] = notices();
    expect(told?.thread).toBe(pull);
    const digest = (await readState(lab, run))?.gate?.digest ?? '';
    expect(told?.text).toContain(`\`/approve-launch ${digest.slice('sha256:'.length, 'sha256:'.length + 32)}`);
    expect(told?.text).toContain('a person with maintain permission who is not an author of this change');
  });

  it('posts the notice once even if the posting process crashes before or after it', async () => {
    const crashes = new Set(['before', 'after']);
    let isOn = false;
    lab = await openVirtualLab({
      ferry: SHORT_FERRY,
      atBoundary: (_process, kind, moment) => {
        if (isOn && kind === 'post-comment' && crashes.delete(moment)) throw new Crash();
      },
    });
    const { run } = await propose(lab);
    isOn = true;
    await nextMorning();
    await lab.clock.advance(2 * HOUR);
    expect([...crashes]).toEqual([]);
    expect(notices()).toHaveLength(1);
    expect((await readEventsOf(lab, run)).filter(({ type }) => type === 'notified')).toHaveLength(1);
  });

  it('posts no notice while the lane is on hold', async () => {
    lab = await openVirtualLab({ ferry: SHORT_FERRY });
    const { pull } = await propose(lab);
    await postComment(lab, 'mira', pull, '/hold lane=daily reason="the cluster is moved"');
    await lab.clock.advance(MINUTE);
    await nextMorning();
    expect(notices()).toEqual([]);
  });
});

describe('a day without a due candidate', () => {
  it("gets one notice in the last ferry's thread, and the workflow succeeds", async () => {
    lab = await openVirtualLab({ ferry: SHORT_FERRY, config: oneCandidate });
    const { pull } = await playFerry(lab);
    await nextMorning();
    await lab.dispatchDaily();
    await lab.clock.advance(45 * MINUTE);
    const [told, ...others] = notices();
    expect(others).toEqual([]);
    expect(told?.thread).toBe(pull);
    expect(told?.text).toContain('No ferry in the lane `daily` on 2026-11-22');
    expect(told?.text).toContain('`/propose');
    expect(redRuns()).toEqual([]);
    await nextMorning();
    expect(notices()).toHaveLength(2);
  });

  it('gets its notice in a separate issue if the lane never had a ferry', async () => {
    lab = await openVirtualLab({ ferry: SHORT_FERRY, config: noCandidates });
    await lab.dispatchDaily();
    await lab.clock.advance(MINUTE);
    await lab.dispatchDaily();
    await lab.clock.advance(MINUTE);
    const [told, ...others] = notices();
    expect(others).toEqual([]);
    const issue = Object.values(lab.world.state.issues).find(({ number }) => number === told?.thread);
    expect(issue).toMatchObject({ pull: null, state: 'open' });
    expect(redRuns()).toEqual([]);
    await nextMorning();
    expect(notices().map(({ thread }) => thread)).toEqual([told?.thread, told?.thread]);
  });
});
