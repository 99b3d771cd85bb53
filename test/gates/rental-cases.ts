// What blocks a rental: each gate of the kind, with one fault at a time.

import type { GateId } from '../../src/domain/launch/verdict.ts';
import { known, unknown } from '../../src/domain/values.ts';
import type { Case, Facts, Rows } from './case-parts.ts';
import { CONTRACT, LANE, TERMS } from './sample-facts.ts';

/** The lane as a contract made it. */
const lane = (changes: object): Facts => ({ lane: { ...LANE, ...changes } });
const says = (name: string, value: string): Facts => {
  const values = { ...CONTRACT, [name]: { value, source: 'given', from: '' } as const };
  return { contract: { recorded: values, read: known(values) } };
};
const started = { command: ['python3', 'train.py', '--batch-size', '32'], environment: { SEQ_LEN: '4096' } };
const EARLY = { minSteps: 600, patience: 5, minDelta: '0.001' };
const OPTIMISED = 'data: the loader waits 61 % of a step; baseline rental-gpu-20261120-issue3';

/** Without the issue, all its values are unknown. */
const ABOUT_ISSUE = [
  ...(['contract-complete', 'contract-current', 'dri-accepted', 'machine-fits', 'secrets-named'] as const),
  ...(['reductions-bounded', 'early-stop-sane', 'bottleneck-measured'] as const),
];
const UNREAD: Facts = { contract: { recorded: CONTRACT, read: unknown('GitHub is away') } };
export function unreadable(gate: GateId): Case {
  return ['unreadable', UNREAD, 'unknown', 'unreadable', ABOUT_ISSUE.filter((one) => one !== gate)];
}

export const RENTAL_CASES = {
  'machine-fits': {
    pass: 'fits',
    cases: [
      ['a cluster that rents nothing', { machine: { terms: null, beyond: [] } }, 'fail', 'not-rented'],
      [
        'a price above the cap of the lab',
        { machine: { terms: TERMS, beyond: [{ what: 'dollarsPerHourMax', asked: '2.10', most: '0.50' }] } },
        'fail',
        'beyond-lab',
      ],
      unreadable('machine-fits'),
    ],
  },
  'secrets-named': {
    pass: 'named',
    cases: [
      ['a secret that the lane does not name', says('secrets', 'HF_TOKEN'), 'fail', 'unnamed'],
      unreadable('secrets-named'),
    ],
  },
  'reductions-bounded': {
    pass: 'none',
    cases: [
      [
        'something else than the batch first',
        lane({ ...started, reductions: ['SEQ_LEN 2048'] }),
        'fail',
        'not-batch-first',
      ],
      [
        'an option that the command has not',
        lane({ ...started, reductions: ['--micro-batch 8'] }),
        'fail',
        'not-in-command',
      ],
      ['a larger batch', lane({ ...started, reductions: ['--batch-size 64'] }), 'fail', 'not-smaller'],
      [
        'the same batch twice',
        lane({ ...started, reductions: ['--batch-size 16', '--batch-size 16'] }),
        'fail',
        'not-smaller',
      ],
      unreadable('reductions-bounded'),
    ],
  },
  'early-stop-sane': {
    pass: 'none',
    cases: [
      ['nobody knows how long it is', lane({ finalStep: null, earlyStop: EARLY }), 'fail', 'no-final-step'],
      ['before half of the steps', lane({ finalStep: 1_201, earlyStop: EARLY }), 'fail', 'too-small'],
      [
        'without patience',
        lane({ finalStep: 1_200, earlyStop: { ...EARLY, patience: 4 } }),
        'fail',
        'too-small',
      ],
      [
        'only for large gains',
        lane({ finalStep: 1_200, earlyStop: { ...EARLY, minDelta: '0.02' } }),
        'fail',
        'too-small',
      ],
      unreadable('early-stop-sane'),
    ],
  },
  'bottleneck-measured': {
    pass: 'none',
    cases: [
      ['a bottleneck of no run that passed', says('optimisation', OPTIMISED), 'fail', 'no-baseline'],
      [
        'a record that cannot be read',
        { ...says('optimisation', OPTIMISED), passes: unknown('git is away') },
        'unknown',
        'unreadable',
      ],
    ],
  },
} as const satisfies Partial<Rows>;
