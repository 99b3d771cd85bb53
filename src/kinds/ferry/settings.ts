/** The settings that only a ferry lane has (docs/policy-coverage.md, the rows DF): what a ferry edits and tries, and its limits. */

import { z } from 'zod';
import { OVERRIDES } from '../../config/lane-of-file.ts';
import { checklistSetting, LANE_KEYS, type LaneRule, settingsReader } from '../../config/lane-schema.ts';
import { checkPathSyntax, inLane, listDuplicates } from '../../config/rules/lane-rules.ts';
import { dataFormatOf } from '../../delta/read-data-file.ts';
import { isPathCovered, WHOLE_TREE } from '../../domain/launch/manifest.ts';
import { affectsTraining } from '../../domain/launch/small-fix.ts';
import { isBuildFile } from '../../run/manifest-of.ts';
import { type ConfigIssue, checkArguments, errorIf, warningIf } from '../../settings/problem.ts';
import {
  argumentArray,
  createPathMatcher,
  fixerSettings,
  name,
  orNull,
  path,
  setting,
  word,
} from '../../settings/words.ts';

/** Risk levels, the lowest first. */
export const RISKS = ['low', 'medium', 'high'] as const;
export type Risk = (typeof RISKS)[number];

const candidate = z.strictObject({
  id: word.describe('Names the candidate in the record, so that it is not repeated.'),
  path: name.describe('Path of the knob as `ferrybot delta` prints it.'),
  values: z
    .array(z.string('source text in quotes, such as "3e-3"').min(1).max(200))
    .min(1)
    .max(20)
    .describe('Source texts that may be tried, in order.'),
  bucket: z
    .enum(['datamix', 'optimizer', 'architecture', 'system', 'observability'])
    .describe("The policy's bucket of the knob; the one tried least recently comes first."),
  risk: z.enum(RISKS).describe('Shown in the proposal.'),
  reason: z.string().min(1).max(500).describe('Why this is worth a day.'),
  signal: z
    .enum(['validation', 'exploration'])
    .optional()
    .describe(
      'Whether it validates the pipeline or explores the model; validation comes first. Default: exploration if the bucket is architecture or the risk is high.',
    ),
});

const proposer = z.strictObject({
  command: argumentArray.describe('Exact argument array; the context comes as JSON on its standard input.'),
  timeoutMs: setting(z.int().min(1_000).max(600_000), 60_000, 'After so long it is stopped.'),
  outputBytesMax: setting(z.int().min(1_000).max(1_000_000), 100_000, 'A longer answer is refused.'),
});

const large = z
  .string('a number in quotes, such as "125e6"')
  .regex(/^[1-9]\d*(\.\d+)?(e\d{1,2})?$/, 'a number in quotes, such as "125e6"');

export const ferrySettings = z.strictObject({
  kind: setting(z.literal('ferry'), 'ferry', 'What a run of this lane is.'),
  experiment: path.describe(
    'The one file that a ferry edits: Python, YAML, TOML or JSON, or overrides of the command line (`.args`), by its suffix.',
  ),
  scope: z.array(path).min(1).max(20).describe('Files that a ferry PR may change.'),
  fixScope: setting(
    z.array(path).max(20),
    [],
    'Files and folders that a fix may change in addition to `scope` after a failed attempt. In these, ferrybot fixes a small error itself: one commit per run, approved like any fix.',
  ),
  fixer: fixerSettings,
  preApprovedFixes: setting(
    z.array(path).max(20),
    [],
    'Files and folders of `fixScope` in which ferrybot may also launch its own fix, once per run, without another approval: the approval of the run includes it. Never a file with model, optimizer or data in its path. []: nowhere.',
  ),
  budget: z
    .strictObject({
      knobs: setting(z.int().min(1).max(20), 2, 'How many knobs a ferry changes at most.'),
      enforce: setting(z.enum(['warn', 'block']), 'warn', 'Whether more is a warning or blocks.'),
    })
    .prefault({})
    .describe('How much a ferry changes: usually one or two knobs.'),
  steps: z
    .strictObject({
      factor: setting(
        z.number().min(1).max(1_000),
        2,
        'A number may become at most so many times as large, or as small, in one step.',
      ),
      knobs: setting(
        z.record(
          name,
          z.union([
            z.strictObject({
              factor: z.number().min(1).max(1_000).describe('At most so many times as large, or as small.'),
            }),
            z.strictObject({ absolute: z.number().positive().describe('At most so much up or down.') }),
            z.strictObject({
              values: z.array(z.string().min(1).max(200)).min(1).max(50).describe('One of these source texts.'),
            }),
          ]),
        ),
        {},
        'The same for single knobs, by path or bare name: `factor`, `absolute` (so much up or down), or `values` (one of these source texts).',
      ),
      enforce: setting(
        z.enum(['warn', 'block']),
        'warn',
        'Whether a larger step, or a change that leaves more than values, is a warning or blocks.',
      ),
    })
    .prefault({})
    .describe('What a change of a knob may be in one step: small, and such that its file can be put back.'),
  scaleKnobs: setting(
    z.array(name).max(50),
    [],
    'Paths of knobs that set the scale: a change blocks unless a person asked for it by name.',
  ),
  scale: orNull(
    z.strictObject({
      parameters: large.describe('Parameters of the model.'),
      flops: large.describe('Model FLOPs that a ferry spends.'),
      tolerancePercent: setting(
        z.int().min(1).max(100),
        20,
        'How far the FLOPs of a proposal may be from that unless a person asked for it by name.',
      ),
      tokens: orNull(
        z
          .array(z.union([name, z.number().positive()]))
          .min(1)
          .max(10),
        'What makes the tokens of a run when multiplied: paths of knobs, and plain numbers.',
      ),
      flopsVariable: orNull(
        z.string().regex(/^[A-Z][A-Z0-9_]*$/),
        "The variable of the lane's environment that sets the FLOPs, where the job works its steps out from it.",
      ),
    }),
    'Model size of the lane, shown with each proposal as 6 FLOPs per parameter and token. null: not shown.',
  ),
  objective: setting(
    z.enum(['ask', 'integration']),
    'ask',
    'The objective of a ferry if no person gives one: `ask` asks people before anything is edited; `integration` is the normal integration check.',
  ),
  objectiveBy: setting(
    z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time of day in quotes, such as "09:00"'),
    '09:00',
    'The time of day, in UTC, until which an answer is waited for; without one it is the normal integration check from then on.',
  ),
  objectiveWaitMinutes: setting(
    z.int().min(0).max(720),
    60,
    'Minimum time to answer the question, also if it is asked after that time; if the day would end first, no question is asked.',
  ),
  candidates: setting(z.array(candidate).max(100), [], 'What may be proposed without a person saying what.'),
  lastFerry: orNull(
    z.strictObject({
      commit: z
        .string()
        .regex(/^[0-9a-f]{40}$/, 'a full commit id: 40 hex digits in quotes')
        .describe('The commit that it was launched from.'),
      date: z.iso.date().describe('The day of its launch.'),
      issue: orNull(z.int().min(1), 'Number of its issue, if it had one.'),
    }),
    'The last ferry before the lab used the bot: while the record has none, proposals list what changed since then. null: since a date some days ago.',
  ),
  memoryDays: setting(z.int().min(1).max(365), 14, 'A value tried within so many days is not proposed again.'),
  proposer: orNull(
    proposer,
    "A program of the lab that proposes edits, run with an empty environment and checked like a person's proposal, or null.",
  ),
  checksBeforePush: setting(
    z.union([z.literal('repository'), z.array(argumentArray).max(20)]),
    'repository',
    'Commands that have to succeed on an edit of ferrybot before it is pushed, run without any token: pre-commit, type check, tests. repository: those that the repository is set up for (its pre-commit and mypy where ferries target the default branch, and that Python takes the file), as far as the machine has their programs. []: none.',
  ),
  afterSeal: setting(
    z.enum(['merge', 'close', 'leave']),
    'close',
    'What happens to the proposal PR after the seal. Whichever it is, the next ferry starts from what the last sealed pass ran.',
  ),
  closureLog: setting(path, 'docs/experiments/daily-ferry-log.md', 'The only file that a closure PR changes.'),
  ...LANE_KEYS,
  checklist: checklistSetting(['issue created/updated']),
});

export type FerryLane = z.infer<typeof ferrySettings>;

export const ferryLane = settingsReader<FerryLane>('ferry', 'experiment');

/** Files and folders that a fix may change after a failed attempt. */
export function listFixablePaths({ scope, fixScope }: FerryLane): readonly string[] {
  return [...new Set([...scope, ...fixScope])];
}

/** Each closure changes the log, which would drop the approvals of a lane that ships it. */
export function listUnshippedPaths({ closureLog }: Pick<FerryLane, 'closureLog'>): readonly string[] {
  return [`/${closureLog.replace(/[*?[\]]/g, '\\$&')}`];
}

type FerryRule = (lane: FerryLane, traits: Traits) => readonly ConfigIssue[];
type Traits = Parameters<LaneRule>[1];

/** The entry of `ships` that covers a path; undefined if there is none, or if the path is excluded from the whole tree. */
function findLeftOutReason(lane: FerryLane, traits: Traits, path: string): string | undefined {
  const patterns = [...(traits?.leavesOut ?? []), ...listUnshippedPaths(lane)];
  const isLeftOut = lane.ships.includes(WHOLE_TREE) && createPathMatcher(patterns)(path);
  return isLeftOut ? undefined : lane.ships.find((shipped) => isPathCovered(shipped, path));
}

const experimentIsInTheTree: FerryRule = (lane, traits) => {
  const { experiment, runName } = lane;
  const inScope = lane.scope.includes(experiment);
  const isShipped = findLeftOutReason(lane, traits, experiment) !== undefined;
  const isRead = experiment.endsWith('.py') || dataFormatOf(experiment) !== null;
  const formats = 'a ferry edits a .py, .yaml, .yml, .toml, .json or .args file';
  const isReplaced = !lane.command.includes(OVERRIDES) || experiment.endsWith('.args');
  const overrides = `${OVERRIDES} needs an experiment of overrides, which ends in .args`;
  const dated = 'a ferry is named by its date: put {date} into it';
  return [
    ...errorIf(!inScope, 'not-in-scope', inLane('scope'), `does not hold the experiment ${experiment}`),
    ...errorIf(!isShipped, 'not-shipped', inLane('ships'), `the job would not get ${experiment}`),
    ...errorIf(!isRead, 'no-format', inLane('experiment'), formats),
    ...errorIf(!isReplaced, 'no-overrides', inLane('command'), overrides),
    ...errorIf(!runName.includes('{date}'), 'run-undated', inLane('runName'), dated),
  ];
};

/** A change that is not shipped does not reach the job and makes no new manifest, so no approval would cover it. */
const shippedPathsContainTheScope: FerryRule = (lane, traits) => [
  ...lane.scope.flatMap((file, index) => {
    const isMissing = file !== lane.experiment && findLeftOutReason(lane, traits, file) === undefined;
    return warningIf(isMissing, 'not-shipped', inLane('scope', index), `the job would not get ${file}`);
  }),
  ...lane.fixScope.flatMap((file, index) => {
    const isMissing =
      findLeftOutReason(lane, traits, file) === undefined && !lane.ships.some((path) => isPathCovered(file, path));
    return warningIf(isMissing, 'not-shipped', inLane('fixScope', index), `the job would not get ${file}`);
  }),
];

/** A fixer needs a `fixScope`. A pre-approved fix launches unasked, so it must be in `fixScope` and decide nothing about training. */
const fixSettingsAreConsistent: FerryRule = ({ fixer, fixScope, preApprovedFixes }) => [
  ...errorIf(
    fixer !== null && fixScope.length === 0,
    'fixer-without-scope',
    inLane('fixer'),
    'a fixer is asked about files of `fixScope`, which is empty',
  ),
  ...preApprovedFixes.flatMap((path, index) => {
    const where = inLane('preApprovedFixes', index);
    const isFix = path !== WHOLE_TREE && fixScope.some((folder) => isPathCovered(folder, path));
    const none = `${path} is nothing that a fix may change by \`fixScope\``;
    const trains = `${path} speaks of model, optimizer or data: each fix of it takes an approval of its own`;
    return isFix
      ? errorIf(affectsTraining(path), 'pre-approved-trains', where, trains)
      : errorIf(true, 'not-in-fix-scope', where, none);
  }),
];

/** Two sources of the FLOPs could disagree, and without a source there is nothing to show. */
const scaleHasOneSource: FerryRule = ({ scale, environment }) => {
  if (scale === null) return [];
  const { tokens, flopsVariable } = scale;
  if ((tokens === null) === (flopsVariable === null))
    return errorIf(true, 'not-counted', inLane('scale'), 'needs either tokens or flopsVariable');
  const isSet = flopsVariable === null || Object.hasOwn(environment, flopsVariable);
  const why = `${flopsVariable} is not in the environment of the lane`;
  return errorIf(!isSet, 'not-counted', inLane('scale', 'flopsVariable'), why);
};

/** The gates compare paths literally. A change must not include what judges it or what runs with the cluster's credentials. */
const scopesAreValid: FerryRule = (lane, traits) =>
  (['scope', 'fixScope'] as const).flatMap((key) => [
    ...checkPathSyntax(key, lane[key]),
    ...lane[key].flatMap((path, index) => [
      ...errorIf(
        isPathCovered('.github', path),
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

const closureLogIsOutsideTheScope: FerryRule = (lane, traits) => {
  const { closureLog, scope, fixScope } = lane;
  const shipped = findLeftOutReason(lane, traits, closureLog);
  const inScope = scope.includes(closureLog) || fixScope.some((path) => isPathCovered(path, closureLog));
  const falls = `stands inside ${shipped}, which is shipped: each closure would make every approval fall`;
  const changed = 'a ferry may change it: only closure pull requests should';
  return [
    ...errorIf(shipped !== undefined, 'log-shipped', inLane('closureLog'), falls),
    ...errorIf(inScope, 'log-in-scope', inLane('closureLog'), changed),
  ];
};

/** A candidate must not be a scale knob, because the gates block such a change unless a person named it. */
const candidatesAreValid: FerryRule = ({ candidates, scaleKnobs }) => [
  ...listDuplicates(
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

const programsContainNoSecrets: FerryRule = ({ proposer, checksBeforePush }) => [
  ...checkArguments(inLane('proposer', 'command'), proposer?.command ?? []),
  ...(checksBeforePush === 'repository' ? [] : checksBeforePush).flatMap((command, index) =>
    checkArguments(inLane('checksBeforePush', index), command),
  ),
];

const RULES: readonly FerryRule[] = [
  experimentIsInTheTree,
  shippedPathsContainTheScope,
  fixSettingsAreConsistent,
  scaleHasOneSource,
  scopesAreValid,
  closureLogIsOutsideTheScope,
  candidatesAreValid,
  programsContainNoSecrets,
];

export const FERRY_RULES: readonly LaneRule[] = RULES.map((rule) => (lane, traits) => rule(ferryLane(lane), traits));
