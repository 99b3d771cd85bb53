/**
 * The order of the steps of every action: nothing is called before the claim is recorded, and the result is
 * recorded in any case.
 */

import { describe, expect, it } from 'vitest';
import {
  type Action,
  type ActionContext,
  type ClaimBasis,
  executeAction,
  type Refusal,
} from '../../src/actions/pipeline.ts';
import { GitError } from '../../src/domain/git.ts';
import { limits } from '../../src/domain/limits.ts';
import type { EventDraft } from '../../src/domain/logbook/define.ts';
import { brandAs, isInstant, isRunId } from '../../src/domain/values.ts';
import type { AppendResult } from '../../src/logbook/chain.ts';

const RUN = brandAs('ferry-daily-20261121', isRunId);
const CLAIM: EventDraft = {
  type: 'incident',
  role: 'runner',
  data: { code: 'launch-unreadable', detail: { why: 'the claim' } },
};
const END: EventDraft = {
  type: 'incident',
  role: 'runner',
  data: { code: 'launch-unreadable', detail: { why: 'the end' } },
};
const REFUSAL: Refusal = { kind: 'refused', code: 'held', why: 'for mira', effect: 'standing' };
const APPENDED: AppendResult = { kind: 'appended', seqs: new Map([[RUN, [7]]]) };

type World = {
  readonly action?: Partial<Action<string, string, { readonly kind: 'done' }>>;
  /** Answers to the appends in turn; the last one repeats. */
  readonly appends?: readonly AppendResult[];
  /** The record does not verify from this load on. */
  readonly brokenFrom?: number;
};

/** The steps in order, and the outcome. */
async function played({ action = {}, appends = [APPENDED], brokenFrom = 99 }: World = {}) {
  const steps: string[] = [];
  let loads = 0;
  let appended = 0;
  const noted =
    <Args extends readonly unknown[], Answer>(name: string, answer: (...args: Args) => Answer) =>
    (...args: Args): Answer => {
      steps.push(name);
      return answer(...args);
    };
  const place: ActionContext = {
    file: RUN,
    now: () => brandAs(1, isInstant),
    redact: (text) => text.replace('mira', '***'),
    fault: () => (loads >= brokenFrom ? { ...REFUSAL, code: 'order-unknown' } : null),
    record: {
      append: async ([entry]) => {
        const [draft] = entry?.drafts ?? [];
        const detail = draft?.type === 'incident' ? draft.data.detail : {};
        steps.push(`append ${String(detail['why'])}`);
        const result = appends[Math.min(appended, appends.length - 1)] ?? APPENDED;
        appended += 1;
        return result;
      },
      load: async () => {
        steps.push('load');
        loads += 1;
      },
    },
  };
  const all: Action<string, string, { readonly kind: 'done' }> = {
    find: () => ({ kind: 'found', target: 'a', isClaimed: false }),
    verify: async () => null,
    prepare: async () => ({ kind: 'ready', ready: 'b' }),
    claim: async () => ({ kind: 'claim', draft: CLAIM }),
    perform: async () => ({ draft: END, outcome: { kind: 'done' } }),
    checkEarlierClaim: async () => ({ kind: 'under-way' }),
    recordRefusal: () => null,
    discard: async () => undefined,
    ...action,
  };
  const outcome = await executeAction(place, {
    ...all,
    verify: noted('verify', all.verify),
    prepare: noted('prepare', all.prepare),
    claim: noted('claim', all.claim),
    perform: noted('perform', all.perform),
    checkEarlierClaim: noted('look back', all.checkEarlierClaim),
    discard: noted('discard', all.discard),
  }).catch((error: unknown) => error);
  return { steps, outcome };
}

const FRESH = ['verify', 'prepare', 'claim', 'append the claim', 'load'];

describe('an action without a claim', () => {
  it('is verified, prepared, claimed, performed after another check of the record, and recorded', async () => {
    const { steps, outcome } = await played();
    expect(steps).toEqual([...FRESH, 'perform', 'append the end']);
    expect(outcome).toEqual({ kind: 'done' });
  });

  it('is not performed if the record does not verify after the claim', async () => {
    const { steps, outcome } = await played({ brokenFrom: 1 });
    expect(steps).toEqual([...FRESH, 'discard']);
    expect(outcome).toEqual({ kind: 'refused', code: 'order-unknown', why: 'for ***' });
  });

  it('is verified again after a lost race, and given up when the logbook keeps moving', async () => {
    const once = await played({ appends: [{ kind: 'conflict' }, APPENDED] });
    expect(once.steps).toEqual([...FRESH, 'discard', ...FRESH, 'perform', 'append the end']);
    const always = await played({ appends: [{ kind: 'conflict' }] });
    expect(always.steps.filter((step) => step === 'verify')).toHaveLength(limits.appendTriesMax);
    expect(always.steps).not.toContain('perform');
    expect(always.steps.at(-1)).toBe('discard');
    expect(String(always.outcome)).toContain('so nothing was called: the logbook kept moving');
  });

  it('is not performed if its claim is refused or fails', async () => {
    const message = 'the disk is full';
    const refused = await played({ appends: [{ kind: 'refused', message }] });
    expect(refused.steps).toEqual([...FRESH.slice(0, -1), 'discard']);
    expect(refused.outcome).toBeInstanceOf(GitError);
    expect(String(refused.outcome)).toContain('nothing was called: the disk is full');
    const failed = await played({ appends: [{ kind: 'failed', message }] });
    expect(failed.steps).toEqual(FRESH.slice(0, -1));
    expect(String(failed.outcome)).toContain('could not be recorded: the disk is full');
  });

  it.each([
    ['verify', ['verify']],
    ['prepare', ['verify', 'prepare']],
    ['claim', ['verify', 'prepare', 'claim', 'discard']],
  ] as const)('that %s refuses is recorded as refused if that ends it, and not performed', async (at, before) => {
    const { steps, outcome } = await played({ action: { [at]: async () => REFUSAL, recordRefusal: () => END } });
    expect(steps).toEqual([...before, 'append the end']);
    expect(outcome).toEqual({ kind: 'refused', code: 'held', why: 'for ***' });
  });

  it('is not verified if the record is broken or does not contain the action', async () => {
    expect((await played({ brokenFrom: 0 })).steps).toEqual([]);
    expect((await played({ action: { find: () => REFUSAL } })).steps).toEqual([]);
  });
});

describe('an action with an earlier claim', () => {
  const claimed = { find: () => ({ kind: 'found', target: 'a', isClaimed: true }) as const };

  it('is first searched for, and resumed without another claim if it is in progress', async () => {
    expect((await played({ action: claimed })).steps).toEqual(['look back', 'prepare', 'perform', 'append the end']);
  });

  it('that has ended is recorded, and nothing is performed', async () => {
    const ending = { draft: END, outcome: { kind: 'done' } } as const;
    const over = { ...claimed, checkEarlierClaim: async () => ({ kind: 'over', ending }) as const };
    expect((await played({ action: over })).steps).toEqual(['look back', 'append the end']);
  });

  it('that is pending is performed after verification, and only resumed if verification refuses it', async () => {
    const unders: ClaimBasis[] = [];
    const perform: Action<string, string, { readonly kind: 'done' }>['perform'] = async (_, __, under) => {
      unders.push(under);
      return { draft: END, outcome: { kind: 'done' } };
    };
    const waits = { ...claimed, perform, checkEarlierClaim: async () => ({ kind: 'waits' }) as const };
    const steps = ['look back', 'verify', 'prepare', 'perform', 'append the end'];
    expect((await played({ action: waits })).steps).toEqual(steps);
    expect((await played({ action: { ...waits, verify: async () => REFUSAL } })).steps).toEqual(steps);
    await played({ action: { ...claimed, perform } });
    const refusal = { draft: null, outcome: { kind: 'refused', code: 'held', why: 'for ***' } };
    expect(unders).toEqual([
      { kind: 'claimed-before' },
      { kind: 'begun-before', refusal },
      { kind: 'begun-before', refusal: null },
    ]);
  });

  it('that did not start is performed after verification, unless the lookup finds an objection', async () => {
    const begun = { ...claimed, checkEarlierClaim: async () => ({ kind: 'not-begun', bar: null }) as const };
    expect((await played({ action: begun })).steps).toEqual([
      'look back',
      'verify',
      'prepare',
      'perform',
      'append the end',
    ]);
    const refused = { ...begun, verify: async () => REFUSAL };
    expect((await played({ action: refused })).steps).toEqual(['look back', 'verify']);
    const bar = { draft: END, outcome: { kind: 'refused', code: 'submit-unknown', why: '' } } as const;
    const barred = { ...claimed, checkEarlierClaim: async () => ({ kind: 'not-begun', bar }) as const };
    expect((await played({ action: barred })).steps).toEqual(['look back', 'verify', 'append the end']);
  });
});

describe('the end of an action', () => {
  const ends = (...later: readonly AppendResult[]): World => ({ appends: [APPENDED, ...later] });

  it('is recorded after entries that another process wrote in the meantime', async () => {
    const { steps, outcome } = await played(ends({ kind: 'conflict' }, APPENDED));
    expect(steps).toEqual([...FRESH, 'perform', 'append the end', 'load', 'append the end']);
    expect(outcome).toEqual({ kind: 'done' });
  });

  it('is not recorded again if another process recorded it', async () => {
    let looks = 0;
    const find = () => {
      looks += 1;
      return looks === 1 ? ({ kind: 'found', target: 'a', isClaimed: false } as const) : REFUSAL;
    };
    expect((await played({ action: { find } })).steps).toEqual([...FRESH, 'perform']);
  });

  it.each([
    [{ kind: 'conflict' }, GitError],
    [{ kind: 'refused', message: 'protected' }, GitError],
    [{ kind: 'failed', message: 'illegal' }, Error],
  ] as const)('is no success if it cannot be recorded (%o)', async (result, type) => {
    const { outcome } = await played(ends(result));
    expect(outcome).toBeInstanceOf(type);
    expect(String(outcome)).toContain('could not be recorded');
  });
});
