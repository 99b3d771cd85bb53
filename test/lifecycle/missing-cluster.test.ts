/**
 * A cluster is removed from the config while a job runs on it: the job is unreachable, and people are told
 * so.
 */

import { afterEach, describe, expect, it } from 'vitest';
import { CONFIG_PATH } from '../../src/app/config-source.ts';
import { twoLanes } from '../support/lanes.ts';
import { approve, readEventsOf, readState, until } from '../support/play.ts';
import { listRecordedAnswers, postedEvents } from '../support/recorded.ts';
import {
  HOUR,
  listRepeatedComments,
  MINUTE,
  postComment,
  pushFile,
  readBranchFile,
  SHORT_FERRY,
} from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

let lab: VirtualLab;
afterEach(async () => {
  expect(listRepeatedComments(lab)).toEqual([]);
  expect(lab.world.state.unserved).toEqual([]);
  await lab.close();
});

/** The second lane's job runs on its own cluster, long enough to remove the cluster and restore it. */
async function jobOnItsOwnCluster(): Promise<{ run: string; pull: number; issue: number }> {
  const ferry = { ...SHORT_FERRY, durationMs: 8 * HOUR, runName: 'ferry_canary_125m_2026-11-21' };
  lab = await openVirtualLab({ ferry, config: twoLanes() });
  await lab.dispatchDaily();
  const run = `ferry-canary-${new Date(lab.clock.now()).toISOString().slice(0, 10).replaceAll('-', '')}`;
  await until(lab, 'the gates', async () => (await readState(lab, run))?.gate?.digest != null);
  const { pull, issue } = (await readState(lab, run))?.proposal ?? { pull: 0, issue: 0 };
  await approve(lab, 'mira', pull, run);
  await until(lab, 'a look', async () => (await readState(lab, run))?.observation != null, { stepMs: 5_000 });
  return { run, pull, issue };
}

/** Moves both lanes to the first cluster and removes the second. */
const oneCluster = (both: string): string =>
  both.replace(/^ {2}us-east1:\n(?: {4}.*\n|\n(?= {4}))*/m, '').replaceAll('us-east1', 'us-central1');

/** Returns the config from before. */
async function takeOutItsCluster(): Promise<string> {
  const both = (await readBranchFile(lab, 'main', CONFIG_PATH)) ?? '';
  expect(oneCluster(both)).not.toBe(both);
  await pushFile(lab, 'mira', 'main', CONFIG_PATH, oneCluster(both));
  await lab.clock.advance(5 * MINUTE);
  return both;
}

async function putBack(config: string): Promise<void> {
  await pushFile(lab, 'mira', 'main', CONFIG_PATH, config);
  await lab.clock.advance(5 * MINUTE);
}

async function ask(thread: number, text: string) {
  const comment = await postComment(lab, 'mira', thread, text);
  await lab.clock.advance(5 * MINUTE);
  return listRecordedAnswers(lab, comment);
}

const runsOf = (file: string): number =>
  Object.values(lab.world.state.runs).filter(({ path }) => path.endsWith(file)).length;

const jobStatus = async (run: string): Promise<string> => {
  const seen = await lab.engine.observe((await readState(lab, run))?.submission?.jobId ?? '', null);
  return seen.kind === 'found' ? seen.status : seen.kind;
};

describe('a cluster that is removed from the config while a job runs on it', () => {
  it('is reported once and in each /stop answer, and the stop is executed once the cluster is restored', async () => {
    const { run, issue } = await jobOnItsOwnCluster();
    const both = await takeOutItsCluster();
    expect(await postedEvents(lab, 'incident')).toEqual(['cluster-missing']);
    const waits = [{ code: 'stop-requested', detail: { missingCluster: 'us-east1' } }];
    expect(await ask(issue, '/stop')).toMatchObject(waits);
    await lab.clock.advance(3 * HOUR);
    expect(await ask(issue, '/stop')).toMatchObject(waits);
    expect(await postedEvents(lab, 'incident')).toEqual(['cluster-missing']);
    expect(runsOf('ferrybot-stop.yml')).toBe(0);
    expect(await jobStatus(run)).toBe('RUNNING');

    await putBack(both);
    expect(await jobStatus(run)).toBe('STOPPED');
    await until(lab, 'its end', async () => (await readState(lab, run))?.end != null);
    expect((await readState(lab, run))?.end?.status).toBe('STOPPED');
    expect(await postedEvents(lab, 'incident')).toEqual(['cluster-missing', 'cluster-back']);
  });

  it('is watched again when it is restored, and reported again when it is removed again', async () => {
    const { run } = await jobOnItsOwnCluster();
    const looks = async (): Promise<number> =>
      (await readEventsOf(lab, run)).filter(({ type }) => type === 'observed').length;
    const both = await takeOutItsCluster();
    const before = await looks();
    await lab.clock.advance(HOUR);
    expect(await looks()).toBe(before);
    await putBack(both);
    await lab.clock.advance(30 * MINUTE);
    expect(await looks()).toBeGreaterThan(before);
    await takeOutItsCluster();
    const told = ['cluster-missing', 'cluster-back', 'cluster-missing'];
    expect(await postedEvents(lab, 'incident')).toEqual(told);
  });
});
