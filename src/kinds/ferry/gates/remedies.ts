/** What mends the gates that only ferries have: pushes to the branch, and edits of the proposal's text. */

import type { Mismatch } from '../../../domain/facts.ts';
import type { KnobChange } from '../../../domain/launch/delta.ts';
import type { Verdict } from '../../../domain/launch/verdict.ts';
import { readFacts } from '../../../domain/payload.ts';
import type { GateFacts, Remedy } from '../../../gates/gate.ts';
import { changed, edit, push, pushed } from '../../../gates/why/remedy.ts';
import { ferryLane } from '../settings.ts';
import { isScale } from './scale-stable.ts';

/** The remedies for one verdict; none for a gate that is no ferry's. */
export function ferryRemedies(verdict: Verdict, facts: GateFacts): readonly Remedy[] {
  switch (verdict.gate) {
    case 'scope':
      return [
        push('take-files-out', (now) =>
          pushed(now, (value) => ({
            ...value,
            changedPaths: value.changedPaths.filter((path) => ferryLane(now.lane).scope.includes(path)),
          })),
        ),
      ];
    case 'delta-readable':
      return [
        push(verdict.code === 'unparsable' ? 'repair-file' : 'change-values-only', (now) =>
          pushed(now, (value) => ({ ...value, delta: { kind: 'knobs', changes: [] } })),
        ),
      ];
    case 'delta-declared':
      return declaredRemedies(facts);
    case 'budget':
      return knobsOf(facts).map(({ path }) => takeKnobBack(path));
    case 'scale-stable': {
      const knob = readFacts({ knob: 'text' }, verdict.found)?.knob;
      const scaled = knobsOf(facts).find(
        (one) => isScale(one, ferryLane(facts.lane).scaleKnobs) && one.knob === knob,
      );
      return scaled === undefined ? [] : [takeKnobBack(scaled.path)];
    }
    case 'identical-rerun':
      return [edit('declare-regression', '', (body) => ({ ...body, objectiveKind: 'regression' }))];
    case 'risk-present':
      return [edit('write-risk', '', (body) => ({ ...body, risk: 'low' }))];
    case 'last-ferry-linked':
      return [edit('link-last-ferry', '', (body) => ({ ...body, linksLastFerry: true }))];
    default:
      return [];
  }
}

function declaredRemedies(facts: GateFacts): readonly Remedy[] {
  if (facts.body.kind === 'unknown') return [];
  const { hasDeltaTable, mismatches } = facts.body.value;
  const first = mismatches[0];
  const table = edit('write-table', '', (body) => ({ ...body, hasDeltaTable: true, mismatches: [] }));
  const back = knobsOf(facts).filter(({ path }) => first === undefined || path === first.path);
  const alternatives = back.map(({ path }) => takeKnobBack(path));
  if (!hasDeltaTable) return [table, ...alternatives];
  if (first === undefined) return [];
  const row = edit('mend-row', first.path ?? first.knob, (body) => ({
    ...body,
    mismatches: body.mismatches.filter((one) => !isSameRow(one, first)),
  }));
  return [row, ...alternatives];
}

function isSameRow(a: Mismatch, b: Mismatch): boolean {
  return a.knob === b.knob && a.path === b.path;
}

function knobsOf({ change }: GateFacts): readonly KnobChange[] {
  return change.kind === 'known' && change.value.delta.kind === 'knobs' ? change.value.delta.changes : [];
}

/** The knob and its row of the table. */
function takeKnobBack(path: string): Remedy {
  return {
    kind: 'take-knob-back',
    about: path,
    by: 'author',
    phase: 'push',
    apply: (facts) =>
      pushed(
        {
          ...facts,
          body: changed(facts.body, (body) => ({
            ...body,
            mismatches: body.mismatches.filter((one) => one.path !== path),
          })),
        },
        (value) => {
          if (value.delta.kind !== 'knobs') return value;
          const changes = value.delta.changes.filter((one) => one.path !== path);
          return { ...value, delta: changes.length === 0 ? { kind: 'none' } : { kind: 'knobs', changes } };
        },
      ),
  };
}
