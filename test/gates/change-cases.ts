// Cases of the gates for the change itself and its text.

import type { ModelSize } from '../../src/domain/launch/change-facts.ts';
import { known, unknown } from '../../src/domain/values.ts';
import type { FerryLane } from '../../src/kinds/ferry/settings.ts';
import { alice } from '../support/run-drafts.ts';
import { aChange } from '../support/run-facts.ts';
import {
  BEHIND,
  BODY,
  body,
  box,
  type Case,
  CHANGE,
  hours,
  knob,
  knobs,
  LATER,
  lane,
  MANIFEST,
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
  freshness: [
    ['more than a day behind', { change: known(aChange({ ...BEHIND, mergeBaseAt: hours(-24.01) })) }],
    ['a day, and something shipped changed', { change: known(aChange({ ...BEHIND, laterCommits: LATER })) }],
    [
      'a base that the target branch never pointed to',
      { change: known(aChange({ ...BEHIND, isPastTip: known(false) })) },
    ],
    [
      'moves of the target branch that cannot be read',
      { change: known(aChange({ ...BEHIND, isPastTip: unknown('GitHub is away') })) },
    ],
    ['unreadable', CHANGE],
  ],
  scope: [
    ['a second file', { change: known(aChange({ changedPaths: ['experiments/ferries/daily.py', 'a'] })) }],
    ['a file that only begins alike', { change: known(aChange({ changedPaths: ['experiments/ferries/daily.pyc'] })) }],
    ['unreadable', CHANGE],
  ],
  'delta-readable': [
    ['a structural change', STRUCTURAL],
    ['a file that is no Python', UNPARSABLE],
    ['unreadable', CHANGE],
  ],
  'delta-declared': [
    ...(['undeclared', 'unchanged'] as const).map((kind): Case => [kind, body({ mismatches: [mismatch(kind)] })]),
    ['no table', body({ hasDeltaTable: false })],
    ['unreadable body', BODY],
    ['a structural change', STRUCTURAL],
  ],
  budget: [
    ['three knobs', knobs('a', 'b', 'c')],
    [
      'three knobs where the lab says block',
      { ...knobs('a', 'b', 'c'), ...lane({ budget: { knobs: 2, enforce: 'block' } }) },
    ],
    ['unreadable', CHANGE],
  ],
  'scale-stable': [
    ['a run far from what the lane is for', sized({ kind: 'known', parameters: 125e6, flops: 1.3e19 })],
    ['a size that nobody can tell', sized({ kind: 'unknown', why: 'no number' })],
    ['the scale by path', knobs('train.model')],
    [
      'the scale by name',
      { change: known(aChange({ delta: { kind: 'knobs', changes: [knob('x.hidden_dim', 'hidden_dim')] } })) },
    ],
    [
      'the scale, named in an objective that nobody asked for',
      {
        ...knobs('hidden_dim'),
        proposal: { ...PROPOSAL, objective: { kind: 'integration', text: 'raise hidden_dim' } },
      },
    ],
    [
      'the scale, when a person asked for something else',
      { ...knobs('hidden_dim'), proposal: { ...PROPOSAL, requestedBy: alice } },
    ],
    ['unreadable', CHANGE],
  ],
  'identical-rerun': [
    ['a rerun for nothing', NO_CHANGE],
    ['a rerun whose body cannot be read', { ...NO_CHANGE, ...BODY }],
    ['unreadable', CHANGE],
  ],
  'run-name-dated': [
    ['no manifest', MANIFEST],
    ['a manifest of another day', { manifest: known(aManifest({ runName: 'daily-125m-2026-11-20' })) }],
    ["yesterday's name", { proposal: { ...PROPOSAL, runName: 'daily-125m-2026-11-20' } }],
    ['a name with more behind it', { proposal: { ...PROPOSAL, runName: `${PROPOSAL.runName}-2` } }],
  ],
  'risk-present': [
    ['no risk', body({ risk: null })],
    ['unreadable', BODY],
  ],
  'last-ferry-linked': [
    ['no link', body({ linksLastFerry: false })],
    ['unreadable', BODY],
  ],
  preconditions: [
    ['no box', body({ boxes: [] })],
    ['another box', body({ boxes: [box('human approval', true)] })],
    ['an open box', body({ boxes: [box('issue created/updated', false)] })],
    ['one of two is open', body({ boxes: [box('issue created/updated', true), box('issue created/updated', false)] })],
    ['unreadable', BODY],
  ],
  'manifest-complete': [
    ['a shipped path that is gone', { ...UNSHIPPED, ...MANIFEST }],
    ['no manifest', MANIFEST],
    [
      'a sign that nobody sees',
      { manifest: known({ ...aManifest(), command: [...aManifest().command, 'da\u200bily.py'] }) },
    ],
    [
      'a command that the card has no room for',
      { manifest: known({ ...aManifest(), command: [...aManifest().command, 'x'.repeat(20_000)] }) },
    ],
  ],
} satisfies Partial<Rows>;
