import { describe, expect, it } from 'vitest';
import { lastPass, provenBase } from '../../src/run/last-pass.ts';
import { aRun, type RunBuilder } from '../support/run-builder.ts';
import { alice, bob, shaOf } from '../support/run-drafts.ts';

const LANE = { lane: 'daily', experiment: 'experiments/ferries/daily.py' };
const MINUTE = 60_000;

const launched = (date: string, commit: string, more: Parameters<typeof aRun>[0] = {}): RunBuilder =>
  aRun({ date, ...more })
    .gated({ commit: shaOf(commit) })
    .approved(alice)
    .ordered({ commit: shaOf(commit) })
    .submitted({ commit: shaOf(commit) });
const passed = (date: string, commit: string, more: Parameters<typeof aRun>[0] = {}): RunBuilder =>
  launched(date, commit, more)
    .ended()
    .sealed(bob, { commit: shaOf(commit) });

const first = passed('2026-11-21', 'first').state;
const second = passed('2026-11-22', 'second').state;

describe('the last pass of a lane', () => {
  it('is the one that was sealed last', () => {
    const later = {
      ...first,
      seal: first.seal === null ? null : { ...first.seal, at: '2026-11-30T00:00:00.000Z' },
    };
    expect(lastPass([first, second], LANE)?.run).toBeDefined();
    expect(lastPass([second, later], LANE)).toEqual({ run: first.run, commit: shaOf('first') });
  });

  it.each([
    ['failed', launched('2026-11-22', 'x').ended({ status: 'FAILED' }).closed({ outcome: 'failed' })],
    ['rejected', launched('2026-11-22', 'x').ended().closed({ outcome: 'rejected' })],
    ['withdrawn', aRun({ date: '2026-11-22' }).closed({ outcome: 'withdrawn' })],
    [
      'accepted without a pass',
      launched('2026-11-22', 'x').ended().sealed(bob, { verdict: 'accepted', accept: 'ok' }),
    ],
    ['not sealed', launched('2026-11-22', 'x').ended()],
    [
      'sealed as a pass though it did not succeed',
      launched('2026-11-22', 'x').ended({ status: 'STOPPED' }).sealed(bob),
    ],
    ['of another lane', passed('2026-11-22', 'x', { lane: 'weekly' })],
    ['of another file', passed('2026-11-22', 'x', { experiment: 'experiments/other.py' })],
  ])('is none that %s', (_, other) => {
    expect(lastPass([other.state], LANE)).toBeNull();
  });
});

describe('what a proposal says that it starts from', () => {
  const runs = [first, second];
  const at = (minutes: number): string =>
    new Date(Date.parse(second.seal?.at ?? '') + minutes * MINUTE).toISOString();
  const about = (
    base: { readonly run: typeof first.run; readonly commit: ReturnType<typeof shaOf> } | null,
  ) => ({
    proposal: aRun({ date: '2026-11-23', ...(base === null ? {} : { base }) }).state.proposal,
    proposedAt: at(60),
  });

  it('is proven by the record: the last pass of that moment, and the commit that it was launched from', () => {
    const base = lastPass(runs, LANE);
    expect(provenBase(about(base), runs)).toEqual({ kind: 'known', value: base });
    expect(provenBase(about(null), runs)).toEqual({ kind: 'known', value: null });
  });

  it('is unknown where the record does not bear it out, and passes nothing', () => {
    const base = lastPass(runs, LANE);
    if (base === null) throw new Error('there is a pass');
    expect(provenBase(about({ ...base, commit: shaOf('forged') }), runs).kind).toBe('unknown');
    const other = base.run === first.run ? second : first;
    expect(provenBase(about({ run: other.run, commit: base.commit }), runs).kind).toBe('unknown');
    expect(
      provenBase(
        about(base),
        runs.filter(({ run }) => run !== base.run),
      ).kind,
    ).toBe('unknown');
    expect(provenBase({ ...about(base), proposedAt: '2026-11-20T00:00:00.000Z' }, runs).kind).toBe('unknown');
  });
});
