/** What the gates want to know about a PR body, drawn from its parts and the real delta. */

import type { BodyFacts } from '../../../domain/facts.ts';
import { remembered } from '../../../domain/remembered.ts';
import type { TextAbout } from '../../../run/kind.ts';
import { compareDeclared } from './compare-declared.ts';
import { presentValue } from './part.ts';
import { readPullBody } from './read-pull-body.ts';

const readOnce = remembered(readPullBody, (markdown) => markdown);

/**
 * The facts, null where the text cannot be read. The last ferry counts as linked when its issue or PR
 * is named; where there was none, when the body says so or names something; a malformed part is a missing part.
 */
export function bodyFacts(
  markdown: string,
  { delta, last }: TextAbout,
): Omit<BodyFacts, 'fingerprint'> | null {
  const body = readOnce(markdown);
  if (body === null) return null;
  const rows = presentValue(body.delta);
  const references = presentValue(body.lastFerry);
  const tableLine = body.delta.kind === 'absent' ? null : body.delta.line;
  return {
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
