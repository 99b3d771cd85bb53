/** Rules for what a ferry edits and tries: it is in its scope and is shipped, and never what the ferry is judged by. */

import type { LaneRule } from '../../config/lane-schema.ts';
import { doubled, inLane, standingPaths } from '../../config/rules/rule.ts';
import { decidesTraining } from '../../domain/launch/pre-approval.ts';
import { covers, WHOLE_TREE } from '../../domain/launch/whole-tree.ts';
import { isBuildFile } from '../../run/build-files.ts';
import { namedBy } from '../../settings/left-out.ts';
import { type ConfigIssue, error, warning } from '../../settings/problem.ts';
import { inArguments } from '../../settings/secret-words.ts';
import { type FerryLane, ferryLane } from './settings.ts';

type FerryRule = (config: { readonly lane: FerryLane; readonly traits: Traits }) => readonly ConfigIssue[];
type Traits = Parameters<LaneRule>[1];

const scopeHoldsTheExperiment: FerryRule = ({ lane }) =>
  lane.scope.includes(lane.experiment)
    ? []
    : [error('not-in-scope', inLane('scope'), `does not hold the experiment ${lane.experiment}`)];

/** What of `ships` holds a path; undefined where nothing does, or where it is left out of the whole tree. */
function shippedIn(lane: FerryLane, traits: Traits, path: string): string | undefined {
  const isLeftOut = lane.ships.includes(WHOLE_TREE) && namedBy(traits?.leavesOut ?? [])(path);
  return isLeftOut ? undefined : lane.ships.find((shipped) => covers(shipped, path));
}

const shipsHoldTheExperiment: FerryRule = ({ lane, traits }) =>
  shippedIn(lane, traits, lane.experiment) !== undefined
    ? []
    : [error('not-shipped', inLane('ships'), `the job would not get ${lane.experiment}`)];

/** Outside of what is shipped a change would not reach the job, and no approval would fall with it. */
const shipsHoldTheScope: FerryRule = ({ lane, traits }) =>
  lane.scope.flatMap((file, index) =>
    file === lane.experiment || shippedIn(lane, traits, file) !== undefined
      ? []
      : [warning('not-shipped', inLane('scope', index), `the job would not get ${file}`)],
  );

/** What the job does not get makes no other manifest, so that nobody could approve it as a fix. */
const shipsHoldTheFixes: FerryRule = ({ lane, traits }) =>
  lane.fixScope.flatMap((file, index) =>
    shippedIn(lane, traits, file) !== undefined || lane.ships.some((path) => covers(file, path))
      ? []
      : [warning('not-shipped', inLane('fixScope', index), `the job would not get ${file}`)],
  );

/** A fixer is asked about files that a fix may change, and where there are none never. */
const fixerHasFiles: FerryRule = ({ lane }) =>
  lane.fixer === null || lane.fixScope.length > 0
    ? []
    : [
        error(
          'fixer-without-scope',
          inLane('fixer'),
          'a fixer is asked about files of `fixScope`, which is empty',
        ),
      ];

/** What is launched without asking is a fix at all, and nothing that decides what is trained. */
const preApprovedAreFixes: FerryRule = ({ lane }) =>
  lane.preApprovedFixes.flatMap((path, index) => {
    const where = inLane('preApprovedFixes', index);
    if (path === WHOLE_TREE || !lane.fixScope.some((folder) => covers(folder, path)))
      return [error('not-in-fix-scope', where, `${path} is nothing that a fix may change by \`fixScope\``)];
    return decidesTraining(path)
      ? [
          error(
            'pre-approved-trains',
            where,
            `${path} speaks of model, optimizer or data: each fix of it takes an approval of its own`,
          ),
        ]
      : [];
  });

/** Two ways to the FLOPs could disagree, and with none nothing could be shown. */
const scaleIsCountedOnce: FerryRule = ({ lane: { scale, environment } }) => {
  if (scale === null) return [];
  const { tokens, flopsVariable } = scale;
  if ((tokens === null) === (flopsVariable === null))
    return [error('not-counted', inLane('scale'), 'needs either tokens or flopsVariable')];
  return flopsVariable === null || Object.hasOwn(environment, flopsVariable)
    ? []
    : [
        error(
          'not-counted',
          inLane('scale', 'flopsVariable'),
          `${flopsVariable} is not in the environment of the lane`,
        ),
      ];
};

const experimentIsPython: FerryRule = ({ lane }) =>
  lane.experiment.endsWith('.py')
    ? []
    : [
        error(
          'not-python',
          inLane('experiment'),
          'a ferry edits a Python file: its config delta is read from the syntax',
        ),
      ];

const scopeSparesTheRules: FerryRule = ({ lane }) =>
  SCOPES.flatMap((key) =>
    lane[key].flatMap((path, index) =>
      covers('.github', path)
        ? [
            error(
              'scope-guards',
              inLane(key, index),
              'a ferry could change the rules and workflows that it is judged by',
            ),
          ]
        : [],
    ),
  );

const SCOPES = ['scope', 'fixScope'] as const;

const closureLogStandsApart: FerryRule = ({ lane, traits }): readonly ConfigIssue[] => {
  const shipped = shippedIn(lane, traits, lane.closureLog);
  return [
    ...(shipped === undefined
      ? []
      : [
          error(
            'log-shipped',
            inLane('closureLog'),
            `stands inside ${shipped}, which is shipped: each closure would make every approval fall`,
          ),
        ]),
    ...(lane.scope.includes(lane.closureLog) || lane.fixScope.some((path) => covers(path, lane.closureLog))
      ? [
          error(
            'log-in-scope',
            inLane('closureLog'),
            'a ferry may change it: only closure pull requests should',
          ),
        ]
      : []),
  ];
};

/** The gates compare paths letter by letter. */
const scopePathsStand: FerryRule = ({ lane }) => SCOPES.flatMap((key) => standingPaths(key, lane[key]));

const candidatesAreApart: FerryRule = ({ lane }) =>
  doubled(
    lane.candidates.map(({ id }) => id),
    (index) => inLane('candidates', index, 'id'),
    'the id',
  );

/** What is proposed by itself is never what blocks unless a person asked for it by name. */
const candidatesKeepTheScale: FerryRule = ({ lane }) =>
  lane.candidates.flatMap(({ path }, index) =>
    lane.scaleKnobs.some((knob) => knob === path || knob === path.slice(path.lastIndexOf('.') + 1))
      ? [
          error(
            'candidate-scales',
            inLane('candidates', index, 'path'),
            `${path} is a scale knob: its change blocks`,
          ),
        ]
      : [],
  );

const runNameIsDated: FerryRule = ({ lane }) =>
  lane.runName.includes('{date}')
    ? []
    : [error('run-undated', inLane('runName'), 'a ferry is named by its date: put {date} into it')];

const programsHoldNoSecrets: FerryRule = ({ lane }) => [
  ...inArguments(inLane('proposer', 'command'), lane.proposer?.command ?? []),
  ...(lane.checksBeforePush === 'repository' ? [] : lane.checksBeforePush).flatMap((command, index) =>
    inArguments(inLane('checksBeforePush', index), command),
  ),
];

/** A file that is run while the job is submitted, beside the credentials of the cluster. */
const scopeSparesTheBuild: FerryRule = ({ traits, lane }) => {
  if (traits?.buildsChange !== true) return [];
  return SCOPES.flatMap((key) =>
    lane[key].flatMap((path, index) =>
      isBuildFile(path)
        ? [
            error(
              'scope-builds',
              inLane(key, index),
              'a script that submits may build what it ships beside the credentials of the cluster: no ferry that changes it is launched',
            ),
          ]
        : [],
    ),
  );
};

const RULES: readonly FerryRule[] = [
  scopeHoldsTheExperiment,
  shipsHoldTheExperiment,
  shipsHoldTheScope,
  shipsHoldTheFixes,
  fixerHasFiles,
  preApprovedAreFixes,
  experimentIsPython,
  scaleIsCountedOnce,
  scopePathsStand,
  scopeSparesTheRules,
  closureLogStandsApart,
  candidatesAreApart,
  candidatesKeepTheScale,
  runNameIsDated,
  programsHoldNoSecrets,
  scopeSparesTheBuild,
];

export const FERRY_RULES: readonly LaneRule[] = RULES.map(
  (rule) => (lane, traits) => rule({ lane: ferryLane(lane), traits }),
);
