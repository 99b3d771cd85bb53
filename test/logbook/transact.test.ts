/** How `transact` handles each answer of the record, for any process. */

import { describe, expect, it } from 'vitest';
import { limits } from '../../src/domain/limits.ts';
import type { EventDraft } from '../../src/domain/logbook/define.ts';
import { EMPTY_JOURNAL, type JournalState } from '../../src/domain/logbook/journal-state.ts';
import { brandAs, isInstant, isRunId } from '../../src/domain/values.ts';
import { type Entry, recordDecision, recordEntries, recordForRun } from '../../src/logbook/append.ts';
import type { AppendResult } from '../../src/logbook/chain.ts';

const RUN = brandAs('ferry-daily-20261121', isRunId);
const DRAFT: EventDraft = {
  type: 'incident',
  role: 'control',
  data: { code: 'launch-unreadable', detail: { why: '' } },
};
const ENTRY: Entry = { run: RUN, drafts: [DRAFT] };
const APPENDED: AppendResult = { kind: 'appended', seqs: new Map([[RUN, [7]]]) };
const CONFLICT: AppendResult = { kind: 'conflict' };

/** A record that gives these answers in turn, the last one repeatedly; each load finds it changed. */
function recordWith(...answers: readonly AppendResult[]) {
  const pushed: (readonly Entry[])[] = [];
  let current = { runs: [], journal: EMPTY_JOURNAL as JournalState };
  let loads = 0;
  const store = {
    append: async (entries: readonly Entry[]) => {
      pushed.push(entries);
      return answers[Math.min(pushed.length, answers.length) - 1] ?? APPENDED;
    },
    load: async () => {
      loads += 1;
      current = { ...current };
    },
    current: () => current,
  };
  return { store, lab: { now: () => brandAs(1, isInstant) }, pushed, loads: () => loads };
}

describe('transact', () => {
  it('returns the sequence numbers of the recorded events', async () => {
    const recorded = await recordDecision(recordWith(APPENDED), () => [ENTRY]);
    expect(recorded).toEqual({ kind: 'recorded', seqs: new Map([[RUN, [7]]]) });
  });

  it('pushes nothing without a decision, and no file without an event', async () => {
    const record = recordWith(APPENDED);
    expect(await recordDecision(record, () => [{ run: 'journal', drafts: [] }])).toEqual({ kind: 'nothing' });
    expect(record.pushed).toEqual([]);
    await recordDecision(record, () => [ENTRY, { run: 'journal', drafts: [] }]);
    expect(record.pushed).toEqual([[ENTRY]]);
    expect(await recordForRun(record, RUN, () => [DRAFT])).toEqual({ kind: 'nothing' });
  });

  it('reads the record and decides again after a lost race', async () => {
    const record = recordWith(CONFLICT, APPENDED);
    let decisions = 0;
    const recorded = await recordDecision(record, () => {
      decisions += 1;
      return [ENTRY];
    });
    expect([recorded.kind, decisions, record.loads()]).toEqual(['recorded', 2, 1]);
  });

  it('is refused after one refusal of the remote, and after too many lost races', async () => {
    const refused: AppendResult = { kind: 'refused', message: 'the branch is protected' };
    const record = recordWith(refused);
    expect(await recordDecision(record, () => [ENTRY])).toEqual(refused);
    expect(record.pushed).toHaveLength(1);
    const busy = recordWith(CONFLICT);
    expect(await recordDecision(busy, () => [ENTRY])).toMatchObject({ kind: 'refused' });
    expect(busy.pushed).toHaveLength(limits.appendTriesMax);
  });

  it('throws and names the event when the record cannot accept it', async () => {
    const failed = recordDecision(recordWith({ kind: 'failed', message: 'no rule' }), () => [ENTRY]);
    await expect(failed).rejects.toThrow(`incident of ${RUN} could not be recorded: no rule`);
  });

  it('records an earlier decision only on the record that it was based on', async () => {
    const record = recordWith(CONFLICT, APPENDED);
    expect(await recordEntries(record, [ENTRY])).toEqual({ kind: 'nothing' });
    expect(record.pushed).toHaveLength(1);
    expect(record.loads()).toBe(1);
  });
});
