/** Rules over lanes: paths, metrics, checks, templates, secrets, and names and output roots that must differ between lanes. */

import { WHOLE_TREE } from '../../domain/launch/manifest.ts';
import type { Instant } from '../../domain/values.ts';
import {
  type ConfigIssue,
  checkArguments,
  checkReservedName,
  checkWrittenSecret,
  error,
  errorIf,
  type KeyPath,
  warningIf,
} from '../../settings/problem.ts';
import { type LaneOfFile, OVERRIDES } from '../lane-of-file.ts';
import type { LaneRule } from '../lane-schema.ts';

/** A rule about the config from the view of one lane. It runs once per lane. */
export type Rule = (config: LaneOfFile, asked: RuleContext) => readonly ConfigIssue[];

/** Input of a rule. `now`: the time at which keys must be valid, or null. `ownCommands`: names of ferrybot's commands. */
export type RuleContext = { readonly now: Instant | null; readonly ownCommands: readonly string[] };

type LanesRule = (lanes: readonly LaneOfFile[]) => readonly ConfigIssue[];

/** A path below the lane that the rule checks. */
export function inLane(...path: KeyPath): KeyPath {
  return [LANE, ...path];
}

/** The path from the root of the file, for a problem of this lane. */
export function fromRoot(laneName: string, path: KeyPath): KeyPath {
  return path[0] === LANE ? ['lanes', laneName, ...path.slice(1)] : path;
}

/** Placeholder for `lanes.NAME`, so that rules need not know the name. No config key has this name. */
const LANE = 'lane';

/** Reports each repetition of an earlier text at its own path. */
export function listDuplicates(
  values: readonly string[],
  placeOf: (index: number) => KeyPath,
  what: string,
): readonly ConfigIssue[] {
  return values.flatMap((value, index) =>
    errorIf(values.indexOf(value) !== index, 'doubled', placeOf(index), `${what} ${value} is there twice`),
  );
}

/** Rejects `*` and `?` in paths that are compared literally. */
export function checkPathSyntax(key: string, paths: readonly string[]): readonly ConfigIssue[] {
  const why = 'paths are compared as they stand; patterns are not known';
  return paths.flatMap((path, index) => errorIf(/[*?]/.test(path), 'pattern-in-path', inLane(key, index), why));
}

/** Shipped trees are named literally, without patterns. */
const shippedPathsAreValid: Rule = ({ lane: { ships } }) => [
  ...checkPathSyntax('ships', ships),
  ...errorIf(
    ships.includes(WHOLE_TREE) && ships.length > 1,
    'doubled',
    inLane('ships'),
    'names more beside `.`, which is the whole tree already',
  ),
];

/** For kinds that compare runs of one series. An adopted job is evaluated only by its status, and its metrics file is unknown. */
export const metricsHaveARule: LaneRule = ({ metrics }) =>
  warningIf(metrics.length === 0, 'no-metrics', inLane('metrics'), 'without key metrics a regression passes unseen');

/** A launch must not depend on ferrybot's own check run (architecture, D4). */
const ownChecksAreNotRequired: Rule = ({ lane }) =>
  (lane.requiredChecks === 'all' ? [] : lane.requiredChecks).flatMap((name, index) =>
    errorIf(
      name.startsWith(OWN_CHECKS),
      'own-check',
      inLane('requiredChecks', index),
      'waits for the launch that it would be needed for',
    ),
  );

const preconditionsAreNotOutcomes: Rule = ({ lane }) =>
  lane.checklist.preconditions.flatMap((text, index) =>
    warningIf(
      OUTCOME_WORDS.includes(text),
      'outcome-as-precondition',
      inLane('checklist', 'preconditions', index),
      'ferrybot ticks this box itself, after the launch',
    ),
  );

const NAMED_BY = { wandb: ['entity', 'project'], mlflow: ['address', 'project'], none: [] } as const;

const trackerHasAName: Rule = ({ lane: { tracker } }) =>
  NAMED_BY[tracker.kind]
    .filter((key) => (tracker[key] ?? '') === '')
    .map((key) => error('tracker-unnamed', inLane('tracker', key), `${tracker.kind} needs it to find a run`));

const trackerKeyIsEncrypted: Rule = ({ lane: { tracker } }) => {
  if (tracker.address === null || tracker.keyFrom === null) return [];
  const { protocol, hostname } = new URL(tracker.address);
  const isSafe = protocol === 'https:' || ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
  const why = 'the key would be sent unencrypted: https';
  return errorIf(!isSafe, 'bad-value', inLane('tracker', 'address'), why);
};

/** Prefix of the names of ferrybot's check runs (github/check-run.ts; a test compares them). */
const OWN_CHECKS = 'ferrybot / ';

/** Boxes that ferrybot ticks itself when the event occurs (run/decide-publications.ts). */
const OUTCOME_WORDS: readonly string[] = ['human approval', 'monitoring loop started'];

const outputRootsAreDistinctPerRun: Rule = ({ lane }) => {
  const isShared = (template: string): boolean => !/\{(outputRoot|run|runName|date)\}/.test(template);
  const root = 'every run would write to one place: put {run} into it';
  const metrics = "another run's metrics would be judged: put {outputRoot} into it";
  const checkpoints = "another run's checkpoints would be taken for its own: put {outputRoot} into it";
  return [
    ...errorIf(isShared(lane.outputRoot), 'output-shared', inLane('outputRoot'), root),
    ...errorIf(isShared(lane.metricsFile), 'metrics-shared', inLane('metricsFile'), metrics),
    ...lane.checkpointRoots.flatMap((one, index) =>
      errorIf(isShared(one), 'checkpoints-shared', inLane('checkpointRoots', index), checkpoints),
    ),
  ];
};

/** Each template is filled only from earlier ones, so each allows different placeholders. */
const placeholdersAreKnown: Rule = ({ lane }) => [
  ...oddPlaceholders(inLane('runName'), lane.runName, ['date']),
  ...oddPlaceholders(inLane('outputRoot'), lane.outputRoot, ['date', 'runName', 'run']),
  ...oddPlaceholders(inLane('metricsFile'), lane.metricsFile, PLACEHOLDERS),
  ...lane.checkpointRoots.flatMap((text, index) =>
    oddPlaceholders(inLane('checkpointRoots', index), text, PLACEHOLDERS),
  ),
  ...lane.command.flatMap((text, index) =>
    // A ferry has a rule of its own about it.
    text === OVERRIDES ? [] : oddPlaceholders(inLane('command', index), text, PLACEHOLDERS),
  ),
  ...Object.entries(lane.environment).flatMap(([name, text]) =>
    oddPlaceholders(inLane('environment', name), text, PLACEHOLDERS),
  ),
];

const linksAreUrls: Rule = ({ clusters }) =>
  Object.entries(clusters).flatMap(([cluster, { links }]) =>
    Object.entries(links).flatMap(([name, link]) => {
      const path = ['clusters', cluster, 'links', name];
      return [
        ...errorIf(!/^https?:\/\/[^\s/]+/.test(link), 'bad-link', path, 'a link begins with https://'),
        ...oddPlaceholders(path, link, ['jobId', 'run']),
      ];
    }),
  );

/** Placeholders in a command, an environment value, a checkpoint root or the metrics file. */
const PLACEHOLDERS: readonly string[] = ['date', 'runName', 'run', 'outputRoot'];

function oddPlaceholders(path: KeyPath, text: string, known: readonly string[]): readonly ConfigIssue[] {
  return [...text.matchAll(/\{(\w*)\}/g)]
    .map((match) => match[1] ?? '')
    .filter((name) => !known.includes(name))
    .map((name) => error('placeholder-unknown', path, `{${name}} is not filled in; known: ${known.join(', ')}`));
}

const secretsAreNotVariables: Rule = ({ lane }) =>
  Object.keys(lane.environment)
    .filter((name) => SECRET_NAME.test(name))
    .map((name) =>
      error('secret-name', inLane('environment', name), 'looks like a secret: name it under passSecrets instead'),
    );

const secretsAreNotInTheConfig: Rule = ({ lane }) => [
  ...Object.entries(lane.environment).flatMap(([name, text]) => checkWrittenSecret(inLane('environment', name), text)),
  ...checkArguments(inLane('command'), lane.command),
];

const reservedNamesAreNotSet: Rule = ({ lane }) => [
  ...lane.passSecrets.flatMap((name, index) => checkReservedName(inLane('passSecrets', index), name)),
  ...Object.keys(lane.environment).flatMap((name) => checkReservedName(inLane('environment', name), name)),
];

const secretsAreNamedOnce: Rule = ({ lane }) =>
  lane.passSecrets.flatMap((name, index) => {
    const isSet = Object.hasOwn(lane.environment, name);
    return errorIf(isSet, 'passed-and-set', inLane('passSecrets', index), `${name} is set under environment too`);
  });

const SECRET_NAME =
  /(^|_)(TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|API_?KEY|ACCESS_KEY|PRIVATE_KEY|SIGNING_KEY|CREDENTIALS?)(_ID)?$/;

/** Otherwise, runs of two lanes on the same day would have the same name in the tracker. */
const runNamesDifferBetweenLanes: LanesRule = (lanes) =>
  findRepeatedLanes(lanes, ({ lane }) => JSON.stringify([lane.runName, lane.tracker])).map(({ laneName }) =>
    error(
      'run-name-shared',
      ['lanes', laneName, 'runName'],
      'another lane names its runs the same: put the name of the lane into it',
    ),
  );

/** `{run}` contains the lane's name; a date or `{runName}` may not. */
const outputRootsDifferBetweenLanes: LanesRule = (lanes) =>
  findRepeatedLanes(lanes, ({ lane }) => lane.outputRoot.replaceAll('{runName}', lane.runName))
    .filter(({ lane }) => !lane.outputRoot.includes('{run}'))
    .map(({ laneName }) => {
      const why = "another lane's runs would write to the same place: put {run} into it";
      return error('output-shared', ['lanes', laneName, 'outputRoot'], why);
    });

export const LANES_RULES: readonly LanesRule[] = [runNamesDifferBetweenLanes, outputRootsDifferBetweenLanes];

export const LANE_RULES: readonly Rule[] = [
  outputRootsAreDistinctPerRun,
  placeholdersAreKnown,
  linksAreUrls,
  secretsAreNotVariables,
  secretsAreNotInTheConfig,
  reservedNamesAreNotSet,
  secretsAreNamedOnce,
  shippedPathsAreValid,
  ownChecksAreNotRequired,
  preconditionsAreNotOutcomes,
  trackerHasAName,
  trackerKeyIsEncrypted,
];

function findRepeatedLanes(lanes: readonly LaneOfFile[], keyOf: (lane: LaneOfFile) => string): readonly LaneOfFile[] {
  const keys = lanes.map(keyOf);
  return lanes.filter((_, index) => keys.indexOf(keys[index] ?? '') !== index);
}
