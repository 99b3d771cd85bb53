// Cases of the gates for the change itself and its text.

import type { ModelSize } from '../../src/domain/launch/change-facts.ts';
import { known, unknown } from '../../src/domain/values.ts';
import type { FerryLane } from '../../src/kinds/ferry/settings.ts';
import { alice } from '../support/run-drafts.ts';
import { aChange } from '../support/run-facts.ts';
import {
  BEHIND,
  BODY,
  BODY_READERS,
  body,
  box,
  type Case,
  CHANGE,
  CHANGE_READERS,
  COUNTING,
  hours,
  knob,
  knobs,
  LATER,
  lane,
  MANIFEST,
  MANIFEST_READERS,
  mismatch,
  NO_CHANGE,
  type Rows,
  STRUCTURAL,
  UNPARSABLE,
  UNSHIPPED,
} from './case-parts.ts';
import { aManifest } from './gate-manifest.ts';
import { LANE, PROPOSAL } from './sample-facts.ts';

const FOR_A_SCALE: FerryLane = {
  ...LANE,
  scale: { parameters: '125e6', flops: '1e19', tolerancePercent: 20, tokens: null, flopsVariable: 'FLOPS' },
};
const sized = (size: ModelSize): Case[1] => ({ change: known(aChange({ size })), lane: FOR_A_SCALE });

export const CHANGE_CASES = {
  freshness: {
    pass: 'fresh',
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
        'fresh',
      ],
      [
        'a base that the target branch never pointed to',
        { change: known(aChange({ ...BEHIND, isPastTip: known(false) })) },
        'fail',
        'no-past-tip',
      ],
      [
        'moves of the target branch that cannot be read',
        { change: known(aChange({ ...BEHIND, isPastTip: unknown('GitHub is away') })) },
        'unknown',
        'unreadable',
      ],
      ['unreadable', CHANGE, 'unknown', 'unreadable', CHANGE_READERS],
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
      ...(['undeclared', 'unchanged'] as const).map(
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
        { ...knobs('a', 'b', 'c'), ...lane({ budget: { knobs: 2, enforce: 'block' } }) },
        'fail',
        'over',
      ],
      ['unreadable', CHANGE, 'unknown', 'unreadable', CHANGE_READERS],
    ],
  },
  'scale-stable': {
    pass: 'unchanged',
    cases: [
      [
        'a run far from what the lane is for',
        sized({ kind: 'known', parameters: 125e6, flops: 1.3e19 }),
        'fail',
        'off-target',
      ],
      ['a size that nobody can tell', sized({ kind: 'unknown', why: 'no number' }), 'fail', 'not-computed'],
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
      ['no manifest', MANIFEST, 'unknown', 'unreadable', MANIFEST_READERS],
      [
        'a manifest of another day',
        { manifest: known(aManifest({ runName: 'daily-125m-2026-11-20' })) },
        'fail',
        'wrong-name',
      ],
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
      ['no box', body({ boxes: [] }), 'fail', 'box-open'],
      ['another box', body({ boxes: [box('human approval', true)] }), 'fail', 'box-open'],
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
  'manifest-complete': {
    pass: 'complete',
    cases: [
      ['a shipped path that is gone', { ...UNSHIPPED, ...MANIFEST }, 'fail', 'not-shipped', MANIFEST_READERS],
      ['no manifest', MANIFEST, 'unknown', 'unreadable', MANIFEST_READERS],
      [
        'a sign that nobody sees',
        { manifest: known({ ...aManifest(), command: [...aManifest().command, 'da\u200bily.py'] }) },
        'fail',
        'unseen',
      ],
      [
        'a command that the card has no room for',
        { manifest: known({ ...aManifest(), command: [...aManifest().command, 'x'.repeat(20_000)] }) },
        'fail',
        'too-long',
      ],
    ],
  },
} satisfies Partial<Rows>;
