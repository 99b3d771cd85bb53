/** Rules for what a ferry edits and tries: it is in its scope and is shipped, and never what the ferry is judged by. */

import type { LaneRule } from '../../config/lane-schema.ts';
import { doubled, inLane, standingPaths } from '../../config/rules/lane-rules.ts';
import { covers, WHOLE_TREE } from '../../domain/launch/manifest.ts';
import { decidesTraining } from '../../domain/launch/small-fix.ts';
import { isBuildFile } from '../../run/build-files.ts';
import { namedBy } from '../../settings/left-out.ts';
import { type ConfigIssue, errorIf, inArguments, warningIf } from '../../settings/problem.ts';
import { type FerryLane, ferryLane } from './settings.ts';

type FerryRule = (lane: FerryLane, traits: Traits) => readonly ConfigIssue[];
type Traits = Parameters<LaneRule>[1];

/** What of `ships` holds a path; undefined where nothing does, or where it is left out of the whole tree. */
function shippedIn(lane: FerryLane, traits: Traits, path: string): string | undefined {
  const isLeftOut = lane.ships.includes(WHOLE_TREE) && namedBy(traits?.leavesOut ?? [])(path);
  return isLeftOut ? undefined : lane.ships.find((shipped) => covers(shipped, path));
}

const experimentStands: FerryRule = (lane, traits) => {
  const { experiment, runName } = lane;
  const inScope = lane.scope.includes(experiment);
  const isShipped = shippedIn(lane, traits, experiment) !== undefined;
  const python = 'a ferry edits a Python file: its config delta is read from the syntax';
  const dated = 'a ferry is named by its date: put {date} into it';
  return [
    ...errorIf(!inScope, 'not-in-scope', inLane('scope'), `does not hold the experiment ${experiment}`),
    ...errorIf(!isShipped, 'not-shipped', inLane('ships'), `the job would not get ${experiment}`),
    ...errorIf(!experiment.endsWith('.py'), 'not-python', inLane('experiment'), python),
    ...errorIf(!runName.includes('{date}'), 'run-undated', inLane('runName'), dated),
  ];
};

/** A change that is not shipped would not reach the job, and makes no other manifest: no approval would be of it. */
const shipsHoldTheScope: FerryRule = (lane, traits) => [
  ...lane.scope.flatMap((file, index) => {
    const isMissing = file !== lane.experiment && shippedIn(lane, traits, file) === undefined;
    return warningIf(isMissing, 'not-shipped', inLane('scope', index), `the job would not get ${file}`);
  }),
  ...lane.fixScope.flatMap((file, index) => {
    const isMissing =
      shippedIn(lane, traits, file) === undefined && !lane.ships.some((path) => covers(file, path));
    return warningIf(isMissing, 'not-shipped', inLane('fixScope', index), `the job would not get ${file}`);
  }),
];

/** A fixer is asked about files that a fix may change; what is launched unasked is a fix, and decides nothing that is trained. */
const fixesAreFixes: FerryRule = ({ fixer, fixScope, preApprovedFixes }) => [
  ...errorIf(
    fixer !== null && fixScope.length === 0,
    'fixer-without-scope',
    inLane('fixer'),
    'a fixer is asked about files of `fixScope`, which is empty',
  ),
  ...preApprovedFixes.flatMap((path, index) => {
    const where = inLane('preApprovedFixes', index);
    const isFix = path !== WHOLE_TREE && fixScope.some((folder) => covers(folder, path));
    const none = `${path} is nothing that a fix may change by \`fixScope\``;
    const trains = `${path} speaks of model, optimizer or data: each fix of it takes an approval of its own`;
    return isFix
      ? errorIf(decidesTraining(path), 'pre-approved-trains', where, trains)
      : errorIf(true, 'not-in-fix-scope', where, none);
  }),
];

/** Two ways to the FLOPs could disagree, and with none nothing could be shown. */
const scaleIsCountedOnce: FerryRule = ({ scale, environment }) => {
  if (scale === null) return [];
  const { tokens, flopsVariable } = scale;
  if ((tokens === null) === (flopsVariable === null))
    return errorIf(true, 'not-counted', inLane('scale'), 'needs either tokens or flopsVariable');
  const isSet = flopsVariable === null || Object.hasOwn(environment, flopsVariable);
  const why = `${flopsVariable} is not in the environment of the lane`;
  return errorIf(!isSet, 'not-counted', inLane('scale', 'flopsVariable'), why);
};

/** The gates compare paths letter by letter; what is judged or runs beside the credentials of the cluster is no part of a change. */
const scopesAreSound: FerryRule = (lane, traits) =>
  (['scope', 'fixScope'] as const).flatMap((key) => [
    ...standingPaths(key, lane[key]),
    ...lane[key].flatMap((path, index) => [
      ...errorIf(
        covers('.github', path),
        'scope-guards',
        inLane(key, index),
        'a ferry could change the rules and workflows that it is judged by',
      ),
      ...errorIf(
        traits?.buildsChange === true && isBuildFile(path),
        'scope-builds',
        inLane(key, index),
        'a script that submits may build what it ships beside the credentials of the cluster: no ferry that changes it is launched',
      ),
    ]),
  ]);

const closureLogStandsApart: FerryRule = (lane, traits) => {
  const { closureLog, scope, fixScope } = lane;
  const shipped = shippedIn(lane, traits, closureLog);
  const inScope = scope.includes(closureLog) || fixScope.some((path) => covers(path, closureLog));
  const falls = `stands inside ${shipped}, which is shipped: each closure would make every approval fall`;
  const changed = 'a ferry may change it: only closure pull requests should';
  return [
    ...errorIf(shipped !== undefined, 'log-shipped', inLane('closureLog'), falls),
    ...errorIf(inScope, 'log-in-scope', inLane('closureLog'), changed),
  ];
};

/** What is proposed by itself is never what blocks unless a person asked for it by name. */
const candidatesAreSound: FerryRule = ({ candidates, scaleKnobs }) => [
  ...doubled(
    candidates.map(({ id }) => id),
    (index) => inLane('candidates', index, 'id'),
    'the id',
  ),
  ...candidates.flatMap(({ path }, index) => {
    const isScale = scaleKnobs.some((knob) => [path, path.slice(path.lastIndexOf('.') + 1)].includes(knob));
    const why = `${path} is a scale knob: its change blocks`;
    return errorIf(isScale, 'candidate-scales', inLane('candidates', index, 'path'), why);
  }),
];

const programsHoldNoSecrets: FerryRule = ({ proposer, checksBeforePush }) => [
  ...inArguments(inLane('proposer', 'command'), proposer?.command ?? []),
  ...(checksBeforePush === 'repository' ? [] : checksBeforePush).flatMap((command, index) =>
    inArguments(inLane('checksBeforePush', index), command),
  ),
];

const RULES: readonly FerryRule[] = [
  experimentStands,
  shipsHoldTheScope,
  fixesAreFixes,
  scaleIsCountedOnce,
  scopesAreSound,
  closureLogStandsApart,
  candidatesAreSound,
  programsHoldNoSecrets,
];

export const FERRY_RULES: readonly LaneRule[] = RULES.map(
  (rule) => (lane, traits) => rule(ferryLane(lane), traits),
);
