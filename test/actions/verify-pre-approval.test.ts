/**
 * What the launcher checks for a fix without an approval comment: the record of control is not sufficient.
 */

import { describe, expect, it } from 'vitest';
import { type FixCheck, preApprovalFault } from '../../src/actions/verify-approval.ts';
import type { Manifest } from '../../src/domain/launch/manifest.ts';
import type { Order } from '../../src/domain/launch/order.ts';
import { affectsTraining } from '../../src/domain/launch/small-fix.ts';
import type { PastAttempt, RunState } from '../../src/domain/logbook/run-state.ts';
import { type Digest, known, type Observed, unknown } from '../../src/domain/values.ts';
import { canonicalDigest } from '../../src/logbook/chain.ts';
import { gateFacts } from '../gates/sample-facts.ts';
import { aRun } from '../support/run-builder.ts';
import { bob, digestOf } from '../support/run-drafts.ts';

const { state } = aRun().gated().shown().approved(bob).ordered().claimed().submitted().ended();
const plain = state.order?.manifest;
if (plain == null || state.order === null) throw new Error('no manifest');
const APPROVED: Manifest = { ...plain, envelope: { ...plain.envelope, fixes: ['lib/tools'] } };
const NEXT: Manifest = { ...APPROVED, trees: { lib: 'f'.repeat(40) } };
const DIGEST = canonicalDigest(APPROVED, digestOf);
const BARE = canonicalDigest(plain, digestOf);
const ORDER = state.order.order;

function past(manifest: Manifest, change: Partial<Order> = {}): PastAttempt {
  if (state.order === null || state.submission === null || state.end === null) throw new Error('not over');
  const order = { ...state.order, manifest, order: { ...ORDER, digest: DIGEST, ...change } };
  const { submission, end } = state;
  return { order, submission, end, observation: null, firstEval: null, firstTracker: null, trace: [] };
}

type Case = {
  readonly attempts?: readonly PastAttempt[];
  readonly preApprovedBy?: Digest;
  readonly fix?: Observed<FixCheck>;
  readonly now?: Manifest;
};

function judged({
  attempts = [past(APPROVED)],
  preApprovedBy = DIGEST,
  fix = known({ kind: 'mended', path: 'lib/tools/report.py' }),
  now = NEXT,
}: Case): string | null {
  const run: RunState = { ...state, attempts };
  const order: Order = { ...ORDER, digest: canonicalDigest(now, digestOf), preApprovedBy };
  const gates = known({ ...gateFacts(), manifest: known(now) });
  return preApprovalFault(run, order, fix, { gates, digestOf })?.code ?? null;
}

describe('a fix that claims an approval beforehand', () => {
  it('is launched if the approved manifest names its file and the commit contains only the fix', () => {
    expect(judged({})).toBeNull();
  });

  const refusals: readonly (readonly [what: string, change: Case, code: string])[] = [
    ['if no attempt of that manifest ran', { attempts: [] }, 'fix-not-approved'],
    [
      'if the approved manifest names no file',
      { attempts: [past(plain, { digest: BARE })], preApprovedBy: BARE, now: { ...plain, trees: {} } },
      'fix-not-approved',
    ],
    [
      'if the record contains a manifest other than the approved one',
      { attempts: [past({ ...APPROVED, cluster: 'elsewhere' })], now: { ...NEXT, cluster: 'elsewhere' } },
      'fix-not-approved',
    ],
    [
      'if the fix changes a file that is not named',
      { fix: known({ kind: 'mended', path: 'lib/other.py' }) },
      'fix-not-approved',
    ],
    [
      'if the fix changes a model, even if it is named',
      { fix: known({ kind: 'mended', path: 'lib/tools/model.py' }) },
      'fix-not-approved',
    ],
    [
      'if the commit differs from the fix',
      { fix: known({ kind: 'otherwise', why: 'it has another text' }) },
      'fix-not-approved',
    ],
    [
      'if the manifest differs in more than its files',
      { now: { ...NEXT, command: ['python3', 'other.py'] } },
      'fix-not-approved',
    ],
    [
      'if the run already had an attempt with such an approval',
      { attempts: [past(APPROVED), past(NEXT, { digest: digestOf('first fix'), preApprovedBy: DIGEST })] },
      'fix-not-approved',
    ],
    [
      'if the approved manifest was itself launched with an approval given beforehand',
      { attempts: [past(APPROVED, { preApprovedBy: digestOf('before') })] },
      'fix-not-approved',
    ],
    ['if the files cannot be read', { fix: unknown('git is away') }, 'unreadable'],
  ];
  // threat T216
  it.each(refusals)('is not launched %s', (_what, change, code) => {
    expect(judged(change)).toBe(code);
  });
});

it('an order that names a pre-approving manifest without a fix is rejected by the record', () => {
  const approved = aRun().gated().shown().approved(bob);
  const digest = approved.state.gate?.digest ?? DIGEST;
  expect(() => approved.ordered({ preApprovedBy: digest })).toThrow('no manifest has approved beforehand');
});

it.each([
  ['lib/smalllab/model.py', true],
  ['lib/data/report.py', true],
  ['lib/smalllab/lrSchedule.py', true],
  ['lib/myOptimizer.py', true],
  ['lib/smalllab/report.py', false],
  ['lib/smalllab/log_setup.py', false],
])('a path like %s concerns model, optimizer or data: %s', (path, speaks) => {
  expect(affectsTraining(path)).toBe(speaks);
});
