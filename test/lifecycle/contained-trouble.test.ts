/** A bug that one run triggers is reported once in that run's thread and recorded; other runs continue. */

import { afterEach, describe, expect, it, vi } from 'vitest';
import { CONFIG_PATH } from '../../src/app/config-source.ts';
import {
  approve,
  logbookText,
  playFerry,
  propose,
  readEventsOf,
  readState,
  until,
  untilState,
} from '../support/play.ts';
import {
  listAnswersTo,
  MINUTE,
  nextMorning,
  postComment,
  pushFile,
  readBranchFile,
  SHORT_FERRY,
} from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

const seam = vi.hoisted(() => ({ card: '', look: '' }));

vi.mock('../../src/render/card.ts', async (original) => {
  const whole = await original<typeof import('../../src/render/card.ts')>();
  return {
    ...whole,
    renderCard: (input: Parameters<typeof whole.renderCard>[0]): string => {
      if (input.state.run === seam.card) throw new TypeError('no card today \ud83d');
      return whole.renderCard(input);
    },
  };
});

vi.mock('../../src/watch/observation.ts', async (original) => {
  const whole = await original<typeof import('../../src/watch/observation.ts')>();
  return {
    ...whole,
    buildEvents: (...args: Parameters<typeof whole.buildEvents>): ReturnType<typeof whole.buildEvents> => {
      if (args[0].run === seam.look) throw new TypeError('no look today');
      return whole.buildEvents(...args);
    },
  };
});

afterEach(() => {
  seam.card = '';
  seam.look = '';
});

/** Comments in a thread about something that could not be processed. */
const toldIn = (lab: VirtualLab, thread: number): readonly string[] =>
  Object.values(lab.world.state.comments)
    .filter((comment) => comment.issueNumber === thread && comment.body.includes('could not be processed'))
    .map(({ body }) => body);

const failuresIn = async (lab: VirtualLab): Promise<readonly object[]> =>
  (await readEventsOf(lab, 'journal')).filter(
    ({ type, data }) => type === 'incident' && JSON.stringify(data).includes('look-failed'),
  );

describe('a run with a card that cannot be rendered', () => {
  it('reports this once and records it, and ferrybot still checks a config branch after it', async () => {
    const lab = await openVirtualLab({ ferry: SHORT_FERRY });
    const { run, pull } = await propose(lab);
    seam.card = run;
    const asked = await postComment(lab, 'mira', pull, '/status');
    const sha = (await lab.store.refs('refs/heads/main')).get('refs/heads/main');
    await lab.as('ada', 'POST', '/git/refs', { ref: 'refs/heads/stricter', sha });
    const config = (await readBranchFile(lab, 'main', CONFIG_PATH)) ?? '';
    await pushFile(lab, 'ada', 'stricter', CONFIG_PATH, `${config}# a comment\n`);
    await lab.clock.advance(40 * MINUTE);
    expect(Object.values(lab.world.state.checkRuns).filter(({ name }) => name === 'ferrybot / config')).toHaveLength(1);
    const told = toldIn(lab, pull);
    expect(told).toHaveLength(1);
    expect(told[0]).toContain('no card today');
    expect(told[0]?.isWellFormed()).toBe(true);
    const recorded = await failuresIn(lab);
    expect(recorded).toEqual([
      expect.objectContaining({ data: expect.objectContaining({ detail: expect.objectContaining({ run }) }) }),
    ]);
    // The trigger fails, and a failed pass does not start the next one.
    const failed = lab.log.filter((line) => line.includes('a trigger failed: AggregateError'));
    expect(failed.length).toBeGreaterThan(0);
    expect(failed.length).toBeLessThan(20);
    // After the fix, the commands that were posted meanwhile are answered.
    seam.card = '';
    await lab.clock.advance(40 * MINUTE);
    expect(listAnswersTo(lab, asked)).toHaveLength(1);
    expect(toldIn(lab, pull)).toHaveLength(1);
    await lab.close();
  });

  it('does not block answers in other runs, and alarms about a damaged record are posted first', async () => {
    const lab = await openVirtualLab({ ferry: SHORT_FERRY });
    const older = await playFerry(lab);
    await nextMorning(lab);
    await pushFile(lab, 'ada', 'main', 'lib/smalllab/note.py', '"""A change of the day."""\n');
    const newer = await propose(lab);
    // The newest run is processed first.
    seam.card = newer.run;
    const before = lab.log.length;
    const asked = await postComment(lab, 'mira', older.pull, '/status');
    // The card shows the hold, so it is rendered again.
    await postComment(lab, 'mira', newer.pull, '/hold reason="not today"');
    const failed = (): boolean => lab.log.slice(before).some((line) => line.includes('a look failed'));
    await until(lab, 'an answer', () => listAnswersTo(lab, asked).length > 0 && failed(), { limitMs: 60 * MINUTE });
    expect(toldIn(lab, older.pull)).toEqual([]);
    const told = lab.log.length;
    const path = `runs/2026/11/${older.run}/events.jsonl`;
    await pushFile(lab, 'ada', 'ferrybot/logbook', path, `${await logbookText(lab, older.run)}junk\n`);
    await postComment(lab, 'mira', newer.pull, '/unhold');
    const since = (): readonly string[] => lab.log.slice(told);
    const alarm = (line: string): boolean => line.includes('a fault is to be reported');
    const failure = (line: string): boolean => line.includes('a look failed');
    await until(lab, 'both', () => since().some(alarm) && since().some(failure), { limitMs: 60 * MINUTE });
    expect(since().findIndex(alarm)).toBeLessThan(since().findIndex(failure));
    const texts = Object.values(lab.world.state.comments).filter(({ issueNumber }) => issueNumber === older.pull);
    expect(texts.filter(({ body }) => body.includes('does not verify'))).toHaveLength(1);
    await lab.close();
  });
});

describe('a job with a failing observation', () => {
  it("is reported once with the watch's key, and is watched to its end after the fix", async () => {
    const lab = await openVirtualLab({ ferry: SHORT_FERRY });
    const { run, pull } = await propose(lab);
    await approve(lab, 'mira', pull);
    await untilState(lab, run, (state) => state.observation != null, { stepMs: MINUTE });
    seam.look = run;
    await lab.clock.advance(20 * MINUTE);
    expect(toldIn(lab, pull)).toEqual([expect.stringContaining('no look today')]);
    expect(await failuresIn(lab)).toEqual([expect.objectContaining({ role: 'watch' })]);
    seam.look = '';
    await until(lab, 'the end', async () => (await readState(lab, run))?.end?.status === 'SUCCEEDED');
    expect(toldIn(lab, pull)).toHaveLength(1);
    await lab.close();
  });
});
