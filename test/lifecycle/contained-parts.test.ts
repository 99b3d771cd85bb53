/**
 * A bug that one comment, file, lane, cluster or command triggers affects only that part, and is reported
 * once.
 */

import { afterEach, describe, expect, it, vi } from 'vitest';
import type { RunState } from '../../src/domain/logbook/run-state.ts';
import { twoLanes } from '../support/lanes.ts';
import { approve, playFerry, propose, readEventsOf, readState, until, untilState } from '../support/play.ts';
import {
  listAnswersTo,
  MINUTE,
  nextMorning,
  openExperiment,
  postComment,
  pushFile,
  SHORT_FERRY,
} from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

const seam = vi.hoisted(() => ({
  said: '',
  file: '',
  owed: '',
  cadence: '',
  lane: '',
  request: 0,
  completed: [] as string[],
  words: (): string => 'a bug of the day',
}));

/** The module with one function that throws if `isBad` returns true. */
async function throwing(
  original: () => Promise<unknown>,
  name: string,
  isBad: (...args: readonly never[]) => boolean,
): Promise<object> {
  const whole = (await original()) as Record<string, (...args: readonly never[]) => unknown>;
  const inner = whole[name];
  return {
    ...whole,
    [name]: (...args: readonly never[]): unknown => {
      if (isBad(...args)) throw new TypeError(seam.words());
      return inner?.(...args);
    },
  };
}

vi.mock('../../src/commands/grammar/read-comment.ts', (original) =>
  throwing(
    original,
    'readCommentWithinBounds',
    (_: never, body: string) => seam.said !== '' && body.includes(seam.said),
  ),
);
vi.mock('../../src/app/record-check.ts', (original) =>
  throwing(original, 'findMissingMarkedEntries', (_: never, { run }: { readonly run: string }) => run === seam.file),
);
vi.mock('../../src/run/publications.ts', (original) =>
  throwing(original, 'listPublications', (state: RunState) => state.run === seam.owed),
);
vi.mock('../../src/watch/cadence.ts', (original) =>
  throwing(original, 'nextCheckAt', (state: RunState) => state.run === seam.cadence),
);
vi.mock('../../src/app/propose/begin.ts', (original) =>
  throwing(original, 'resumeProposal', ({ config }: { readonly config: { readonly laneName: string } }) => {
    seam.completed.push(config.laneName);
    return config.laneName === seam.lane;
  }),
);
vi.mock('../../src/app/propose/outcome.ts', (original) =>
  throwing(
    original,
    'carryOutRequest',
    (_: never, command: { readonly comment: number }) => command.comment === seam.request,
  ),
);

let lab: VirtualLab;
afterEach(async () => {
  Object.assign(seam, { said: '', file: '', owed: '', cadence: '', lane: '', request: 0 });
  seam.words = () => 'a bug of the day';
  await lab.close();
});

/** Comments in a thread about an internal error of the bot. */
const toldIn = (thread: number): readonly string[] =>
  Object.values(lab.world.state.comments)
    .filter(({ issueNumber, body }) => issueNumber === thread && body.includes('had an internal error'))
    .map(({ body }) => body);

/** The faults in the journal, each with its run. */
const recorded = async (): Promise<readonly string[]> =>
  (await readEventsOf(lab, 'journal')).flatMap(({ type, data }) => {
    const { detail } = data as { readonly detail?: { readonly run: string; readonly fault: string } };
    return type === 'incident' ? [`${detail?.run} ${detail?.fault.replace(/-[0-9a-f]+$/, '')}`] : [];
  });

const failures = (): number => lab.log.filter((line) => line.includes('a trigger failed: AggregateError')).length;

/** Two lanes on one cluster, so that one watch observes both jobs. */
const onOneCluster = (config: string): string =>
  twoLanes()(config).replace(/^( {4}cluster: )us-east1$/m, '$1us-central1');

async function nextDay(): Promise<void> {
  await nextMorning(lab);
  await pushFile(lab, 'ada', 'main', 'lib/smalllab/note.py', '"""A change of the day."""\n');
}

describe('a comment that cannot be parsed', () => {
  it("does not block other commands in a run's thread, and is reported with the next step", async () => {
    lab = await openVirtualLab({ ferry: SHORT_FERRY });
    const { run, pull } = await propose(lab);
    seam.said = 'knurz1';
    const before = await postComment(lab, 'mira', pull, '/status');
    const bad = await postComment(lab, 'mira', pull, '/status knurz1');
    const after = await postComment(lab, 'ada', pull, '/status');
    await lab.clock.advance(70 * MINUTE);
    expect([before, bad, after].map((one) => listAnswersTo(lab, one).length)).toEqual([1, 0, 1]);
    const told = toldIn(pull);
    expect(told).toHaveLength(1);
    expect(told[0]).toContain(`The comment \`comment-${bad}\` could not be processed`);
    expect(told[0]).toContain('write the command again in a new comment');
    expect(await recorded()).toEqual([`${run} look-failed`]);
    expect(failures()).toBeGreaterThan(0);
    seam.said = '';
    await lab.clock.advance(40 * MINUTE);
    expect(listAnswersTo(lab, bad)).toHaveLength(1);
  });

  it("does not block other commands in an experiment's thread or in other threads", async () => {
    lab = await openVirtualLab({ ferry: SHORT_FERRY });
    const [first, second] = [await openExperiment(lab, 'One'), await openExperiment(lab, 'Two')];
    seam.said = 'knurz2';
    const bad = await postComment(lab, 'mira', first, '/status knurz2');
    const here = await postComment(lab, 'mira', first, '/status');
    const there = await postComment(lab, 'ada', second, '/status');
    await lab.clock.advance(70 * MINUTE);
    expect([bad, here, there].map((one) => listAnswersTo(lab, one).length)).toEqual([0, 1, 1]);
    expect(toldIn(first)).toEqual([expect.stringContaining(`\`comment-${bad}\``)]);
    expect(await recorded()).toEqual(['journal look-failed']);
  });

  it('is reported once if its error messages differ only in a number', async () => {
    lab = await openVirtualLab({ ferry: SHORT_FERRY });
    const { pull } = await propose(lab);
    let times = 0;
    seam.words = () => {
      times += 1;
      return `timed out after ${30_000 + times} ms`;
    };
    seam.said = 'knurz4';
    await postComment(lab, 'mira', pull, '/status knurz4');
    await lab.clock.advance(3 * 60 * MINUTE);
    expect(times).toBeGreaterThan(2);
    expect(toldIn(pull)).toHaveLength(1);
  });
});

describe('a failure in one run', () => {
  it('of reading its record is reported in its thread, blocks launches, and lets other threads be answered', async () => {
    lab = await openVirtualLab({ ferry: SHORT_FERRY });
    const older = await playFerry(lab);
    await nextDay();
    const newer = await propose(lab);
    seam.file = older.run;
    // ferrybot reads a verified record again only after another push.
    await pushFile(lab, 'ada', 'ferrybot/logbook', 'notes.md', 'the disk was full\n');
    const asked = await postComment(lab, 'mira', newer.pull, '/status');
    await lab.clock.advance(40 * MINUTE);
    expect(listAnswersTo(lab, asked)).toHaveLength(1);
    expect(toldIn(older.pull)).toEqual([expect.stringContaining('could not be read')]);
    expect(toldIn(older.pull)[0]).toContain('ferrybot logbook verify');
    expect(await recorded()).toEqual([`${older.run} read-failed`]);
    expect(failures()).toBeGreaterThan(0);
    // The record may contain a running job, so nothing is launched meanwhile.
    await approve(lab, 'mira', newer.pull, newer.run);
    await lab.clock.advance(40 * MINUTE);
    expect((await readEventsOf(lab, newer.run)).some(({ type }) => type === 'ordered')).toBe(false);
    seam.file = '';
    await lab.clock.advance(40 * MINUTE);
    await approve(lab, 'mira', newer.pull, newer.run);
    await until(lab, 'the launch', async () => (await readState(lab, newer.run))?.submission !== null);
    expect(toldIn(older.pull)).toHaveLength(1);
  });

  it('of computing its pending posts does not block the answers of other runs', async () => {
    lab = await openVirtualLab({ ferry: SHORT_FERRY });
    const older = await playFerry(lab);
    await nextDay();
    const newer = await propose(lab);
    // The newest run is processed first; a sweep and a push process all runs.
    seam.owed = newer.run;
    const asked = await postComment(lab, 'mira', older.pull, '/status');
    await until(lab, 'an answer', () => listAnswersTo(lab, asked).length > 0, { limitMs: 60 * MINUTE });
    await lab.clock.advance(35 * MINUTE);
    expect(toldIn(newer.pull)).toHaveLength(1);
    expect(toldIn(older.pull)).toEqual([]);
  });

  it('of scheduling its next observation does not stop the watch of another job', async () => {
    lab = await openVirtualLab({ ferry: SHORT_FERRY, config: onOneCluster });
    await lab.dispatchDaily();
    const day = new Date(lab.clock.now()).toISOString().slice(0, 10).replaceAll('-', '');
    const [bad, good] = [`ferry-canary-${day}`, `ferry-daily-${day}`];
    for (const run of [bad, good]) {
      await until(lab, `gates of ${run}`, async () => (await readState(lab, run))?.gate?.digest != null);
      await approve(lab, 'mira', (await readState(lab, run))?.proposal.pull ?? 0, run);
    }
    for (const run of [bad, good]) await untilState(lab, run, (state) => state.observation != null, { stepMs: 10_000 });

    seam.cadence = bad;
    await until(lab, 'the end of the other', async () => (await readState(lab, good))?.end != null);
    const thread = (await readState(lab, bad))?.proposal.pull ?? 0;
    expect(toldIn(thread)).toHaveLength(1);
    expect((await readState(lab, bad))?.end).toBeNull();
    seam.cadence = '';
    await until(lab, 'the end of this one', async () => (await readState(lab, bad))?.end != null);
  });
});

describe('a failure in one lane', () => {
  it('of completing its proposal does not block other lanes, and is reported once', async () => {
    lab = await openVirtualLab({ ferry: SHORT_FERRY, config: twoLanes() });
    const { run, pull } = await propose(lab);
    seam.lane = 'daily';
    seam.completed.length = 0;
    await lab.clock.advance(70 * MINUTE);
    expect(seam.completed.slice(0, 2)).toEqual(['daily', 'canary']);
    // The lane has no thread of its own, so the newest run's thread gets the notice.
    const told = Object.values(lab.world.state.comments).filter(({ body }) => body.includes('The lane `daily` could'));
    expect(told).toHaveLength(1);
    expect([pull, (await readState(lab, run.replace('daily', 'canary')))?.proposal.pull]).toContain(
      told[0]?.issueNumber,
    );
  });
});

describe('a failing /propose', () => {
  it('does not block a later /propose, and is reported in its own thread', async () => {
    lab = await openVirtualLab({ ferry: SHORT_FERRY, config: twoLanes() });
    const [first, second] = [await openExperiment(lab, 'One'), await openExperiment(lab, 'Two')];
    // The id is predictable because no other comment is posted meanwhile.
    seam.request = 1 + (await postComment(lab, 'ada', second, 'I try two things'));
    const bad = await postComment(lab, 'ada', first, '/propose lane=daily');
    expect(bad).toBe(seam.request);
    const good = await postComment(lab, 'ada', second, '/propose lane=canary');
    await until(lab, 'an answer', () => listAnswersTo(lab, good).length > 0, { limitMs: 90 * MINUTE });
    expect(listAnswersTo(lab, bad)).toEqual([]);
    await lab.clock.advance(40 * MINUTE);
    expect(toldIn(first)).toEqual([expect.stringContaining(`\`comment-${bad}\``)]);
    seam.request = 0;
    await until(lab, 'the other answer', () => listAnswersTo(lab, bad).length > 0, { limitMs: 90 * MINUTE });
  });
});
