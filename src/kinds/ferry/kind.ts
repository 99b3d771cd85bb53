/** The ferry: a small scheduled regression run in which one or two settings of one experiment file change each time. */

import { METRICS_JUDGE } from '../../config/rules/lane-rules.ts';
import { covers } from '../../domain/launch/whole-tree.ts';
import type { Gate } from '../../gates/gate.ts';
import { defineKind } from '../../run/kind.ts';
import { ferryObjective, objectiveQuestion, USUAL_OBJECTIVE } from './ask/objective.ts';
import { bodyFacts } from './body/compare-declared.ts';
import { FERRY_CLOSURE_LOG } from './closure-log.ts';
import {
  budget,
  deltaDeclared,
  deltaReadable,
  identicalRerun,
  lastFerryLinked,
  riskPresent,
  scaleStable,
  scope,
  sizeOf,
} from './gates.ts';
import { planProposal } from './plan/plan.ts';
import { planOfPull } from './plan/plan-pull.ts';
import { readStart } from './read-start.ts';
import { FERRY_RULES } from './rules.ts';
import { ferryLane, ferrySettings, fixableOf } from './settings.ts';

const FERRY_GATES: readonly Gate[] = [
  scope,
  deltaReadable,
  deltaDeclared,
  budget,
  scaleStable,
  identicalRerun,
  riskPresent,
  lastFerryLinked,
];

export const ferryKind = defineKind({
  name: 'ferry',
  settings: ferrySettings,
  rules: [METRICS_JUDGE, ...FERRY_RULES],
  settingsOf: ({ experiment }) => ({ experiment, scope: [experiment] }),
  fixes: (lane) => {
    const { scope, fixScope, fixer, preApprovedFixes } = ferryLane(lane);
    // Code of the experiment is mended where it is reviewed: a change of more than values would hide the knobs.
    const isInScope = (path: string): boolean =>
      !scope.includes(path) && fixScope.some((folder) => covers(folder, path));
    return {
      fixable: fixableOf(ferryLane(lane)),
      mends: fixScope.length === 0 ? null : isInScope,
      fixer,
      preApproved: preApprovedFixes,
    };
  },
  gates: FERRY_GATES,
  policy: (lane) => {
    const { experiment, scope, fixScope, budget, steps, scaleKnobs, scale } = ferryLane(lane);
    return {
      'lane.experiment': experiment,
      'lane.scope': scope.join(','),
      ...(fixScope.length === 0 ? {} : { 'lane.fixScope': fixScope.join(',') }),
      'lane.budget': `${budget.knobs} ${budget.enforce}`,
      ...(JSON.stringify(steps) === USUAL_STEPS ? {} : { 'lane.steps': JSON.stringify(steps) }),
      'lane.scaleKnobs': scaleKnobs.join(','),
      ...(scale === null ? {} : { 'lane.scale': JSON.stringify(scale) }),
    };
  },
  proposes: {
    change: { file: (lane) => ferryLane(lane).experiment, size: sizeOf, start: readStart },
    readText: bodyFacts,
    usual: USUAL_OBJECTIVE,
    asks: { objective: ferryObjective, question: objectiveQuestion },
    plan: planProposal,
    planOfPull,
    closureLog: FERRY_CLOSURE_LOG,
    afterSeal: (lane) => ferryLane(lane).afterSeal,
  },
});

/** Where a lab says nothing of steps, its manifests are what they were before there were any. */
const USUAL_STEPS = JSON.stringify(ferrySettings.shape.steps.parse(undefined));
