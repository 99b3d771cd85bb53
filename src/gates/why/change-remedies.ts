/** What mends the gates over the change and its text: pushes, and edits of the pull request's body. */

import type { BodyFacts, Mismatch } from '../../domain/facts.ts';
import type { KnobChange } from '../../domain/launch/delta.ts';
import type { RemedyKind } from '../../domain/launch/remedy-kind.ts';
import type { Verdict } from '../../domain/launch/verdict.ts';
import type { GateFacts } from '../gate.ts';
import { isScale } from '../scale-stable.ts';
import { changed, pushed, type Remedy, reworded } from './remedy.ts';

/** The remedies for one verdict, each of which alone takes away what it names first; none for a gate of the lane. */
export function changeRemedies(verdict: Verdict, facts: GateFacts): readonly Remedy[] {
  switch (verdict.gate) {
    case 'head-repository':
      return [
        push('push-here', (now) => ({
          ...now,
          pull: changed(now.pull, (value) => ({ ...value, headRepository: now.repository })),
        })),
      ];
    case 'authors-known':
      return [authorRemedy(verdict)];
    case 'freshness':
      return [
        push('rebase', (now) =>
          pushed(now, (value) => ({ ...value, mergeBase: value.baseSha, laterCommits: [] })),
        ),
      ];
    case 'scope':
      return [
        push('take-files-out', (now) =>
          pushed(now, (value) => ({
            ...value,
            changedPaths: value.changedPaths.filter((path) => now.policy.scope.includes(path)),
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
      const scaled = knobsOf(facts).find(
        (one) => isScale(one, facts.policy.scaleKnobs) && one.knob === verdict.found['knob'],
      );
      return scaled === undefined ? [] : [takeKnobBack(scaled.path)];
    }
    case 'identical-rerun':
      return [edit('declare-regression', '', (body) => ({ ...body, objectiveKind: 'regression' }))];
    case 'risk-present':
      return [edit('write-risk', '', (body) => ({ ...body, risk: 'low' }))];
    case 'last-ferry-linked':
      return [edit('link-last-ferry', '', (body) => ({ ...body, linksLastFerry: true }))];
    case 'preconditions':
      return [boxRemedy(verdict)];
    case 'manifest-complete':
      return [
        push('put-back-shipped', (now) =>
          pushed(now, (value) => ({
            ...value,
            trees: Object.fromEntries(
              now.policy.ships.map((path) => [
                path,
                value.trees[path] ?? Object.values(value.trees)[0] ?? null,
              ]),
            ),
          })),
        ),
      ];
    default:
      return [];
  }
}

/** What nobody can be named for is taken back, and whoever does that is an author then. */
function authorRemedy({ code }: Verdict): Remedy {
  const named = (now: GateFacts): GateFacts => ({
    ...now,
    authors: changed(now.authors, (value) => ({
      ...value,
      unnamed: value.unnamed.filter((one) => (one.code === 'edit-unnamed') !== (code === 'edit-unnamed')),
    })),
  });
  return code === 'edit-unnamed'
    ? { kind: 'put-text-back', about: '', by: 'author', phase: 'text', apply: (now) => reworded(named(now)) }
    : push('put-branch-back', (now) => pushed(named(now), (value) => value));
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

function boxRemedy({ code, found }: Verdict): Remedy {
  const text = String(found['box'] ?? '');
  return edit(code === 'box-missing' ? 'add-box' : 'tick-box', text, (body) => ({
    ...body,
    boxes: [...body.boxes.filter((box) => box.text !== text), { text, checked: true, line: 0 }],
  }));
}

function push(kind: RemedyKind, apply: Remedy['apply']): Remedy {
  return { kind, about: '', by: 'author', phase: 'push', apply };
}

function edit(kind: RemedyKind, about: string, change: (body: BodyFacts) => BodyFacts): Remedy {
  const apply: Remedy['apply'] = (facts) => reworded({ ...facts, body: changed(facts.body, change) });
  return { kind, about, by: 'author', phase: 'text', apply };
}
