/** What /why answers is the smallest set of acts: held against trying every set that there is. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KnobChange } from '../../src/domain/launch/delta.ts';
import { known, unknown } from '../../src/domain/observed.ts';
import type { GateFacts, Remedy } from '../../src/gates/gate.ts';
import { runGates } from '../../src/gates/run-gates.ts';
import { afterAll, remedyKey } from '../../src/gates/why/remedy.ts';
import { remediesFor, smallestRemedy } from '../../src/gates/why/smallest-remedy.ts';
import { digestOf, shaOf } from '../support/run-drafts.ts';
import {
  aBody,
  aChange,
  aCheck,
  aConfigHealth,
  anIssue,
  aPull,
  instant,
  NOON,
} from '../support/run-facts.ts';
import { lane } from './case-parts.ts';
import { aHold, anApproval, gateFacts, someApprovals } from './sample-facts.ts';

const NAMES = ['learning_rate', 'hidden_dim', 'warmup'] as const;
const knob = (name: string): KnobChange => ({
  knob: name,
  path: `train.${name}`,
  before: '1',
  after: '2',
  bucket: null,
  line: 1,
});
const isGreen = (facts: GateFacts): boolean => runGates(facts).every(({ outcome }) => outcome !== 'fail');

/** Facts on which several of a few things are wrong, chosen so that acts overlap and call for one another. */
const troubled: fc.Arbitrary<GateFacts> = fc
  .record({
    knobs: fc.subarray([...NAMES]),
    undeclared: fc.subarray([...NAMES]),
    hasTable: fc.boolean(),
    strict: fc.boolean(),
    stale: fc.boolean(),
    check: fc.constantFrom('green', 'failed', 'running', 'awaits-approval'),
    risk: fc.boolean(),
    box: fc.boolean(),
    extraFile: fc.boolean(),
    told: fc.boolean(),
    linked: fc.boolean(),
    held: fc.boolean(),
    approved: fc.boolean(),
  })
  .map((is) => {
    const changes = is.knobs.map(knob);
    return gateFacts({
      ...lane({ budget: { knobs: 1, enforce: is.strict ? 'block' : 'warn' } }),
      change: known(
        aChange({
          delta: changes.length === 0 ? { kind: 'none' } : { kind: 'knobs', changes },
          changedPaths: ['experiments/ferries/daily.py', ...(is.extraFile ? ['lib/a.py'] : [])],
          ...(is.stale ? { baseSha: shaOf('newer'), mergeBaseAt: instant('2026-11-19T00:00:00Z') } : {}),
        }),
      ),
      body: known(
        aBody({
          risk: is.risk ? 'low' : null,
          hasDeltaTable: is.hasTable,
          boxes: [{ text: 'issue created/updated', checked: is.box, line: 2 }],
          mismatches: is.undeclared
            .filter((name) => is.knobs.includes(name))
            .map((name) => ({
              kind: 'undeclared',
              knob: name,
              path: `train.${name}`,
              declared: null,
              real: '2',
              fileLine: 1,
              bodyLine: null,
              row: null,
            })),
        }),
      ),
      checks: known([aCheck({ state: is.check })]),
      issue: known(anIssue({ body: is.linked ? 'see #13' : '' })),
      issueToldAt: known(is.told ? NOON : instant('2026-11-21T01:00:00Z')),
      holds: known(is.held ? [aHold('hold')] : []),
      approvals: known(someApprovals({ needed: 2, given: is.approved ? [anApproval()] : [] })),
    });
  });

/** Every act that any way to green could take. */
function everyAct(facts: GateFacts): readonly Remedy[] {
  const found = new Map<string, Remedy>();
  const seen = new Set<string>();
  const open: (readonly Remedy[])[] = [[]];
  while (open.length > 0) {
    const chosen = open.pop() ?? [];
    const now = afterAll(facts, chosen);
    for (const verdict of runGates(now).filter(({ outcome }) => outcome === 'fail')) {
      for (const remedy of remediesFor(verdict, now)) {
        found.set(remedyKey(remedy), remedy);
        const grown = chosen.some((one) => remedyKey(one) === remedyKey(remedy)) ? null : [...chosen, remedy];
        const key = grown?.map(remedyKey).toSorted().join('\n') ?? '';
        if (grown !== null && grown.length <= 2 && !seen.has(key)) open.push(grown);
        seen.add(key);
      }
    }
  }
  return [...found.values()];
}

function someSetOf(acts: readonly Remedy[], size: number, facts: GateFacts, from = 0): boolean {
  const choose = (chosen: readonly Remedy[], at: number): boolean => {
    if (chosen.length === size) return isGreen(afterAll(facts, chosen));
    return acts.slice(at).some((act, index) => choose([...chosen, act], at + index + 1));
  };
  return choose([], from);
}

describe('the smallest set of acts', () => {
  it('is as small as the smallest of all sets, and leaves no gate that fails', () => {
    fc.assert(
      fc.property(troubled, (facts) => {
        const { steps, isProven } = smallestRemedy(facts);
        const acts = everyAct(facts);
        const chosen = acts.filter((act) => steps.some((step) => remedyKey(step) === remedyKey(act)));
        expect(isProven).toBe(true);
        expect(chosen).toHaveLength(steps.length);
        expect(isGreen(afterAll(facts, chosen))).toBe(true);
        // Whatever has to be done in every way is no choice: the sets are tried over the rest.
        for (let size = 0; size < steps.length; size += 1)
          expect(someSetOf(acts, size, facts), `a set of ${size}`).toBe(false);
      }),
      { numRuns: 60 },
    );
  });

  it('is empty when everything passes, and takes one act for several gates', () => {
    expect(smallestRemedy(gateFacts())).toMatchObject({ steps: [], people: 0, unreadable: [] });
    const scaled = gateFacts({
      change: known(aChange({ delta: { kind: 'knobs', changes: [knob('warmup'), knob('hidden_dim')] } })),
      body: known(aBody({ mismatches: [{ ...MISMATCH, knob: 'hidden_dim', path: 'train.hidden_dim' }] })),
      checks: known([]),
    });
    expect(smallestRemedy(scaled).steps).toEqual([
      {
        kind: 'take-knob-back',
        about: 'train.hidden_dim',
        by: 'author',
        mends: ['delta-declared', 'scale-stable'],
      },
      expect.objectContaining({ kind: 'tell-issue' }),
      expect.objectContaining({ kind: 'approve' }),
    ]);
  });

  it('knows what a push brings with it: checks that run again, an issue to tell, approvals to give anew', () => {
    const stale = gateFacts({
      change: known(aChange({ baseSha: shaOf('newer'), mergeBaseAt: instant('2026-11-19T00:00:00Z') })),
      approvals: known(someApprovals({ needed: 3 })),
    });
    const plan = smallestRemedy(stale);
    expect(plan.steps.map(({ kind }) => kind)).toEqual([
      'rebase',
      'tell-issue',
      'wait-for-checks',
      'approve',
    ]);
    expect(plan.people).toBe(3);
  });

  it('asks for the people that are missing, and for nobody where none is', () => {
    const one = gateFacts({ approvals: known(someApprovals({ needed: 3 })) });
    expect(smallestRemedy(one)).toMatchObject({ people: 2, steps: [{ kind: 'approve' }] });
    const lost = someApprovals({ given: [anApproval({ digest: digestOf('before') })] });
    expect(smallestRemedy(gateFacts({ approvals: known(lost) }))).toMatchObject({ people: 1 });
  });

  it('tells apart what nobody can mend', () => {
    const away = gateFacts({ checks: unknown('GitHub is away'), pull: known(aPull({ baseBranch: 'dev' })) });
    const plan = smallestRemedy(away);
    expect(plan.unreadable).toEqual([{ gate: 'checks-green', why: 'GitHub is away' }]);
    expect(plan.steps.map(({ kind }) => kind)).toEqual(['retarget', 'approve']);
  });

  it('finds a way also where more is wrong than can be tried', () => {
    const many = Array.from({ length: 14 }, (_, index) => knob(`k${index}`));
    const facts = gateFacts({
      change: known(aChange({ delta: { kind: 'knobs', changes: many } })),
      ...lane({ budget: { knobs: 2, enforce: 'block' } }),
      configHealth: known(aConfigHealth({ isValid: false })),
    });
    const plan = smallestRemedy(facts);
    expect(plan.steps.filter(({ kind }) => kind === 'take-knob-back')).toHaveLength(12);
  });
});

const MISMATCH = {
  kind: 'undeclared',
  knob: '',
  path: null,
  declared: null,
  real: '2',
  fileLine: 1,
  bodyLine: null,
  row: null,
} as const;
