// What blocks a rental: each gate of the kind, with one fault at a time.

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

export const UNREADABLE_ISSUE: Case = [
  'unreadable',
  { contract: { recorded: CONTRACT, read: unknown('GitHub is away') } },
];

export const RENTAL_CASES = {
  'machine-fits': [
    ['a cluster that rents nothing', { machine: { terms: null, exceededCaps: [] } }],
    [
      'a price above the cap of the lab',
      { machine: { terms: TERMS, exceededCaps: [{ need: 'dollarsPerHourMax', requested: '2.10', limit: '0.50' }] } },
    ],
    UNREADABLE_ISSUE,
  ],
  'secrets-named': [['a secret that the lane does not name', says('secrets', 'HF_TOKEN')], UNREADABLE_ISSUE],
  'reductions-bounded': [
    ['something else than the batch first', lane({ ...started, reductions: ['SEQ_LEN 2048'] })],
    ['an option that the command has not', lane({ ...started, reductions: ['--micro-batch 8'] })],
    ['a larger batch', lane({ ...started, reductions: ['--batch-size 64'] })],
    ['the same batch twice', lane({ ...started, reductions: ['--batch-size 16', '--batch-size 16'] })],
    UNREADABLE_ISSUE,
  ],
  'early-stop-sane': [
    ['nobody knows how long it is', lane({ finalStep: null, earlyStop: EARLY })],
    ['before half of the steps', lane({ finalStep: 1_201, earlyStop: EARLY })],
    ['without patience', lane({ finalStep: 1_200, earlyStop: { ...EARLY, patience: 4 } })],
    ['only for large gains', lane({ finalStep: 1_200, earlyStop: { ...EARLY, minDelta: '0.02' } })],
    UNREADABLE_ISSUE,
  ],
  'bottleneck-measured': [
    ['a bottleneck of no run that passed', says('optimisation', OPTIMISED)],
    ['a record that cannot be read', { ...says('optimisation', OPTIMISED), sealedPasses: unknown('git is away') }],
  ],
} as const satisfies Partial<Rows>;
