/** Rules for what a lane ships and is judged by: paths, metrics, checks, the checklist, checkpoints. */

import { WHOLE_TREE } from '../../domain/launch/whole-tree.ts';
import { error, warning } from '../../settings/problem.ts';
import type { LaneRule } from '../lane-schema.ts';
import { doubled, inLane, type Rule, standingPaths } from './rule.ts';

/** Trees are taken by their names: a star would stand for itself. */
const shippedPathsStand: Rule = ({ lane: { ships } }) => [
  ...standingPaths('ships', ships),
  ...(ships.includes(WHOLE_TREE) && ships.length > 1
    ? [error('doubled', inLane('ships'), 'names more beside `.`, which is the whole tree already')]
    : []),
];

const metricsStandOnce: Rule = ({ lane }) =>
  doubled(
    lane.metrics.map(({ key }) => key),
    (index) => inLane('metrics', index, 'key'),
    'the metric',
  );

/** For kinds whose runs are of one series; a job of a person is judged by its status alone, and its metrics lie where nobody said. */
export const METRICS_JUDGE: LaneRule = ({ metrics }) =>
  metrics.length > 0
    ? []
    : [warning('no-metrics', inLane('metrics'), 'without key metrics a regression passes unseen')];

const listsHoldThingsOnce: Rule = ({ lane }) => [
  ...doubled(
    lane.checklist.preconditions,
    (index) => inLane('checklist', 'preconditions', index),
    'the precondition',
  ),
  ...doubled(checksOf(lane.requiredChecks), (index) => inLane('requiredChecks', index), 'the check'),
];

/** ferrybot's own check run is no condition of anything (architecture, D4). */
const ownChecksAreNotRequired: Rule = ({ lane }) =>
  checksOf(lane.requiredChecks).flatMap((name, index) =>
    name.startsWith(OWN_CHECKS)
      ? [
          error(
            'own-check',
            inLane('requiredChecks', index),
            'waits for the launch that it would be needed for',
          ),
        ]
      : [],
  );

const outcomesAreNoPreconditions: Rule = ({ lane }) =>
  lane.checklist.preconditions.flatMap((text, index) =>
    OUTCOMES.includes(text)
      ? [
          warning(
            'outcome-as-precondition',
            inLane('checklist', 'preconditions', index),
            'ferrybot ticks this box itself, after the launch',
          ),
        ]
      : [],
  );

/** What each tracker needs to find a run. */
const NAMED_BY = { wandb: ['entity', 'project'], mlflow: ['address', 'project'], none: [] } as const;

const trackerHasAName: Rule = ({ lane: { tracker } }) =>
  NAMED_BY[tracker.kind]
    .filter((key) => (tracker[key] ?? '') === '')
    .map((key) => error('tracker-unnamed', inLane('tracker', key), `${tracker.kind} needs it to find a run`));

const trackerKeyIsEncrypted: Rule = ({ lane: { tracker } }) => {
  if (tracker.address === null || tracker.keyFrom === null) return [];
  const { protocol, hostname } = new URL(tracker.address);
  return protocol === 'https:' || LOOPBACK.includes(hostname)
    ? []
    : [error('bad-value', inLane('tracker', 'address'), 'the key would be sent unencrypted: https')];
};

const LOOPBACK: readonly string[] = ['127.0.0.1', '[::1]', 'localhost'];

const checkpointsComeBeforeTheEnd: Rule = ({ lane }) => {
  const every = lane.retention.permanentEverySteps;
  return every !== null && lane.finalStep !== null && every > lane.finalStep
    ? [
        warning(
          'no-checkpoint',
          inLane('retention', 'permanentEverySteps'),
          `the run ends at step ${lane.finalStep}`,
        ),
      ]
    : [];
};

export const LANE_RULES: readonly Rule[] = [
  shippedPathsStand,
  metricsStandOnce,
  listsHoldThingsOnce,
  ownChecksAreNotRequired,
  outcomesAreNoPreconditions,
  trackerHasAName,
  trackerKeyIsEncrypted,
  checkpointsComeBeforeTheEnd,
];

/** The names of all check runs of ferrybot begin so (github/check-run.ts; a test compares them). */
const OWN_CHECKS = 'ferrybot / ';

/** Boxes that are ticked by what happens (run/decide-publications.ts). */
const OUTCOMES: readonly string[] = ['human approval', 'monitoring loop started'];

function checksOf(required: 'all' | readonly string[]): readonly string[] {
  return required === 'all' ? [] : required;
}
