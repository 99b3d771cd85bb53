/** What the gates want to know about a PR body, drawn from its parts and the real delta. */

import type { BodyFacts } from '../../../domain/facts.ts';
import type { Digest } from '../../../domain/ids.ts';
import type { Delta } from '../../../domain/launch/delta.ts';
import { compareDeclared } from './compare-declared.ts';
import { presentValue } from './part.ts';
import type { PullBody } from './read-pull-body.ts';

/** The last ferry as the logbook knows it; null where there was none. */
export type KnownFerry = { readonly issue: number; readonly pull: number };

/**
 * The facts. `fingerprint` is the digest of `bodyFingerprintText`. The last ferry counts as linked when its issue or PR
 * is named; where there was none, when the body says so or names something; a malformed part is a missing part.
 */
export function bodyFacts(input: {
  readonly body: PullBody;
  readonly delta: Delta;
  readonly last: KnownFerry | null;
  readonly fingerprint: Digest;
}): BodyFacts {
  const { body, delta, last, fingerprint } = input;
  const rows = presentValue(body.delta);
  const references = presentValue(body.lastFerry);
  const tableLine = body.delta.kind === 'absent' ? null : body.delta.line;
  return {
    fingerprint,
    risk: presentValue(body.risk),
    objectiveKind: presentValue(body.objective)?.kind ?? null,
    linksLastFerry:
      references !== null &&
      (last === null || references.numbers.includes(last.issue) || references.numbers.includes(last.pull)),
    hasDeltaTable: rows !== null,
    mismatches: compareDeclared(delta, rows ?? [], tableLine),
    boxes: presentValue(body.checklist) ?? [],
  };
}
