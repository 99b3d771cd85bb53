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
  'target-branch': [
    ['another branch', pull({ baseBranch: 'dev' })],
    ['closed', pull({ state: 'closed' })],
    ['a draft', pull({ isDraft: true })],
    ['merged', pull({ state: 'closed', merged: true })],
    ['unreadable', PULL],
  ],
  'authors-known': [
    ['opened by an app', unnamed('opened-unnamed', '#13', 'some-app')],
    ['a commit by an address of nobody', unnamed('commit-unnamed', '0123456789ab', 'x@y.example')],
    ['a push by a workflow', unnamed('push-unnamed', '0123456789ab', 'github-actions')],
    ['an edit by another app', unnamed('edit-unnamed', '#13', 'some-app')],
    ['an edit by an account that is gone', unnamed('edit-unnamed', '#13', '')],
    ['more than is read', unnamed('too-much-work', '', '')],
    ['unreadable', { authors: unknown('GitHub is away') }],
  ],
  'head-repository': [
    ['a fork', pull({ headRepository: 'mallory/models' })],
    ['a fork that is gone', pull({ headRepository: null })],
    ['unreadable', PULL],
  ],
  'checks-green': [
    ['a check that failed', checks({}, { name: 'lint', state: 'failed', says: 'failure' })],
    ['a check that runs', checks({}, { name: 'lint', state: 'running' })],
    ['a workflow that nobody allowed', checks({ state: 'awaits-approval' })],
    ['a required one that is not there', { ...checks({}), ...lane({ requiredChecks: ['lint'] }) }],
    ['a required one that failed', { ...checks({ state: 'failed' }), ...lane({ requiredChecks: ['CI / tests'] }) }],
    ['a required one under our name', { ...checks({ isOwn: true }), ...lane({ requiredChecks: ['tests'] }) }],
    [
      'a waiting workflow that may hold a required one',
      { ...checks({}, { name: 'x', state: 'awaits-approval' }), ...lane({ requiredChecks: ['tests'] }) },
    ],
    ['unreadable', CHECKS],
  ],
  'config-valid': [
    [
      'an invalid one',
      { configHealth: known(aConfigHealth({ isValid: false, problems: 2, first: 'lanes: no', line: 4 })) },
    ],
    ['one without the lane any more', { configHealth: known(aConfigHealth({ missingLane: 'canary' })) }],
    ['unreadable', { configHealth: unknown('git is away') }],
  ],
  'issue-updated': [
    ['a change after the last word', { issueChangedAt: known(hours(-4.01)) }],
    ['comments that cannot be read', { issueChangedAt: unknown('GitHub is away') }],
    ['a closed issue', issue({ state: 'closed' })],
    ['no label', issue({ labels: ['ferry'] })],
    ['no link', issue({ body: 'see #12' })],
    ['a number that only begins alike', issue({ body: 'see #130' })],
    ['unreadable', ISSUE],
  ],
  'cluster-matches': [
    ['another cluster', { manifest: known(aManifest({ cluster: 'other' })) }],
    ['no manifest', MANIFEST],
  ],
  'cost-budget': [
    ['a run that costs more', lane({ costBudget: budget({ maxAcceleratorHours: '2.49' }) })],
    ['the same where it only warns', lane({ costBudget: budget({ maxAcceleratorHours: '2.49', enforce: 'warn' }) })],
    [
      'more than is left of the week',
      { ...lane({ costBudget: budget({ perWeek: '7.49' }) }), launches: known(LAUNCHES) },
    ],
    [
      'more than is left of the month, where it only warns',
      {
        ...lane({ costBudget: budget({ perWeek: '7.5', perMonth: '9.9', enforce: 'warn' }) }),
        launches: known(LAUNCHES),
      },
    ],
    [
      'machines for more than is left of the day, on their cluster alone',
      renting([
        ['2026-11-21', '80.000001'],
        ['2026-11-20', '500'],
        ['2026-11-21', '500', 'other'],
      ]),
    ],
    ['machines where nobody knows what others rent', { ...renting([]), rentals: unknown('away') }],
    [
      'a launch of the week whose cost nobody recorded',
      {
        ...lane({ costBudget: budget({ perWeek: '100' }) }),
        launches: known([{ date: '2026-11-17', acceleratorHours: null }]),
      },
    ],
    [
      'a record that cannot be added up',
      { ...lane({ costBudget: budget({ perMonth: '100' }) }), launches: unknown('the logbook is away') },
    ],
    ['no manifest', MANIFEST],
  ],
  'lane-free': [
    ['another run', { liveRuns: known(['ferry-daily-20261120']) }],
    ['unreadable', LIVE],
  ],
  'not-held': [
    ['a hold on the run', { holds: known([aHold('run')]) }],
    ['a hold on its day', { holds: known([aHold('date')]) }],
    ['a hold on its lane', { holds: known([aHold('lane')]) }],
    ['a broken journal', { holds: unknown('the journal is broken') }],
  ],
  'approver-allowed': [
    ['nobody approved', given({ approvals: [] })],
    ['one of two', given({ needed: 2 })],
    ['one person twice', given({ needed: 2, approvals: [anApproval(), anApproval()] })],
    ['a permission that is gone', given({ approvals: [anApproval({ status: known('approver-not-permitted') })] })],
    ['a comment that was edited', given({ approvals: [anApproval({ status: known('approval-invalid') })] })],
    ['a permission that cannot be read', given({ approvals: [anApproval({ status: unknown('GitHub is away') })] })],
    ['unreadable', APPROVALS],
  ],
  'manifest-unchanged': [
    ['another manifest', given({ approvals: [anApproval({ digest: digestOf('before') })] })],
    ['another text', given({ approvals: [anApproval({ body: digestOf('before') })] })],
    [
      'an approval that fell with its manifest',
      given({ approvals: [], lastDrop: { reason: 'manifest-changed', digest: digestOf('before') } }),
    ],
    [
      'an approval that fell with the text',
      given({ approvals: [], lastDrop: { reason: 'manifest-changed', digest: DIGEST } }),
    ],
    ['no manifest', { bound: unknown('no lib') }],
  ],
} satisfies Partial<Rows>;
