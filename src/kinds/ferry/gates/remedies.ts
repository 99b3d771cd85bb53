/** What mends the gates that only ferries have: pushes to the branch, and edits of the proposal's text. */

import type { ChangeFacts, Mismatch } from '../../../domain/facts.ts';
import { newDelta } from '../../../domain/launch/base.ts';
import type { Delta, KnobChange } from '../../../domain/launch/delta.ts';
import type { Verdict } from '../../../domain/launch/verdict.ts';
import { changed } from '../../../domain/observed.ts';
import { readFacts } from '../../../domain/payload.ts';
import type { GateFacts, Remedy } from '../../../gates/gate.ts';
import { edit, push, pushed } from '../../../gates/why/remedy.ts';
import { ferryLane, mayChange } from '../settings.ts';
import { isScale } from './scale-stable.ts';

/** The remedies for one verdict; none for a gate that is no ferry's. */
export function ferryRemedies(verdict: Verdict, facts: GateFacts): readonly Remedy[] {
  switch (verdict.gate) {
    case 'scope':
      return [
        push('take-files-out', (now) =>
          pushed(now, (value) => ({
            ...value,
            changedPaths: value.changedPaths.filter((path) =>
              mayChange(ferryLane(now.lane), path, now.fixOf !== null),
            ),
          })),
        ),
      ];
    case 'delta-readable':
      return [
        push(verdict.code === 'unparsable' ? 'repair-file' : 'change-values-only', (now) =>
          pushed(now, ({ base, ...value }) => ({
            ...value,
            delta: { kind: 'knobs', changes: [] },
            base: base === null ? null : { ...base, delta: { kind: 'knobs', changes: [] } },
          })),
        ),
      ];
    case 'delta-declared':
      return declaredRemedies(facts);
    case 'budget':
      return [...newKnobs(facts).map(({ path }) => takeKnobBack(path)), ...valuesAlone(verdict)];
    case 'scale-stable': {
      const knob = readFacts({ knob: 'text' }, verdict.found)?.knob;
      const scaled = newKnobs(facts).find(
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

/** What changes besides values is taken back; the values stay. */
function valuesAlone({ code }: Verdict): readonly Remedy[] {
  if (code !== 'leaves-more') return [];
  const alone = (delta: Delta): Delta =>
    delta.kind === 'knobs' ? { kind: 'knobs', changes: delta.changes } : delta;
  return [
    push('change-values-only', (now) =>
      pushed(now, ({ base, ...value }) => ({
        ...value,
        delta: alone(value.delta),
        base: base === null ? null : { ...base, delta: alone(base.delta) },
      })),
    ),
  ];
}

function declaredRemedies(facts: GateFacts): readonly Remedy[] {
  if (facts.body.kind === 'unknown') return [];
  const { hasDeltaTable, mismatches } = facts.body.value;
  const first = mismatches[0];
  const table = edit('write-table', '', (body) => ({ ...body, hasDeltaTable: true, mismatches: [] }));
  const back = newKnobs(facts).filter(({ path }) => first === undefined || path === first.path);
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

/** Only what is new can be taken back: without what runs as it ran in the pass it would be another change. */
function newKnobs({ change }: GateFacts): readonly KnobChange[] {
  return change.kind === 'known' ? changesIn(newDelta(change.value)) : [];
}

function changesIn(delta: Delta): readonly KnobChange[] {
  return delta.kind === 'knobs' ? delta.changes : [];
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
        (value) => takenBack(value, path),
      ),
  };
}

/** Back to what the pass ran, where there is one: against the target branch that may still be a change. */
function takenBack(value: ChangeFacts, path: string): ChangeFacts {
  const { delta, base } = value;
  const fresh = changesIn(newDelta(value)).find((one) => one.path === path);
  if (fresh === undefined) return value;
  if (base === null) return { ...value, delta: withKnob(delta, path, null) };
  const before = changesIn(delta).find((one) => one.path === path)?.before ?? fresh.after;
  const row = before === fresh.before ? null : { ...fresh, before, after: fresh.before };
  return {
    ...value,
    delta: withKnob(delta, path, row),
    base: { ...base, delta: withKnob(base.delta, path, null) },
  };
}

/** The delta with this row for the knob in place of what it had, or without it. */
function withKnob(delta: Delta, path: string, row: KnobChange | null): Delta {
  const others = changesIn(delta).filter((one) => one.path !== path);
  const changes = row === null ? others : [...others, row];
  return changes.length === 0 ? { kind: 'none' } : { kind: 'knobs', changes };
}
