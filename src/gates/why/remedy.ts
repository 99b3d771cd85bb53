/** What the facts would be after somebody did something about a gate that fails. */

import type { BodyFacts, ChangeFacts } from '../../domain/facts.ts';
import { branded, type Digest, type Instant, isDigest } from '../../domain/ids.ts';
import { changed, known } from '../../domain/observed.ts';
import { after } from '../../domain/time.ts';
import { type GateFacts, REMEDY_PHASES, type Remedy } from '../gate.ts';

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

/** What its author pushes. */
export function push(kind: Remedy['kind'], apply: Remedy['apply']): Remedy {
  return { kind, about: '', by: 'author', phase: 'push', apply };
}

/** What its author writes anew in the proposal's text. */
export function edit(kind: Remedy['kind'], about: string, change: (body: BodyFacts) => BodyFacts): Remedy {
  const apply: Remedy['apply'] = (facts) => reworded({ ...facts, body: changed(facts.body, change) });
  return { kind, about, by: 'author', phase: 'text', apply };
}
