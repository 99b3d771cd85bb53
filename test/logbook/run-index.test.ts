/** Which runs a process reads from a record with several lanes, and that no run can be hidden by others. */

import { describe, expect, it } from 'vitest';
import type { SeenMark } from '../../src/app/record-marks.ts';
import { EMPTY_JOURNAL } from '../../src/domain/logbook/journal-state.ts';
import { listFolders, type RunIndex, runsToRead } from '../../src/logbook/segments.ts';

const day = (number: number): string => `202611${String(number).padStart(2, '0')}`;
const days = (lane: string, from: number, to: number): readonly string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `ferry-${lane}-${day(from + index)}`);
// Only the run name and the writer of a mark matter here.
const marked = (runs: readonly string[], role = 'control'): readonly SeenMark[] =>
  runs.map((run) => ({ mark: { run, role } }) as unknown as SeenMark);
const at = (runs: readonly string[], launched: boolean): readonly object[] =>
  runs.map((run) => ({ run, firstEntryAt: '2026-11-01T09:00:00.000Z', seq: 3, hash: 'f', launched }));
const checkpointed = (ended: readonly string[], live: readonly string[] = []): RunIndex =>
  ({
    proposingSince: new Map(),
    checkpoint: {
      at: '2026-12-01T09:00:00.000Z',
      ended: new Map(at(ended, true).map((one) => [(one as { run: string }).run, one])),
      live: at(live, true),
    },
  }) as unknown as RunIndex;

describe('the runs that are read', () => {
  it('are the newest by date, for any lane names', () => {
    const live = `ferry-canary-20240101-${day(29)}`;
    const read = runsToRead(marked([live, ...days('daily', 1, 28), ...days('weekly', 1, 28)]), EMPTY_JOURNAL);
    expect(read).toHaveLength(40);
    expect(read[0]).toBe(live);
    expect(read).toContain(`ferry-daily-${day(10)}`);
    expect(read).not.toContain(`ferry-weekly-${day(2)}`);
  });

  it('include every lane, even if another lane has many newer runs', () => {
    const standing = `ferry-canary-${day(1)}`;
    const marks = marked([standing, ...days('daily', 1, 30), ...days('weekly', 1, 30)]);
    const read = runsToRead(marks, EMPTY_JOURNAL);
    expect(read).toContain(standing);
    expect(read).toHaveLength(40);
  });

  it('include all launched runs that have not ended, of any age, and the newest ended runs', () => {
    const live = [...days('canary', 1, 25), ...days('weekly', 1, 25)];
    const past = days('daily', 1, 60);
    const read = runsToRead(marked(live, 'runner'), checkpointed(past));
    expect(read.slice(0, 50).toSorted()).toEqual([...live].toSorted());
    expect(read.slice(50)).toEqual(past.slice(-40).toReversed());
  });

  it('include forty launched and ended runs per lane, enough to add up a month', () => {
    const over = days('weekly', 1, 50).map((run) => ({ mark: { run, role: 'runner', isComplete: true } }) as never);
    const read = runsToRead(over, checkpointed(days('daily', 1, 50)));
    expect(read).toHaveLength(80);
    expect(read).toContain(`ferry-weekly-${day(11)}`);
    expect(read).toContain(`ferry-daily-${day(11)}`);
  });

  it('include all recently launched runs, even if a stolen control key proposed many newer ones', () => {
    const launched = days('canary', 1, 30);
    const proposed = Array.from({ length: 100 }, (_, index) => `ferry-lane${index}-20991231`);
    const marks = [...marked([...proposed, ...launched]), ...marked(launched, 'runner')];
    expect(runsToRead(marks, EMPTY_JOURNAL).slice(0, 30)).toEqual(launched.toReversed());
  });

  it('include runs without a mark that the journal names: live at the checkpoint, or started since', () => {
    const live = `ferry-canary-${day(1)}`;
    const begun = new Map([[`ferry-daily-${day(30)}`, '2026-11-30T23:59:59.000Z']]);
    const index = { ...checkpointed([], [live]), proposingSince: begun };
    expect(runsToRead([], index)).toEqual([live, ...begun.keys()]);
    expect(listFolders([], index).get(live)).toEqual([`runs/2026/11/${live}`]);
    // Its first entry may be in the next month.
    const folders = ['11', '12'].map((month) => `runs/2026/${month}/ferry-daily-${day(30)}`);
    expect(listFolders([], index).get(`ferry-daily-${day(30)}`)).toEqual(folders);
  });
});
