/** What somebody can do about a gate that fails, as data: what it is, who can, and what the facts would be afterwards. */

import type { ChangeFacts } from '../../domain/facts.ts';
import { branded, type Digest, type Instant, isDigest } from '../../domain/ids.ts';
import type { RemedyKind } from '../../domain/launch/remedy-kind.ts';
import type { RemedyActor } from '../../domain/launch/verdict.ts';
import { known, type Observed } from '../../domain/observed.ts';
import { after } from '../../domain/time.ts';
import type { GateFacts } from '../gate.ts';

/** The order in which things are done: what moves the head comes first, approvals come last. */
export const REMEDY_PHASES = ['push', 'text', 'lab', 'issue', 'start', 'wait', 'release', 'approve'] as const;
export type RemedyPhase = (typeof REMEDY_PHASES)[number];

/** `about`: the knob, box, run, or number of people. `apply` is idempotent, and supposes that it is done well. */
export type Remedy = {
  readonly kind: RemedyKind;
  readonly about: string;
  readonly by: RemedyActor;
  readonly phase: RemedyPhase;
  readonly apply: (facts: GateFacts) => GateFacts;
};

/** Two remedies with one key are the same act. */
export function remedyKey({ kind, about }: Pick<Remedy, 'kind' | 'about'>): string {
  return `${kind} ${about}`;
}

/** The facts after all of these were done, in the order in which they have to be. */
export function afterAll(facts: GateFacts, remedies: readonly Remedy[]): GateFacts {
  const inOrder = remedies.toSorted(
    (a, b) =>
      REMEDY_PHASES.indexOf(a.phase) - REMEDY_PHASES.indexOf(b.phase) ||
      (remedyKey(a) < remedyKey(b) ? -1 : 1),
  );
  return inOrder.reduce((now, remedy) => remedy.apply(now), facts);
}

/** A change of one fact; one that cannot be read stays so: nothing that people do makes GitHub readable. */
export function changed<Value>(fact: Observed<Value>, change: (value: Value) => Value): Observed<Value> {
  return fact.kind === 'known' ? known(change(fact.value)) : fact;
}

/** A new commit: green checks run again (what failed or waits for approval does so again), the issue is older than the change, and approvals fall. */
export function pushed(facts: GateFacts, change: (value: ChangeFacts) => ChangeFacts): GateFacts {
  return reworded({
    ...facts,
    change: changed(facts.change, (value) => ({ ...change(value), headAt: soon(facts) })),
    checks: changed(facts.checks, (all) =>
      all.map((check) =>
        check.ours || check.state !== 'green' ? check : { ...check, state: 'running', says: 'queued' },
      ),
    ),
  });
}

/** The moment after this one, in which people would act. */
export function soon({ now }: GateFacts): Instant {
  return after(now, 1);
}

/** Another text or manifest than before: whatever was approved was approved for something else. */
export function reworded(facts: GateFacts): GateFacts {
  return {
    ...facts,
    approvals: changed(facts.approvals, (value) => ({ ...value, given: [], lastDrop: null })),
    bound: facts.bound.kind === 'known' ? facts.bound : known({ digest: NEXT, body: NEXT }),
  };
}

/** Stands for a manifest that nobody has seen yet. */
const NEXT: Digest = branded(`sha256:${'0'.repeat(64)}`, isDigest);
