import type { Contract } from '../../src/domain/launch/contract.ts';
import { known, unknown } from '../../src/domain/observed.ts';
import type { Facts, Rows } from './case-parts.ts';
import { CONTRACT } from './sample-facts.ts';

/** The issue says this now, and it is recorded so. */
const says = (values: Contract): Facts => ({ contract: { recorded: values, read: known(values) } });
const without = (name: string): Contract =>
  Object.fromEntries(Object.entries(CONTRACT).filter(([one]) => one !== name));
const UNREAD: Facts = { contract: { recorded: CONTRACT, read: unknown('GitHub is away') } };
const unclear = { value: 'a few', source: 'unclear', from: 'a whole number' } as const;
const inferred = { value: '1e23', source: 'inferred', from: 'six operations a parameter and token' } as const;

export const HERO_CASES = {
  'contract-complete': {
    pass: 'complete',
    cases: [
      ['no output root', says(without('outputRoot')), 'fail', 'incomplete'],
      ['no rollback depth', says(without('rollback')), 'fail', 'retention-open'],
      ['an unclear final step', says({ ...CONTRACT, finalStep: unclear }), 'fail', 'incomplete'],
      ['unreadable', UNREAD, 'unknown', 'unreadable', ['contract-current']],
    ],
  },
  'contract-current': {
    pass: 'as-recorded',
    cases: [
      [
        'another budget than recorded',
        { contract: { recorded: CONTRACT, read: known({ ...CONTRACT, flops: inferred }) } },
        'fail',
        'differs',
      ],
      ['unreadable', UNREAD, 'unknown', 'unreadable', ['contract-complete']],
    ],
  },
} as const satisfies Partial<Rows>;
