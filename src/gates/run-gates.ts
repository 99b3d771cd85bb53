/** All launch gates in the order in which a person reads them, and their evaluation at one moment. */

import type { Verdict } from '../domain/verdict.ts';
import { budget } from './budget.ts';
import { checksGreen } from './checks-green.ts';
import { clusterMatches } from './cluster-matches.ts';
import { configValid } from './config-valid.ts';
import { costBudget } from './cost-budget.ts';
import { deltaDeclared } from './delta-declared.ts';
import { deltaReadable } from './delta-readable.ts';
import { freshness } from './freshness.ts';
import type { Gate, GateFacts } from './gate.ts';
import { headRepository } from './head-repository.ts';
import { identicalRerun } from './identical-rerun.ts';
import { issueUpdated } from './issue-updated.ts';
import { laneFree } from './lane-free.ts';
import { lastFerryLinked } from './last-ferry-linked.ts';
import { manifestComplete } from './manifest-complete.ts';
import { notHeld } from './not-held.ts';
import { preconditions } from './preconditions.ts';
import { riskPresent } from './risk-present.ts';
import { runNameDated } from './run-name-dated.ts';
import { scaleStable } from './scale-stable.ts';
import { scope } from './scope.ts';
import { targetBranch } from './target-branch.ts';

export const ALL_GATES: readonly Gate[] = [
  targetBranch,
  headRepository,
  freshness,
  checksGreen,
  configValid,
  scope,
  deltaReadable,
  deltaDeclared,
  budget,
  scaleStable,
  identicalRerun,
  runNameDated,
  riskPresent,
  lastFerryLinked,
  preconditions,
  issueUpdated,
  clusterMatches,
  costBudget,
  laneFree,
  notHeld,
  manifestComplete,
];

/** Every gate's verdict on the same facts; the result explains itself and is recorded in `gated`. */
export function runGates(facts: GateFacts): readonly Verdict[] {
  return ALL_GATES.map((gate) => ({ gate: gate.id, ...gate.evaluate(facts) }));
}
