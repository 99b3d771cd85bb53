import { describe, expect, it } from 'vitest';
import type { Knob } from '../../../src/delta/config-delta.ts';
import {
  type Candidate,
  type ChoiceInput,
  chooseCandidate,
  type RecentFerry,
} from '../../../src/kinds/ferry/candidates.ts';

const knob = (path: string, value: string): Knob => ({
  knob: path,
  path,
  value,
  bucket: null,
  start: 0,
  end: 0,
  line: 1,
  isString: false,
});
const LR: Candidate = {
  id: 'lr',
  path: 'lr',
  values: ['3e-3', '6e-3', '9e-3'],
  bucket: 'optimizer',
  risk: 'low',
  reason: 'due',
};
const MIX: Candidate = { ...LR, id: 'mix', path: 'mix', values: ['0.5', '0.6'], bucket: 'datamix', risk: 'medium' };
const ferry = (date: string, path: string, before: string, after: string, bucket: string): RecentFerry => ({
  date,
  candidate: null,
  changes: [{ path, before, after, bucket }],
  outcome: 'passed',
});
const choose = (change: Partial<ChoiceInput>): ReturnType<typeof chooseCandidate> =>
  chooseCandidate({
    candidates: [LR, MIX],
    knobs: [knob('lr', '0.003'), knob('mix', '0.5')],
    recent: [],
    today: '2026-11-21',
    memoryDays: 14,
    objective: { kind: 'integration', text: 'daily' },
    steps: { factor: 1_000, knobs: {}, enforce: 'warn' },
    ...change,
  });

describe('the change of the next ferry', () => {
  // rule DF-37
  it('validates the pipeline before it explores the model, even if exploration was tried longer ago', () => {
    const depth: Candidate = { ...LR, id: 'depth', path: 'depth', values: ['9'], bucket: 'architecture' };
    const knobs = [knob('lr', '0.003'), knob('depth', '8')];
    const recent = [ferry('2026-11-20', 'lr', '3e-3', '6e-3', 'optimizer')];
    const one = choose({ candidates: [depth, LR], knobs, recent });
    expect(one).toMatchObject({ edits: [{ path: 'lr' }], rationale: { signal: 'validation' } });
    const said = choose({ candidates: [depth, { ...LR, signal: 'exploration' }], knobs, recent });
    expect(said).toMatchObject({ edits: [{ path: 'depth' }], rationale: { signal: 'exploration' } });
  });

  it('is a small step: larger values are skipped, and so is a candidate without a small one', () => {
    const steps = { factor: 2, knobs: {}, enforce: 'warn' } as const;
    const far: Candidate = { ...LR, values: ['9e-3', '6e-3'] };
    expect(choose({ candidates: [far], steps })).toMatchObject({ edits: [{ path: 'lr', after: '6e-3' }] });
    expect(choose({ candidates: [{ ...far, values: ['9e-3'] }], steps })).toMatchObject({
      kind: 'none',
      reason: 'nothing-due',
      skipped: [{ id: 'lr', why: 'step-too-large' }],
    });
  });

  // rule DF-12
  it('is the first candidate with a value that is not set yet', () => {
    expect(choose({})).toMatchObject({ kind: 'proposal', edits: [{ path: 'lr', after: '6e-3' }], risk: 'low' });
  });

  // rule DF-35
  it('is in the bucket that was not tried for the longest time', () => {
    const recent = [ferry('2026-11-20', 'lr', '3e-3', '6e-3', 'optimizer')];
    expect(choose({ recent })).toMatchObject({ edits: [{ path: 'mix', after: '0.6' }] });
    const both = [...recent, ferry('2026-11-19', 'mix', '0.5', '0.4', 'datamix')];
    expect(choose({ recent: both })).toMatchObject({ edits: [{ path: 'mix', after: '0.6' }] });
    const turned = [
      ferry('2026-11-19', 'lr', '3e-3', '6e-3', 'optimizer'),
      ferry('2026-11-20', 'mix', '0.5', '0.4', 'datamix'),
    ];
    expect(choose({ recent: turned })).toMatchObject({
      edits: [{ path: 'lr', after: '9e-3' }],
      rationale: { before: '0.003', bucketLastTried: '2026-11-19', candidateLastTried: '2026-11-19' },
    });
    // An untouched knob waits if another knob of its bucket was changed yesterday.
    const decay: Candidate = { ...LR, id: 'decay', path: 'decay', values: ['0.2'] };
    const untouched = { candidates: [decay, MIX], knobs: [knob('decay', '0.1'), knob('mix', '0.5')] };
    expect(choose({ ...untouched, recent: both })).toMatchObject({ edits: [{ path: 'mix', after: '0.6' }] });
    expect(choose({ ...untouched, recent: turned })).toMatchObject({ edits: [{ path: 'decay' }] });
  });

  it('repeats no value of the last days, in any spelling', () => {
    const recent = [ferry('2026-11-18', 'lr', '1', '0.006', 'optimizer')];
    expect(choose({ candidates: [LR], recent })).toMatchObject({ edits: [{ after: '9e-3' }] });
    const old = [ferry('2026-10-01', 'lr', '1', '0.006', 'optimizer')];
    expect(choose({ candidates: [LR], recent: old })).toMatchObject({ edits: [{ after: '6e-3' }] });
  });

  it('never repeats a value that failed', () => {
    const recent = [{ ...ferry('2026-10-01', 'lr', '1', '6e-3', 'optimizer'), outcome: 'failed' as const }];
    expect(choose({ candidates: [LR], recent })).toMatchObject({ edits: [{ after: '9e-3' }] });
  });

  it('never reverts a change by accident', () => {
    const recent = [ferry('2026-11-18', 'lr', '3e-3', '9e-3', 'optimizer')];
    expect(choose({ candidates: [LR], knobs: [knob('lr', '9e-3')], recent })).toMatchObject({
      edits: [{ after: '6e-3' }],
    });
  });

  it('gives the reason if it is none', () => {
    expect(choose({ candidates: [] })).toMatchObject({ kind: 'none', reason: 'no-candidates' });
    expect(
      choose({
        candidates: [
          { ...LR, values: ['3e-3'] },
          { ...MIX, path: 'gone' },
        ],
      }),
    ).toEqual({
      kind: 'none',
      reason: 'nothing-due',
      skipped: [
        { id: 'lr', why: 'all-values-recent' },
        { id: 'mix', why: 'path-missing' },
      ],
    });
  });

  it('repeats the last run only to confirm a declared regression', () => {
    expect(choose({ objective: { kind: 'regression', text: 'confirm' } })).toEqual({ kind: 'identical-rerun' });
  });
});
