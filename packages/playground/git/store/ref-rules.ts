/** The conditions of a ref update that need no history. Both stores check the same ones in the same order. */

import type { RefOutcome, RefUpdate, Sha } from './git-store.ts';
import type { ObjectType } from './object-encoding.ts';
import { isRefName, refNamesCollide } from './ref-name.ts';

/** The facts at the time of the update; `type` is the type of the target object, null when it is absent. */
type RefFacts = { readonly refs: ReadonlyMap<string, Sha>; readonly type: ObjectType | null };

/** Why the update is refused, or null when only the fast-forward check can still refuse it. */
export function refuseRef(update: RefUpdate, facts: RefFacts): Exclude<RefOutcome, 'updated'> | null {
  const { ref, sha, expected } = update;
  if (!isRefName(ref)) return 'bad-name';
  const current = facts.refs.get(ref) ?? null;
  if (expected !== undefined && expected !== current) return 'stale';
  if (sha === null) return current === null && expected !== null ? 'stale' : null;
  if (facts.type === null || (ref.startsWith('refs/heads/') && facts.type !== 'commit')) return 'missing-object';
  const collides = current === null && [...facts.refs.keys()].some((other) => refNamesCollide(other, ref));
  return collides ? 'bad-name' : null;
}

/** The commit that `update.sha` must descend from, or null when any target is allowed. */
export function fastForwardBase(update: RefUpdate, current: Sha | null): Sha | null {
  if (current === null || update.sha === null || update.sha === current || update.force === true) return null;
  return current;
}
