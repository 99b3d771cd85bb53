/**
 * Only workflow runs that ferrybot dispatched count: a run with the same title on another branch replaces no
 * stop or watch.
 */

import { describe, expect, it } from 'vitest';
import { approve, propose, readEventsOf, readState, until, untilState } from '../support/play.ts';
import { holdJobs, listBotTexts, listRepeatedComments, MINUTE, postComment, SHORT_FERRY } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab, type VirtualLabOptions } from '../support/virtual-lab.ts';

const WAYS = [{ server: true }, { server: false }];

async function launched(options: VirtualLabOptions): Promise<{ lab: VirtualLab; run: string; issue: number }> {
  const lab = await openVirtualLab({ ferry: SHORT_FERRY, ...options });
  const { run, pull, issue } = await propose(lab);
  await approve(lab, 'mira', pull);
  await untilState(lab, run, (state) => state.submission !== null, { stepMs: 1_000, limitMs: 60 * MINUTE });
  return { lab, run, issue };
}

type Run = VirtualLab['world']['state']['runs'][number];

const runsOf = (lab: VirtualLab, file: string): readonly Run[] =>
  Object.values(lab.world.state.runs).filter((run) => run.path.endsWith(file) && run.headBranch === 'main');

let nextId = 900_000;

/** A queued run on ada's branch with the same workflow file and title as ferrybot's. */
function squat(lab: VirtualLab, file: string, displayTitle: string): void {
  const like = Object.values(lab.world.state.runs).find((run) => run.path.endsWith('ferrybot-launch.yml'));
  if (like === undefined) throw new Error('there was no launch');
  const workflow = Object.values(lab.world.state.workflows).find(({ path }) => path.endsWith(file));
  if (workflow === undefined) throw new Error(`there is no ${file}`);
  nextId += 1;
  const fake = {
    ...{ ...like, id: nextId, displayTitle, path: workflow.path, workflowId: workflow.id },
    ...{ headBranch: 'ada/quiet', status: 'queued' as const, conclusion: null },
    ...{ createdAtMs: lab.clock.now(), startedAtMs: lab.clock.now(), updatedAtMs: lab.clock.now() },
  };
  Object.assign(lab.world.state.runs, { [nextId]: fake });
}

async function isStopped(lab: VirtualLab, run: string): Promise<boolean> {
  const seen = await lab.engine.observe((await readState(lab, run))?.submission?.jobId ?? '', null);
  return seen.kind === 'found' && seen.status === 'STOPPED';
}

describe('a workflow run with a copied title', () => {
  // threat T150
  it.each(WAYS)('does not prevent the stop of a job (server: $server)', async ({ server }) => {
    const held = holdJobs('watch');
    const { lab, run, issue } = await launched({ server, beforeJob: held.beforeJob });
    await lab.clock.advance(3 * MINUTE);
    for (const title of [`ferrybot stop ${run}`, `stop ${run}`]) squat(lab, 'ferrybot-stop.yml', title);
    await postComment(lab, 'mira', issue, '/stop');
    const asked = lab.clock.now();
    await until(lab, 'the stop', () => isStopped(lab, run), { stepMs: 1_000 });
    expect(lab.clock.now() - asked).toBeLessThanOrEqual(MINUTE);
    await lab.clock.advance(MINUTE);
    expect((await readState(lab, run))?.end?.status).toBe('STOPPED');
    expect(runsOf(lab, 'ferrybot-stop.yml').map(({ conclusion }) => conclusion)).toEqual(['success']);
    expect(listBotTexts(lab, 'ended')).toHaveLength(1);
    held.letGo();
    await lab.clock.advance(20 * MINUTE);
    expect(listRepeatedComments(lab)).toEqual([]);
    await lab.close();
  });

  it.each(WAYS)('does not prevent the watch of a job (server: $server)', async ({ server }) => {
    const lab = await openVirtualLab({ ferry: SHORT_FERRY, server });
    const { run, pull } = await propose(lab);
    await approve(lab, 'mira', pull);
    await until(lab, 'the launch', async () => (await readState(lab, run))?.order !== null, { stepMs: 100 });
    for (const cluster of Object.keys({ local: 0, 'us-central1': 0 }))
      squat(lab, 'ferrybot-watch.yml', `ferrybot watch ${cluster}`);
    await lab.clock.advance(5 * MINUTE);
    expect((await readState(lab, run))?.observation).not.toBeNull();
    await lab.close();
  });
});

describe('an unconfirmed stop', () => {
  it.each(WAYS)('is dispatched again after its workflow run was cancelled (server: $server)', async ({ server }) => {
    const held = holdJobs('watch');
    const stops = holdJobs('stop');
    const beforeJob = async (mode: string): Promise<void> => {
      await held.beforeJob(mode);
      await stops.beforeJob(mode);
    };
    const { lab, run, issue } = await launched({ server, beforeJob });
    await lab.clock.advance(3 * MINUTE);
    await postComment(lab, 'mira', issue, '/stop');
    await until(lab, 'the dispatch', async () => runsOf(lab, 'ferrybot-stop.yml').length === 1, { stepMs: 1_000 });
    const [own] = runsOf(lab, 'ferrybot-stop.yml');
    await lab.clock.advance(5_000);
    Object.assign(own ?? {}, { status: 'completed', conclusion: 'cancelled' });
    await lab.clock.advance(2 * MINUTE);
    expect(runsOf(lab, 'ferrybot-stop.yml').length).toBeGreaterThan(1);
    const ids = (await readEventsOf(lab, run)).flatMap((event) =>
      event.type === 'dispatched' && event.data.workflow === 'stop' ? [event.data.workflowRun] : [],
    );
    expect(ids.slice(0, 2)).toEqual(
      runsOf(lab, 'ferrybot-stop.yml')
        .slice(0, 2)
        .map(({ id }) => id),
    );
    stops.letGo();
    held.letGo();
    await lab.close();
  });

  it('has one comment, edited every ten minutes and closed at the end, and one mention an hour', async () => {
    const held = holdJobs('watch');
    const stops = holdJobs('stop');
    const beforeJob = async (mode: string): Promise<void> => {
      await held.beforeJob(mode);
      await stops.beforeJob(mode);
    };
    const { lab, run, issue } = await launched({ ...LONG, beforeJob, config: await miraInCharge() });
    await lab.clock.advance(2 * MINUTE);
    await postComment(lab, 'mira', issue, '/stop');
    await lab.clock.advance(3 * MINUTE);
    const { texts, mentions } = await watchedFor(lab, 'The stop is not confirmed', 130);
    expect(texts.length).toBeGreaterThanOrEqual(12);
    expect(texts.length).toBeLessThanOrEqual(14);
    expect(mentions).toBe(3);
    const names = runsOf(lab, 'ferrybot-stop.yml').map(
      ({ id }) => new RegExp(`Our stop \\[workflow run ${id}\\]\\(https?://[^)]+/actions/runs/${id}\\) is `),
    );
    expect(names.some((name) => name.test(texts.at(-1) ?? ''))).toBe(true);
    expect(names.length).toBeLessThanOrEqual(9);
    expect((await readState(lab, run))?.end).toBeNull();
    stops.letGo();
    held.letGo();
    await until(lab, 'the end', async () => (await readState(lab, run))?.end?.status === 'STOPPED');
    await lab.clock.advance(12 * MINUTE);
    const [last, ...more] = comments(lab, 'The stop is not confirmed');
    expect(more).toEqual([]);
    expect(last).toContain('Closed: the job ended as STOPPED');
    expect(last).not.toContain('Checked last');
    await lab.close();
  });
});

describe('a watch that does not start', () => {
  it('has one comment, edited every ten minutes and closed at the first observation, and one mention an hour', async () => {
    const held = holdJobs('watch');
    const { lab, run } = await launched({ ...LONG, beforeJob: held.beforeJob, config: await miraInCharge() });
    await lab.clock.advance(15 * MINUTE);
    const { texts, mentions } = await watchedFor(lab, 'The watch has fallen silent', 115);
    expect(texts.length).toBeGreaterThanOrEqual(11);
    expect(texts.length).toBeLessThanOrEqual(13);
    expect(mentions).toBe(3);
    const own = runsOf(lab, 'ferrybot-watch.yml').map(({ id }) => `[workflow run ${id}]`);
    expect(own.some((name) => texts.at(-1)?.includes(`Our watch ${name}`))).toBe(true);
    held.letGo();
    await until(lab, 'a look', async () => (await readState(lab, run))?.observation !== null);
    await lab.clock.advance(12 * MINUTE);
    const [last, ...more] = comments(lab, 'The watch has fallen silent');
    expect(more).toEqual([]);
    expect(last).toContain('Closed: a watch looks at the job again.');
    await lab.close();
  });
});

const LONG = { ferry: { ...SHORT_FERRY, durationMs: 8 * 60 * MINUTE }, sweepMs: 10 * MINUTE };

/** Account ids are the same in each new lab. */
async function miraInCharge(): Promise<(config: string) => string> {
  const lab = await openVirtualLab({});
  const mira = Object.values(lab.world.state.users).find(({ login }) => login === 'mira');
  await lab.close();
  return (config) => config.replace('inCharge: []', `inCharge: [${mira?.id}]`);
}

const comments = (lab: VirtualLab, title: string): readonly string[] =>
  listBotTexts(lab, 'incident').filter((text) => text.includes(title));

/** The texts of the one comment within these minutes, and the number of mentions until then. */
async function watchedFor(
  lab: VirtualLab,
  title: string,
  minutes: number,
): Promise<{ readonly texts: readonly string[]; readonly mentions: number }> {
  const texts = new Set<string>(comments(lab, title));
  for (let minute = 0; minute < minutes; minute += 1) {
    await lab.clock.advance(MINUTE);
    const standing = comments(lab, title);
    expect(standing).toHaveLength(1);
    for (const text of standing) texts.add(text);
  }
  const pages = listBotTexts(lab, 'notice').filter(
    (text) => text.includes('needs a person') && text.includes(title) && text.includes('@'),
  );
  return { texts: [...texts], mentions: pages.length };
}
