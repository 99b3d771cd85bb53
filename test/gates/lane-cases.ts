import { known, unknown } from '../../src/domain/values.ts';
import { digestOf } from '../support/run-drafts.ts';
import { aConfigHealth } from '../support/run-facts.ts';
import {
  APPROVALS,
  budget,
  CHECKS,
  checks,
  given,
  hours,
  ISSUE,
  issue,
  LAUNCHES,
  LIVE,
  lane,
  MANIFEST,
  MANIFEST_READERS,
  PULL,
  pull,
  type Rows,
  unnamed,
} from './case-parts.ts';
import { aManifest } from './gate-manifest.ts';
import { aHold, anApproval, DIGEST } from './sample-facts.ts';

/**
 * A run on rented machines for 20 dollars at most, on a cluster that may rent for 100 a day, and what other
 * runs have rented.
 */
const renting = (others: readonly (readonly [date: string, dollars: string, cluster?: string])[]) => {
  const rental = {
    ...{ dollarsPerHourMax: '1', dollarsMax: '20', dollarsPerDayMax: '100', dollarsPerMonthMax: null },
    ...{ hoursMax: 24, startMinutesMax: 45, idleMinutesMax: 30, endMinutesMax: 60, keepHoursMax: 12 },
  };
  const { envelope, cluster } = aManifest();
  return {
    manifest: known(aManifest({ envelope: { ...envelope, rental } })),
    rentals: known(others.map(([date, dollars, where = cluster]) => ({ date, dollars, cluster: where }))),
  };
};

export const LANE_CASES = {
  'target-branch': {
    pass: 'targets-branch',
    cases: [
      ['another branch', pull({ baseBranch: 'dev' }), 'fail', 'wrong-branch'],
      ['closed', pull({ state: 'closed' }), 'fail', 'closed'],
      ['a draft', pull({ isDraft: true }), 'fail', 'draft'],
      ['merged', pull({ state: 'closed', merged: true }), 'fail', 'closed'],
      ['unreadable', PULL, 'unknown', 'unreadable', ['head-repository']],
    ],
  },
  'authors-known': {
    pass: 'named',
    cases: [
      ['opened by an app', unnamed('opened-unnamed', '#13', 'some-app'), 'fail', 'opened-unnamed'],
      [
        'a commit by an address of nobody',
        unnamed('commit-unnamed', '0123456789ab', 'x@y.example'),
        'fail',
        'commit-unnamed',
      ],
      [
        'a push by a workflow',
        unnamed('push-unnamed', '0123456789ab', 'github-actions'),
        'fail',
        'push-unnamed',
      ],
      ['an edit by another app', unnamed('edit-unnamed', '#13', 'some-app'), 'fail', 'edit-unnamed'],
      ['an edit by an account that is gone', unnamed('edit-unnamed', '#13', ''), 'fail', 'edit-unnamed'],
      ['more than is read', unnamed('too-much-work', '', ''), 'fail', 'too-much-work'],
      ['unreadable', { authors: unknown('GitHub is away') }, 'unknown', 'unreadable'],
    ],
  },
  'head-repository': {
    pass: 'same-repository',
    cases: [
      ['a fork', pull({ headRepository: 'mallory/models' }), 'fail', 'fork'],
      ['a fork that is gone', pull({ headRepository: null }), 'fail', 'fork'],
      ['unreadable', PULL, 'unknown', 'unreadable', ['target-branch']],
    ],
  },
  'checks-green': {
    pass: 'green',
    cases: [
      [
        'a check that failed',
        checks({}, { name: 'lint', state: 'failed', says: 'failure' }),
        'fail',
        'failed',
      ],
      ['a check that runs', checks({}, { name: 'lint', state: 'running' }), 'fail', 'running'],
      ['a workflow that nobody allowed', checks({ state: 'awaits-approval' }), 'fail', 'awaits-approval'],
      [
        'a required one that is not there',
        { ...checks({}), ...lane({ requiredChecks: ['lint'] }) },
        'fail',
        'missing',
      ],
      [
        'a required one that failed',
        { ...checks({ state: 'failed' }), ...lane({ requiredChecks: ['CI / tests'] }) },
        'fail',
        'failed',
      ],
      [
        'a required one under our name',
        { ...checks({ ours: true }), ...lane({ requiredChecks: ['tests'] }) },
        'fail',
        'missing',
      ],
      [
        'a waiting workflow that may hold a required one',
        { ...checks({}, { name: 'x', state: 'awaits-approval' }), ...lane({ requiredChecks: ['tests'] }) },
        'fail',
        'awaits-approval',
      ],
      ['unreadable', CHECKS, 'unknown', 'unreadable'],
    ],
  },
  'config-valid': {
    pass: 'valid',
    cases: [
      [
        'an invalid one',
        { configHealth: known(aConfigHealth({ isValid: false, problems: 2, first: 'lanes: no', line: 4 })) },
        'fail',
        'invalid',
      ],
      [
        'one without the lane any more',
        { configHealth: known(aConfigHealth({ missingLane: 'canary' })) },
        'fail',
        'lane-gone',
      ],
      ['unreadable', { configHealth: unknown('git is away') }, 'unknown', 'unreadable'],
    ],
  },
  'issue-updated': {
    pass: 'updated',
    cases: [
      ['a change after the last word', { issueToldAt: known(hours(-4.01)) }, 'fail', 'issue-older'],
      ['comments that cannot be read', { issueToldAt: unknown('GitHub is away') }, 'unknown', 'unreadable'],
      ['a closed issue', issue({ state: 'closed' }), 'fail', 'issue-closed'],
      ['no label', issue({ labels: ['ferry'] }), 'fail', 'issue-unlabelled'],
      ['no link', issue({ body: 'see #12' }), 'fail', 'issue-not-linked'],
      ['a number that only begins alike', issue({ body: 'see #130' }), 'fail', 'issue-not-linked'],
      ['unreadable', ISSUE, 'unknown', 'unreadable'],
    ],
  },
  'cluster-matches': {
    pass: 'lane-cluster',
    cases: [
      ['another cluster', { manifest: known(aManifest({ cluster: 'other' })) }, 'fail', 'other-cluster'],
      ['no manifest', MANIFEST, 'unknown', 'unreadable', MANIFEST_READERS],
    ],
  },
  'cost-budget': {
    pass: 'within',
    cases: [
      [
        'a run that costs more',
        lane({ costBudget: budget({ maxAcceleratorHours: '2.49' }) }),
        'fail',
        'over',
      ],
      [
        'the same where it only warns',
        lane({ costBudget: budget({ maxAcceleratorHours: '2.49', enforce: 'warn' }) }),
        'warn',
        'over',
      ],
      [
        'more than is left of the week',
        { ...lane({ costBudget: budget({ perWeek: '7.49' }) }), launches: known(LAUNCHES) },
        'fail',
        'over-period',
      ],
      [
        'more than is left of the month, where it only warns',
        {
          ...lane({ costBudget: budget({ perWeek: '7.5', perMonth: '9.9', enforce: 'warn' }) }),
          launches: known(LAUNCHES),
        },
        'warn',
        'over-period',
      ],
      [
        'machines for more than is left of the day, on their cluster alone',
        renting([
          ['2026-11-21', '80.000001'],
          ['2026-11-20', '500'],
          ['2026-11-21', '500', 'other'],
        ]),
        'fail',
        'over-rented',
      ],
      [
        'machines where nobody knows what others rent',
        { ...renting([]), rentals: unknown('away') },
        'unknown',
        'unreadable',
      ],
      [
        'a launch of the week whose cost nobody recorded',
        {
          ...lane({ costBudget: budget({ perWeek: '100' }) }),
          launches: known([{ date: '2026-11-17', acceleratorHours: null }]),
        },
        'unknown',
        'unreadable',
      ],
      [
        'a record that cannot be added up',
        { ...lane({ costBudget: budget({ perMonth: '100' }) }), launches: unknown('the logbook is away') },
        'unknown',
        'unreadable',
      ],
      ['no manifest', MANIFEST, 'unknown', 'unreadable', MANIFEST_READERS],
    ],
  },
  'lane-free': {
    pass: 'free',
    cases: [
      ['another run', { liveRuns: known(['ferry-daily-20261120']) }, 'fail', 'busy'],
      ['unreadable', LIVE, 'unknown', 'unreadable'],
    ],
  },
  'not-held': {
    pass: 'free',
    cases: [
      ['a hold on the run', { holds: known([aHold('run')]) }, 'fail', 'held'],
      ['a hold on its day', { holds: known([aHold('date')]) }, 'fail', 'held'],
      ['a hold on its lane', { holds: known([aHold('lane')]) }, 'fail', 'held'],
      ['a broken journal', { holds: unknown('the journal is broken') }, 'unknown', 'unreadable'],
    ],
  },
  'approver-allowed': {
    pass: 'enough',
    cases: [
      ['nobody approved', given({ given: [] }), 'fail', 'too-few'],
      ['one of two', given({ needed: 2 }), 'fail', 'too-few'],
      ['one person twice', given({ needed: 2, given: [anApproval(), anApproval()] }), 'fail', 'too-few'],
      [
        'a permission that is gone',
        given({ given: [anApproval({ standing: known('approver-not-permitted') })] }),
        'fail',
        'not-counting',
      ],
      [
        'a comment that was edited',
        given({ given: [anApproval({ standing: known('approval-invalid') })] }),
        'fail',
        'not-counting',
      ],
      [
        'a permission that cannot be read',
        given({ given: [anApproval({ standing: unknown('GitHub is away') })] }),
        'unknown',
        'unreadable',
      ],
      ['unreadable', APPROVALS, 'unknown', 'unreadable', ['manifest-unchanged']],
    ],
  },
  'manifest-unchanged': {
    pass: 'as-approved',
    cases: [
      [
        'another manifest',
        given({ given: [anApproval({ digest: digestOf('before') })] }),
        'fail',
        'changed',
        ['approver-allowed'],
      ],
      [
        'another text',
        given({ given: [anApproval({ body: digestOf('before') })] }),
        'fail',
        'changed',
        ['approver-allowed'],
      ],
      [
        'an approval that fell with its manifest',
        given({ given: [], lastDrop: { reason: 'manifest-changed', digest: digestOf('before') } }),
        'fail',
        'changed',
        ['approver-allowed'],
      ],
      [
        'an approval that fell with the text',
        given({ given: [], lastDrop: { reason: 'manifest-changed', digest: DIGEST } }),
        'fail',
        'changed',
        ['approver-allowed'],
      ],
      ['no manifest', { bound: unknown('no lib') }, 'unknown', 'unreadable', ['approver-allowed']],
    ],
  },
} satisfies Partial<Rows>;
