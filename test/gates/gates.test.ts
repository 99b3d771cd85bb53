/** Every gate passes on good facts, blocks alone on each of its bad facts with its code, and is unknown without its fact. */

import { describe, expect, it } from 'vitest';
import type { KnobChange } from '../../src/domain/delta.ts';
import type { Mismatch } from '../../src/domain/facts.ts';
import { known, unknown } from '../../src/domain/observed.ts';
import { allPass, GATES, type GateId, type Verdict } from '../../src/domain/verdict.ts';
import type { GateFacts } from '../../src/gates/gate.ts';
import { ALL_GATES, runGates } from '../../src/gates/run-gates.ts';
import { alice } from '../support/run-drafts.ts';
import { aBody, aChange, anIssue, aPull } from '../support/run-facts.ts';
import { aManifest } from '../support/run-parts.ts';
import { aHold, gateFacts, POLICY, PROPOSAL } from './sample-facts.ts';

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
const CHANGE_READERS: readonly GateId[] = ['scope', 'delta-readable', ...COUNTING];
const BODY_READERS: readonly GateId[] = [
  'delta-declared',
  'risk-present',
  'last-ferry-linked',
  'preconditions',
];
const MANIFEST: Facts = { manifest: unknown('the proposed commit has no lib') };
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
    pass: 'linked',
    cases: [
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
      ['no manifest', MANIFEST, 'unknown', 'unreadable', ['manifest-complete']],
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
    cases: [['no manifest', MANIFEST, 'unknown', 'unreadable', ['cluster-matches']]],
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
