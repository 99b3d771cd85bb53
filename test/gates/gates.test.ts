/** Every gate passes on good facts, blocks alone on each of its bad facts with its code, and is unknown without its fact. */

import { describe, expect, it } from 'vitest';
import type { KnobChange } from '../../src/domain/delta.ts';
import type { CheckFacts, Mismatch } from '../../src/domain/facts.ts';
import type { Instant } from '../../src/domain/ids.ts';
import { known, unknown } from '../../src/domain/observed.ts';
import { after } from '../../src/domain/time.ts';
import { allPass, GATES, type GateId, type Verdict } from '../../src/domain/verdict.ts';
import type { GateFacts } from '../../src/gates/gate.ts';
import { ALL_GATES, runGates } from '../../src/gates/run-gates.ts';
import { alice, digestOf, shaOf } from '../support/run-drafts.ts';
import { aBody, aChange, aCheck, aConfigHealth, anIssue, aPull, NOON } from '../support/run-facts.ts';
import { aManifest } from '../support/run-parts.ts';
import { aHold, anApproval, DIGEST, gateFacts, POLICY, PROPOSAL, someApprovals } from './sample-facts.ts';

type Facts = Partial<GateFacts>;
/** A fact, the outcome and code that it gives, and the other gates that speak up too where they look at the same thing. */
type Case = readonly [
  what: string,
  facts: Facts,
  outcome: Verdict['outcome'],
  code: string,
  others?: readonly GateId[],
];

const knob = (path: string, name = path): KnobChange => ({
  knob: name,
  path,
  before: '1',
  after: '2',
  bucket: null,
  line: 1,
});
const knobs = (...paths: readonly string[]): Facts => ({
  change: known(aChange({ delta: { kind: 'knobs', changes: paths.map((path) => knob(path)) } })),
});
const STRUCTURAL: Facts = {
  change: known(aChange({ delta: { kind: 'structural', side: 'head', line: 9, statement: 'def f():' } })),
};
const UNPARSABLE: Facts = {
  change: known(aChange({ delta: { kind: 'unparsable', side: 'base', line: 9, message: 'invalid' } })),
};
const NO_CHANGE: Facts = { change: known(aChange({ delta: { kind: 'none' } })) };
const COUNTING: readonly GateId[] = ['delta-declared', 'budget', 'scale-stable', 'identical-rerun'];
const body = (change: Parameters<typeof aBody>[0]): Facts => ({ body: known(aBody(change)) });
const pull = (change: Parameters<typeof aPull>[0]): Facts => ({ pull: known(aPull(change)) });
const issue = (change: Parameters<typeof anIssue>[0]): Facts => ({ issue: known(anIssue(change)) });
const box = (text: string, checked: boolean) => ({ text, checked, line: 3 });
const mismatch = (kind: Mismatch['kind']): Mismatch => ({
  kind,
  knob: 'learning_rate',
  path: null,
  declared: null,
  real: null,
  fileLine: 4,
  bodyLine: null,
  row: '| learning_rate | 3e-3 | 6e-3 |',
});

const PULL: Facts = { pull: unknown('GitHub is away') };
const ISSUE: Facts = { issue: unknown('GitHub is away') };
const CHANGE: Facts = { change: unknown('git is away') };
const BODY: Facts = { body: unknown('GitHub is away') };
const CHANGE_READERS: readonly GateId[] = [
  'freshness',
  'scope',
  'delta-readable',
  'issue-updated',
  ...COUNTING,
];
const BODY_READERS: readonly GateId[] = [
  'delta-declared',
  'risk-present',
  'last-ferry-linked',
  'preconditions',
];
const UNSHIPPED: Facts = { change: known(aChange({ trees: { experiments: null } })) };
const MANIFEST_READERS: readonly GateId[] = ['cluster-matches', 'cost-budget', 'manifest-complete'];
const MANIFEST: Facts = { manifest: unknown('the proposed commit has no lib') };
const CHECKS: Facts = { checks: unknown('GitHub is away') };
const checks = (...change: readonly Partial<CheckFacts>[]): Facts => ({
  checks: known(change.map((one) => aCheck(one))),
});
const policy = (change: Partial<GateFacts['policy']>): Facts => ({ policy: { ...POLICY, ...change } });
const hours = (ms: number): Instant => after(NOON, ms * 3_600_000);
const BEHIND = { baseSha: shaOf('a newer tip'), mergeBaseAt: hours(-24) } as const;
const LATER = [{ sha: shaOf('later'), subject: 'a faster loader' }] as const;
const APPROVALS: Facts = { approvals: unknown('GitHub is away') };
const given = (change: Parameters<typeof someApprovals>[0]): Facts => ({
  approvals: known(someApprovals(change)),
});
const LIVE: Facts = { liveRuns: unknown('the logbook is away') };

const ROWS: Readonly<Record<GateId, { readonly pass: string; readonly cases: readonly Case[] }>> = {
  'target-branch': {
    pass: 'targets-branch',
    cases: [
      ['another branch', pull({ baseBranch: 'dev' }), 'fail', 'wrong-branch'],
      ['closed', pull({ state: 'closed' }), 'fail', 'closed'],
      ['merged', pull({ state: 'closed', merged: true }), 'fail', 'merged'],
      ['unreadable', PULL, 'unknown', 'unreadable', ['head-repository']],
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
  freshness: {
    pass: 'at-tip',
    cases: [
      [
        'more than a day behind',
        { change: known(aChange({ ...BEHIND, mergeBaseAt: hours(-24.01) })) },
        'fail',
        'stale',
      ],
      [
        'a day, and something shipped changed',
        { change: known(aChange({ ...BEHIND, laterCommits: LATER })) },
        'warn',
        'fresh-behind',
      ],
      ['unreadable', CHANGE, 'unknown', 'unreadable', CHANGE_READERS],
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
        { ...checks({}), ...policy({ requiredChecks: ['lint'] }) },
        'fail',
        'missing',
      ],
      [
        'a required one that failed',
        { ...checks({ state: 'failed' }), ...policy({ requiredChecks: ['CI / tests'] }) },
        'fail',
        'failed',
      ],
      [
        'a required one under our name',
        { ...checks({ ours: true }), ...policy({ requiredChecks: ['tests'] }) },
        'fail',
        'missing',
      ],
      [
        'a waiting workflow that may hold a required one',
        { ...checks({}, { name: 'x', state: 'awaits-approval' }), ...policy({ requiredChecks: ['tests'] }) },
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
      ['unreadable', { configHealth: unknown('git is away') }, 'unknown', 'unreadable'],
    ],
  },
  scope: {
    pass: 'inside',
    cases: [
      [
        'a second file',
        { change: known(aChange({ changedPaths: ['experiments/ferries/daily.py', 'a'] })) },
        'fail',
        'outside',
      ],
      [
        'a file that only begins alike',
        { change: known(aChange({ changedPaths: ['experiments/ferries/daily.pyc'] })) },
        'fail',
        'outside',
      ],
      ['unreadable', CHANGE, 'unknown', 'unreadable', CHANGE_READERS],
    ],
  },
  'delta-readable': {
    pass: 'countable',
    cases: [
      ['a structural change', STRUCTURAL, 'fail', 'structural', COUNTING],
      ['a file that is no Python', UNPARSABLE, 'fail', 'unparsable', COUNTING],
      ['unreadable', CHANGE, 'unknown', 'unreadable', CHANGE_READERS],
    ],
  },
  'delta-declared': {
    pass: 'declared',
    cases: [
      ...(['undeclared', 'misdeclared', 'doubled', 'unchanged'] as const).map(
        (kind): Case => [kind, body({ mismatches: [mismatch(kind)] }), 'fail', kind],
      ),
      ['no table', body({ hasDeltaTable: false }), 'fail', 'no-table'],
      ['unreadable body', BODY, 'unknown', 'unreadable', BODY_READERS],
      ['a structural change', STRUCTURAL, 'unknown', 'unreadable', ['delta-readable', ...COUNTING]],
    ],
  },
  budget: {
    pass: 'within',
    cases: [
      ['three knobs', knobs('a', 'b', 'c'), 'warn', 'over'],
      [
        'three knobs where the lab says block',
        { ...knobs('a', 'b', 'c'), policy: { ...POLICY, enforceBudget: 'block' } },
        'fail',
        'over',
      ],
      ['unreadable', CHANGE, 'unknown', 'unreadable', CHANGE_READERS],
    ],
  },
  'scale-stable': {
    pass: 'unchanged',
    cases: [
      ['the scale by path', knobs('train.model'), 'fail', 'scale-changed'],
      [
        'the scale by name',
        {
          change: known(aChange({ delta: { kind: 'knobs', changes: [knob('x.hidden_dim', 'hidden_dim')] } })),
        },
        'fail',
        'scale-changed',
      ],
      [
        'the scale, named in an objective that nobody asked for',
        {
          ...knobs('hidden_dim'),
          proposal: { ...PROPOSAL, objective: { kind: 'integration', text: 'raise hidden_dim' } },
        },
        'fail',
        'scale-changed',
      ],
      [
        'the scale, when a person asked for something else',
        { ...knobs('hidden_dim'), proposal: { ...PROPOSAL, requestedBy: alice } },
        'fail',
        'scale-changed',
      ],
      ['unreadable', CHANGE, 'unknown', 'unreadable', CHANGE_READERS],
    ],
  },
  'identical-rerun': {
    pass: 'something-changes',
    cases: [
      ['a rerun for nothing', NO_CHANGE, 'fail', 'identical-undeclared'],
      ['a rerun whose body cannot be read', { ...NO_CHANGE, ...BODY }, 'unknown', 'unreadable', BODY_READERS],
      ['unreadable', CHANGE, 'unknown', 'unreadable', CHANGE_READERS],
    ],
  },
  'run-name-dated': {
    pass: 'dated',
    cases: [
      [
        "yesterday's name",
        { proposal: { ...PROPOSAL, runName: 'daily-125m-2026-11-20' } },
        'fail',
        'wrong-name',
      ],
      [
        'a name with more behind it',
        { proposal: { ...PROPOSAL, runName: `${PROPOSAL.runName}-2` } },
        'fail',
        'wrong-name',
      ],
    ],
  },
  'risk-present': {
    pass: 'present',
    cases: [
      ['no risk', body({ risk: null }), 'fail', 'missing'],
      ['unreadable', BODY, 'unknown', 'unreadable', BODY_READERS],
    ],
  },
  'last-ferry-linked': {
    pass: 'linked',
    cases: [
      ['no link', body({ linksLastFerry: false }), 'fail', 'missing'],
      ['unreadable', BODY, 'unknown', 'unreadable', BODY_READERS],
    ],
  },
  preconditions: {
    pass: 'ticked',
    cases: [
      ['no box', body({ boxes: [] }), 'fail', 'box-missing'],
      ['another box', body({ boxes: [box('human approval', true)] }), 'fail', 'box-missing'],
      ['an open box', body({ boxes: [box('issue created/updated', false)] }), 'fail', 'box-open'],
      [
        'one of two is open',
        body({ boxes: [box('issue created/updated', true), box('issue created/updated', false)] }),
        'fail',
        'box-open',
      ],
      ['unreadable', BODY, 'unknown', 'unreadable', BODY_READERS],
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
    pass: 'no-budget',
    cases: [
      [
        'a run that costs more',
        policy({ costBudget: { maxAcceleratorHours: '2.49', enforce: 'block' } }),
        'fail',
        'over',
      ],
      [
        'the same where it only warns',
        policy({ costBudget: { maxAcceleratorHours: '2.49', enforce: 'warn' } }),
        'warn',
        'over',
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
      ['a hold', { holds: known([aHold('hold')]) }, 'fail', 'held'],
      ['a skipped day', { holds: known([aHold('skip')]) }, 'fail', 'skipped'],
      ['a freeze', { holds: known([aHold('freeze')]) }, 'fail', 'frozen'],
      ['a broken journal', { holds: unknown('the journal is broken') }, 'unknown', 'unreadable'],
    ],
  },
  'manifest-complete': {
    pass: 'complete',
    cases: [
      ['a shipped path that is gone', { ...UNSHIPPED, ...MANIFEST }, 'fail', 'not-shipped', MANIFEST_READERS],
      ['no manifest', MANIFEST, 'unknown', 'unreadable', MANIFEST_READERS],
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
        given({ given: [anApproval({ standing: known('permission-lost') })] }),
        'fail',
        'not-counting',
      ],
      [
        'a comment that was edited',
        given({ given: [anApproval({ standing: known('comment-edited') })] }),
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
        'text-changed',
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
        given({ given: [], lastDrop: { reason: 'body-edited', digest: DIGEST } }),
        'fail',
        'text-changed',
        ['approver-allowed'],
      ],
      ['no manifest', { bound: unknown('no lib') }, 'unknown', 'unreadable', ['approver-allowed']],
    ],
  },
};

describe('the gates', () => {
  it('are all there, once each, in the order in which they are named', () => {
    expect(ALL_GATES.map((gate) => gate.id)).toEqual(GATES);
    expect(Object.keys(ROWS).toSorted()).toEqual([...GATES].toSorted());
  });

  it('let a ferry through on which nothing is wrong', () => {
    const verdicts = runGates(gateFacts());
    expect(Object.fromEntries(verdicts.map(({ gate, code }) => [gate, code]))).toEqual(
      Object.fromEntries(GATES.map((gate) => [gate, ROWS[gate].pass])),
    );
    expect(verdicts.map(({ outcome }) => outcome)).toEqual(GATES.map(() => 'pass'));
    expect(allPass(verdicts)).toBe(true);
  });

  it('without a single verdict let nothing through', () => {
    expect(allPass([])).toBe(false);
  });
});

describe.each(ALL_GATES.map(({ id }) => id))('%s', (gate) => {
  it.for(ROWS[gate].cases)('%s', ([, facts, outcome, code, others = []]) => {
    const verdicts = runGates(gateFacts(facts));
    expect(verdicts.find((verdict) => verdict.gate === gate)).toMatchObject({ outcome, code });
    expect(allPass(verdicts)).toBe(outcome === 'warn');
    const loud = verdicts.filter((verdict) => verdict.outcome !== 'pass').map((verdict) => verdict.gate);
    expect(loud.toSorted()).toEqual([...new Set([gate, ...others])].toSorted());
  });
});
