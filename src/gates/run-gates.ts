/** The launch gates for runs of every kind, and their evaluation at one moment, in the order in which the card shows them. */

import { holdTargetFacts } from '../domain/launch/hold.ts';
import type { Manifest } from '../domain/launch/manifest.ts';
import { GATES, isRunnerGate, type Verdict } from '../domain/launch/verdict.ts';
import { limits } from '../domain/limits.ts';
import { filterByPeriod, PERIODS, periodContaining, sumCost } from '../domain/past-runs.ts';
import { addDecimals, compareDecimals, findInvisibleCharacter, utcDate } from '../domain/values.ts';
import {
  approvalVerdicts,
  type ChangeGateFacts,
  cannotTell,
  defineGate,
  type Gate,
  type GateFacts,
  ifKnown,
  type Judgement,
  judgements,
} from './gate.ts';
import {
  authorsKnown,
  checksGreenGate,
  freshnessGate,
  headRepositoryGate,
  issueUpdatedGate,
  preconditionsGate,
  runNameDatedGate,
  targetBranchGate,
} from './proposal-gates.ts';

/** The config in force is the newest one of the default branch, is valid, and contains this run's lane. */
export const configValidGate = defineGate('config-valid', ({ configHealth }, { block, pass }) =>
  ifKnown(configHealth, ({ isValid, problems, first, line, inForce, since, missingLane }) => {
    const commit = inForce.slice(0, 12);
    if (missingLane !== null) return block('lane-gone', 'lab', { lane: missingLane, inForce: commit });
    if (isValid) return pass('valid');
    return block('invalid', 'lab', { count: problems, first, line, inForce: commit, since: since ?? '' });
  }),
);

/**
 * The manifest built now and the approved manifest both go to the cluster that the config in force names for the lane
 * (policy DF-34). The approved manifest comes from the record.
 */
export const clusterMatches = defineGate('cluster-matches', ({ manifest, approved, lane }, { block, pass }) =>
  ifKnown(manifest, ({ cluster }) => {
    // rule DF-34
    const found = approved?.cluster ?? cluster;
    return found === lane.cluster && cluster === lane.cluster
      ? pass('lane-cluster', { cluster })
      : block('other-cluster', 'lab', { found: found === lane.cluster ? cluster : found, wanted: lane.cluster });
  }),
);

const onCost = judgements('cost-budget');

/** The cost of one run, by its cluster's cost table, and of all runs in a period is within the lane's budget. */
export const costBudgetGate = defineGate(
  'cost-budget',
  ({ manifest, lane, launches, rentals, now }) =>
    ifKnown(manifest, ({ cost: { acceleratorHours: cost }, envelope, cluster }) => {
      const rented = judgeRentalBudget(envelope.rental, rentals, cluster, utcDate(now));
      if (rented !== null) return rented;
      const budget = lane.costBudget;
      if (budget === null) return onCost.pass('within', { cost });
      const found = { cost, most: budget.maxAcceleratorHours };
      const over = budget.enforce === 'block' ? onCost.block : onCost.warn;
      if (compareDecimals(cost, budget.maxAcceleratorHours) > 0) return over('over', 'lab', found);
      if (budget.perWeek === null && budget.perMonth === null) return onCost.pass('within', found);
      return ifKnown(launches, (all) => {
        for (const period of PERIODS) {
          const most = period === 'week' ? budget.perWeek : budget.perMonth;
          if (most === null) continue;
          const spent = sumCost(filterByPeriod(all, period, utcDate(now)));
          if (spent === null) return cannotTell(`the record does not say what a launch of this ${period} was to cost`);
          if (compareDecimals(addDecimals(spent, cost), most) > 0)
            return over('over-period', 'lab', {
              cost,
              spent,
              most,
              period,
              from: periodContaining(period, utcDate(now)),
            });
        }
        return onCost.pass('within', found);
      });
    }),
  { readsSettings: true },
);

/** Null if everything that the run may rent fits into the remaining budget of the day and the month on its cluster. */
function judgeRentalBudget(
  terms: Manifest['envelope']['rental'],
  rentals: GateFacts['rentals'],
  cluster: string,
  date: string,
): Judgement | null {
  if (terms === undefined) return null;
  const { dollarsMax: cost, dollarsPerDayMax, dollarsPerMonthMax } = terms;
  const budgets = [
    { period: 'day', from: date, most: dollarsPerDayMax },
    { period: 'month', from: date.slice(0, 7), most: dollarsPerMonthMax },
  ] as const;
  for (const { period, from, most } of budgets) {
    if (most === null) continue;
    if (rentals === undefined) return cannotTell('what other runs have rented is not known');
    if (rentals.kind === 'unknown') return cannotTell(rentals.why);
    const here = rentals.value.filter((one) => one.cluster === cluster && one.date.startsWith(from));
    const spent = here.reduce((sum, { dollars }) => addDecimals(sum, dollars), '0');
    if (compareDecimals(addDecimals(spent, cost), most) > 0)
      return onCost.block('over-rented', 'lab', { cost, spent, most, period, from });
  }
  return null;
}

/** No other run of the lane is live: two ferries at the same time would make both results useless. */
export const laneFreeGate = defineGate('lane-free', ({ liveRuns }, { block, pass }) =>
  ifKnown(liveRuns, (runs) =>
    runs.length === 0 ? pass('free') : block('busy', 'time', { run: runs[0] ?? '', count: runs.length }),
  ),
);

/** There is no hold on this run, its lane, its day or the repository. */
export const notHeldGate = defineGate('not-held', ({ holds }) => judgeHolds(holds));

const onHolds = judgements('not-held');

/** The judgement of `not-held`. It needs only the record. */
export function judgeHolds(holds: GateFacts['holds']): Judgement {
  return ifKnown(holds, ([first, ...others]) => {
    if (first === undefined) return onHolds.pass('free');
    const { reason, actor } = first;
    const found = { ...holdTargetFacts(first), reason, by: actor.login, count: others.length + 1 };
    return onHolds.block('held', 'maintainer', found);
  });
}

/** Everything that decides what will run is known and visible, so that there is one digest to approve. */
export const manifestCompleteGate = defineGate(
  'manifest-complete',
  ({ manifest, change, lane }, { block, pass }) => {
    const missing =
      change.kind === 'known' ? lane.ships.filter((path) => (change.value.trees[path] ?? null) === null) : [];
    if (missing[0] !== undefined) return block('not-shipped', 'author', { path: missing[0], count: missing.length });
    if (manifest.kind === 'unknown') return cannotTell(manifest.why);
    const unseen = findInvisibleCharacterIn(manifest.value);
    if (unseen !== null) return block('unseen', 'author', unseen);
    // The length as the card prints it.
    const { length: chars } = JSON.stringify(manifest.value, null, 2);
    const most = limits.shownManifestCharsMax;
    return chars <= most ? pass('complete') : block('too-long', 'author', { chars, most });
  },
  { readsSettings: true },
);

/** The first executed part with an invisible or misleading sign. Texts that people write about the run are not executed. */
function findInvisibleCharacterIn(manifest: Manifest): { readonly part: string; readonly sign: string } | null {
  const { command, outputRoot, runName, tracker, resume, envelope, trees, delta, base } = manifest;
  const parts: readonly (readonly [string, readonly (string | null)[]])[] = [
    ['the command', command],
    ['the output root', [outputRoot]],
    ['the name', [runName, ...Object.values(tracker)]],
    ['a place of checkpoints', [resume.initializeFrom, ...(resume.roots ?? [])]],
    ['what may be done without asking', [...envelope.fixes, ...envelope.reductions, ...(envelope.repairs ?? [])]],
    ['a path', Object.keys(trees)],
    [
      'a changed setting',
      [...delta, ...(base?.changes ?? [])].flatMap(({ knob, path, before, after }) => [knob, path, before, after]),
    ],
  ];
  for (const [part, texts] of parts) {
    const sign = texts.map((text) => findInvisibleCharacter(text ?? '')).find((one) => one !== null) ?? null;
    if (sign !== null) return { part, sign };
  }
  return null;
}

/** Gates over the change and the lane: they must pass before an approval, and again before a launch. */
const CHANGE_GATES: readonly Gate[] = [
  targetBranchGate,
  headRepositoryGate,
  authorsKnown,
  freshnessGate,
  checksGreenGate,
  configValidGate,
  runNameDatedGate,
  preconditionsGate,
  issueUpdatedGate,
  clusterMatches,
  costBudgetGate,
  laneFreeGate,
  notHeldGate,
  manifestCompleteGate,
];

/** The gates over the change and the lane, including those that only this kind of run has. */
export function orderChangeGates(own: readonly Gate[]): readonly Gate[] {
  return [...CHANGE_GATES, ...own].toSorted((a, b) => GATES.indexOf(a.id) - GATES.indexOf(b.id));
}

/** The verdicts that `gated` events record; each contains its reason. */
export function changeVerdicts(facts: ChangeGateFacts): readonly Verdict[] {
  return orderChangeGates(facts.kindGates).map((gate) => ({ gate: gate.id, ...gate.evaluate(facts) }));
}

/** The verdicts of the runner, which evaluates the same gates on facts that it read itself. */
export function evaluateRunnerGates(facts: ChangeGateFacts): readonly Verdict[] {
  return changeVerdicts(facts).filter(({ gate }) => isRunnerGate(gate));
}

/** The verdicts of all gates, in display order. */
export function evaluateGates(facts: GateFacts): readonly Verdict[] {
  return [...changeVerdicts(facts), ...approvalVerdicts(facts)];
}
