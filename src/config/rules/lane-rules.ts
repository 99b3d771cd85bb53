/** Rules for what a lane tries and is judged by: candidates, metrics, checks, the checklist, checkpoints. */

import { doubled, error, inLane, type Rule, warning } from './rule.ts';

const candidatesAreApart: Rule = {
  reads: ['lanes.daily.candidates'],
  misfits: ({ lanes: { daily } }) => [
    ...doubled(
      daily.candidates.map(({ id }) => id),
      (index) => inLane('candidates', index, 'id'),
      'the id',
    ),
    ...daily.candidates.flatMap(({ values }, candidate) =>
      doubled(values, (index) => inLane('candidates', candidate, 'values', index), 'the value'),
    ),
  ],
};

/** What is proposed by itself is never what blocks unless a person asked for it by name. */
const candidatesKeepTheScale: Rule = {
  reads: ['lanes.daily.candidates', 'lanes.daily.scaleKnobs'],
  misfits: ({ lanes: { daily } }) =>
    daily.candidates.flatMap(({ path }, index) =>
      daily.scaleKnobs.some((knob) => knob === path || knob === path.slice(path.lastIndexOf('.') + 1))
        ? [
            error(
              'candidate-scales',
              inLane('candidates', index, 'path'),
              `${path} is a scale knob: its change blocks`,
            ),
          ]
        : [],
    ),
};

const metricsJudge: Rule = {
  reads: ['lanes.daily.metrics'],
  misfits: ({ lanes: { daily } }) =>
    daily.metrics.length === 0
      ? [warning('no-metrics', inLane('metrics'), 'without key metrics a regression passes unseen')]
      : doubled(
          daily.metrics.map(({ key }) => key),
          (index) => inLane('metrics', index, 'key'),
          'the metric',
        ),
};

const listsHoldThingsOnce: Rule = {
  reads: ['lanes.daily.scaleKnobs', 'lanes.daily.checklist', 'lanes.daily.requiredChecks'],
  misfits: ({ lanes: { daily } }) => [
    ...doubled(daily.scaleKnobs, (index) => inLane('scaleKnobs', index), 'the knob'),
    ...doubled(
      daily.checklist.preconditions,
      (index) => inLane('checklist', 'preconditions', index),
      'the precondition',
    ),
    ...doubled(checksOf(daily.requiredChecks), (index) => inLane('requiredChecks', index), 'the check'),
  ],
};

/** ferrybot's own check run is no condition of anything (architecture, decision D4). */
const ownChecksAreNotRequired: Rule = {
  reads: ['lanes.daily.requiredChecks'],
  misfits: ({ lanes: { daily } }) =>
    checksOf(daily.requiredChecks).flatMap((name, index) =>
      name.startsWith(OWN_CHECKS)
        ? [
            error(
              'own-check',
              inLane('requiredChecks', index),
              'waits for the launch that it would be needed for',
            ),
          ]
        : [],
    ),
};

const outcomesAreNoPreconditions: Rule = {
  reads: ['lanes.daily.checklist'],
  misfits: ({ lanes: { daily } }) =>
    daily.checklist.preconditions.flatMap((text, index) =>
      OUTCOMES.includes(text)
        ? [
            warning(
              'outcome-as-precondition',
              inLane('checklist', 'preconditions', index),
              'ferrybot ticks this box itself, after the launch',
            ),
          ]
        : [],
    ),
};

const mergeNeedsAPull: Rule = {
  reads: ['lanes.daily.issueFirst', 'lanes.daily.afterSeal'],
  misfits: ({ lanes: { daily } }) =>
    daily.issueFirst && daily.afterSeal === 'merge'
      ? [error('no-pull-to-merge', inLane('afterSeal'), 'with issueFirst there is no pull request to merge')]
      : [],
};

const trackerHasAName: Rule = {
  reads: ['lanes.daily.tracker'],
  misfits: ({ lanes: { daily } }) =>
    (['entity', 'project'] as const)
      .filter((key) => daily.tracker.kind !== 'none' && daily.tracker[key] === '')
      .map((key) =>
        error('tracker-unnamed', inLane('tracker', key), `${daily.tracker.kind} needs it to find a run`),
      ),
};

const checkpointsComeBeforeTheEnd: Rule = {
  reads: ['lanes.daily.retention', 'lanes.daily.finalStep'],
  misfits: ({ lanes: { daily } }) => {
    const every = daily.retention.permanentEverySteps;
    return every !== null && daily.finalStep !== null && every > daily.finalStep
      ? [
          warning(
            'no-checkpoint',
            inLane('retention', 'permanentEverySteps'),
            `the run ends at step ${daily.finalStep}`,
          ),
        ]
      : [];
  },
};

export const LANE_RULES: readonly Rule[] = [
  candidatesAreApart,
  candidatesKeepTheScale,
  metricsJudge,
  listsHoldThingsOnce,
  ownChecksAreNotRequired,
  outcomesAreNoPreconditions,
  mergeNeedsAPull,
  trackerHasAName,
  checkpointsComeBeforeTheEnd,
];

/** The names of all check runs of ferrybot begin so (github/check-run.ts; a test compares them). */
const OWN_CHECKS = 'ferrybot / ';

/** Boxes that are ticked by what happens (run/decide-publications.ts). */
const OUTCOMES: readonly string[] = ['human approval', 'monitoring loop started'];

function checksOf(required: 'all' | readonly string[]): readonly string[] {
  return required === 'all' ? [] : required;
}
