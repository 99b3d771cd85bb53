/** The settings that lanes of every kind have: what their runs ship and execute, where, and how they are evaluated. */

import { z } from 'zod';
import { FOLLOWED_MEASURES } from '../detectors/detector.ts';
import { formatOfLine } from '../diagnosis/trainers.ts';
import { WHOLE_TREE } from '../domain/launch/manifest.ts';
import { WEEKDAYS } from '../domain/values.ts';
import type { EngineTraits } from '../engines/definition.ts';
import type { ConfigIssue } from '../settings/problem.ts';
import { amount, argumentArray, branch, name, orNull, path, setting, variable, word } from '../settings/words.ts';
import { type Cadence, USUAL_CADENCE } from '../watch/cadence.ts';
import { people, timeOfDay } from './approvals-schema.ts';

/** The checkboxes of a proposal. `usual`: the default. */
export function checklistSetting(usual: string[]) {
  return z
    .strictObject({
      preconditions: setting(
        z.array(z.string().min(1).max(200)).max(20),
        usual,
        'Boxes that people tick in the pull request before a launch; ferrybot ticks the outcomes.',
      ),
    })
    .prefault({})
    .describe("The checklist in a proposal's pull request.");
}

const laneGateKeys = {
  costBudget: orNull(
    z.strictObject({
      maxAcceleratorHours: amount.describe('What one run may cost by the cost table of its cluster.'),
      perWeek: orNull(amount, 'What all launches of the lane may cost in a week, from Monday in UTC, or null.'),
      perMonth: orNull(amount, 'What all launches of the lane may cost in a month, in UTC, or null.'),
      enforce: setting(z.enum(['warn', 'block']), 'block', 'Whether more is a warning or blocks.'),
    }),
    'What a run and the runs of a period may cost, or null for no budget.',
  ),
  freshnessHours: setting(z.int().min(1).max(8_760), 24, 'How old the merge base with the target branch may be.'),
  requiredChecks: setting(
    z.union([z.literal('all'), z.array(name).max(50)], { error: 'the word all, or a list of names of checks' }),
    'all',
    'Checks that have to be green on the head: all that ran except our own, or those named here.',
  ),
  checklist: checklistSetting([]),
} as const;

const metric = z.strictObject({
  key: name.describe('Key in the tracker, such as eval/loss.'),
  better: z.enum(['lower', 'higher']).describe('Which direction is the good one.'),
  tolerancePercent: amount.describe('How far it may be worse than the median of the last five sealed runs.'),
});

const tracker = z
  .strictObject({
    measures: setting(
      z.partialRecord(z.enum(FOLLOWED_MEASURES), z.array(z.string().min(1).max(200)).min(1).max(10)),
      {},
      'Keys of measures that the detectors follow, such as `grad-norm: [grad/norm/total]`, first one first. Without an entry the usual keys of Levanter, Hugging Face and Megatron-LM count.',
    ),
    kind: z.enum(['wandb', 'mlflow', 'none']).describe('Which tracker the run reports to.'),
    entity: z.string().max(100).describe('Entity or team in the tracker; empty for none.'),
    project: z
      .string()
      .max(100)
      .describe('Project in the tracker, of MLflow the name of the experiment; empty for none.'),
    address: orNull(
      z.url({ protocol: /^https?$/, error: 'an address such as https://wandb.example.org' }).max(300),
      'Where the tracker answers. null: W&B at https://api.wandb.ai.',
    ),
    keyFrom: orNull(
      variable,
      'Variable of the watch with a key that may read there; of MLflow `user:password`, or a token. null: W&B is not asked, and MLflow without a key.',
    ),
  })
  .describe('Where people follow the run, and whether the watch asks there too.');

const period = z.int().min(1_000).max(86_400_000);

/** How often the watch observes a job. `usual`: the default for a kind of run. */
export function cadenceSetting(usual: Cadence) {
  return z
    .strictObject({
      startupMs: setting(
        z.union([period, z.array(period).min(1).max(10)]),
        typeof usual.startupMs === 'number' ? usual.startupMs : [...usual.startupMs],
        'Time from the submission of an attempt to the first observation; or a list of such times.',
      ),
      settleMs: setting(
        period.nullable(),
        usual.settleMs,
        'The interval after those, until the job makes steps. null: `pollMs`.',
      ),
      settleObservations: setting(
        z.int().min(1).max(100),
        usual.settleObservations,
        'How many consecutive observations must see steps.',
      ),
      pollMs: setting(period, usual.pollMs, 'The interval afterwards.'),
      alertMs: setting(
        period,
        usual.alertMs,
        'The interval while the job is degraded or cannot be observed and there is no `/ack`. Never longer than the normal interval.',
      ),
    })
    .prefault({})
    .describe('How often the watch observes a run.');
}

const schedule = z
  .strictObject({
    days: setting(
      z.array(z.enum(WEEKDAYS)).min(1).max(7),
      ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
      'Days of the week, in UTC, on which a run is proposed by itself.',
    ),
    notBefore: setting(
      timeOfDay,
      '00:00',
      'The time of day, in UTC, before which none is; the workflow that proposes has to be started later.',
    ),
  })
  .prefault({})
  .describe('When a run is proposed by itself; `/propose` asks for one at any time.');

const reminders = z
  .strictObject({
    everyHours: setting(
      z.int().min(1).max(168).nullable(),
      24,
      "How often people are reminded that an ended run waits for `/seal` or `/ack`: first its approvers and its requester, then everybody who may decide; and once, that a person's job waits for its confirmation. null: never.",
    ),
    closeAfterHours: orNull(
      z.int().min(1).max(8_760),
      'After how long such a run closes itself as not sealed, so that its lane is free; null: never. An unconfirmed job of a person is dropped after the same time, with null after three days.',
    ),
  })
  .prefault({})
  .describe('What happens while a run that has ended waits for a decision.');

const retention = z
  .strictObject({
    permanentEverySteps: orNull(
      z.int().positive(),
      'Steps between two checkpoints that stay; null if nothing is known.',
    ),
    temporaryEveryMinutes: orNull(
      z.int().positive(),
      'Minutes between two checkpoints that are replaced by the next; null if there are none.',
    ),
    keepTemporary: orNull(z.int().positive(), 'How many of those are kept; null if nothing is known.'),
  })
  .prefault({})
  .describe('What the experiment keeps.');

const updateHours = orNull(
  z.int().min(1).max(168),
  'After how many hours without a post the issue of a watched run gets a status update. null: never; the card always shows the status.',
);

/** Spread into the settings of each kind. */
export const LANE_KEYS = {
  schedule,
  inCharge: people(
    20,
    'Those in charge of the lane: an incident that needs a person mentions and assigns them.',
  ).prefault([]),
  reminders,
  updateHours,
  targetBranch: setting(branch, 'main', 'The branch that a proposal targets.'),
  cluster: word.describe('Which of the `clusters` runs it.'),
  runName: z
    .string()
    .regex(/^[A-Za-z0-9_{}.-]{1,120}$/, 'letters, digits, dots, dashes and underscores')
    .describe('Name of the run in the tracker; {date} is filled in.'),
  command: argumentArray.describe(
    'Exact argument array, started in the root of the shipped files; {date}, {runName}, {run} and {outputRoot} are filled in. {overrides} is replaced by the lines of an experiment `.args`.',
  ),
  environment: setting(
    z.record(variable, z.string().max(500)),
    {},
    'Variables of the job, such as RUN_DATE: "{date}". Never a secret.',
  ),
  passSecrets: setting(
    z.array(variable).max(20),
    [],
    'Names of runner environment variables that the job gets; their values are redacted everywhere.',
  ),
  python: setting(
    z
      .string()
      .max(300)
      .regex(/^(?:\w[\w.+-]*|\/[\w./+@-]+)$/, 'the name of a program, or an absolute path'),
    'python3',
    'Python 3.11 or newer with which ferrybot reads the experiment, before an approval and again before the launch. At least as new as the one that runs it.',
  ),
  ships: z
    .array(z.union([z.literal(WHOLE_TREE), path]))
    .min(1)
    .max(20)
    .describe(
      "Folders and files of the approved tree that the job gets. `.` is everything except the closure log of a ferry and the cluster's `scripts.leavesOut`.",
    ),
  outputRoot: z
    .string()
    .min(1)
    .max(300)
    .describe('Where the job writes, fixed before the launch; {run}, {date} and {runName} are filled in.'),
  metricsFile: setting(
    z.string().min(1).max(300),
    '{outputRoot}/tracker_metrics.jsonl',
    'Where the job writes its last metrics (Levanter tracker_metrics.jsonl); {outputRoot}, {runName}. For a job on other machines only an absolute path is read. Without the file, the evals of the log count.',
  ),
  tracker,
  finalStep: z
    .int()
    .positive()
    .nullable()
    .describe('The exact last step as configured, or null to take it from the first progress line.'),
  ...laneGateKeys,
  trainerLine: orNull(
    z
      .string()
      .max(300)
      .refine((line) => formatOfLine(line) !== null, {
        error: 'a line with {step} or {loss}, each value once, and a word of at least four letters or signs',
      }),
    'A training line of a trainer that ferrybot cannot read, such as `tick {step}/{total} * crossent {loss}`; {tokens} and {seconds} are tokens a second and seconds a step, and * is any text.',
  ),
  metrics: setting(z.array(metric).max(20), [], 'Key metrics of the pass or fail verdict.'),
  cadence: cadenceSetting(USUAL_CADENCE),
  restartsMax: setting(
    z.int().min(0).max(10),
    1,
    'How often a run is started again without another approval, after a failure that can pass by itself or a bad node that was replaced; part of what is approved.',
  ),
  preemptionsMax: orNull(
    z.int().min(0).max(1_000),
    'How often a run is started again after a preemption that came further than the attempts before; part of what is approved. null: preemptions count against `restartsMax`.',
  ),
  unknownFailure: setting(
    z.enum(['ask', 'restart-once']),
    'ask',
    'What follows a failure without a known cause: a person is asked, or the run is started again once, within `restartsMax`.',
  ),
  resume: z
    .strictObject({
      policy: setting(
        z.enum(['never', 'allow', 'must']),
        'never',
        'Whether a run may, may not or has to go on from a checkpoint.',
      ),
    })
    .prefault({})
    .describe('Whether a run resumes from a checkpoint.'),
  retention,
  checkpointRoots: z
    .array(z.string().min(1).max(300))
    .min(1)
    .max(5)
    .default(['{outputRoot}/checkpoints'])
    .describe(
      'Where its checkpoints are, permanent and temporary, each a `gs://`, an `s3://` or an absolute path; {outputRoot}, {runName}, {run} and {date} are filled in. `/cleanup-checkpoints` lists only these.',
    ),
} as const;

const shared = z.object(LANE_KEYS);

/** The settings that every lane has. Only the kind itself reads its additional settings. */
export type LaneConfig = z.infer<typeof shared> & { readonly kind: string };
/** `shape` has the keys that the config file may contain. */
export type LaneSchema = z.ZodType<LaneConfig> & { readonly shape: Readonly<Record<string, z.ZodType>> };

/** A rule that a kind adds to the general ones. `traits`: the engine traits of the lane's cluster, or null. */
export type LaneRule = (lane: LaneConfig, traits: EngineTraits | null) => readonly ConfigIssue[];

export type LaneKind = {
  readonly name: string;
  /** The schema of a lane; `rules` are the conditions that a schema cannot express. */
  readonly settings: LaneSchema;
  readonly rules: readonly LaneRule[];
  /** Patterns of files that a lane of this kind never ships with the whole tree. Absent: none. */
  readonly leavesOut?: (lane: LaneConfig) => readonly string[];
  /** Values for the kind's settings without a default, for a run after its lane was removed from the config. */
  readonly settingsOf: (run: RecordedPlace) => Readonly<Record<string, unknown>>;
};

/** The facts about its lane that a run's record keeps. */
export type RecordedPlace = { readonly experiment: string };

/** All kinds. The first is the default for a lane without `kind`. */
export type LaneKinds<K extends LaneKind = LaneKind> = readonly [K, ...(readonly K[])];

/** Kinds and command names that the caller passes in, because the config modules do not know them. */
export type KnownNames<K extends LaneKind = LaneKind> = {
  readonly kinds: LaneKinds<K>;
  /** Names of ferrybot's own commands, without the slash. */
  readonly ownCommands: readonly string[];
};

/** A lane's kind; the first one for an unknown name. */
export function findKind<K extends LaneKind>(kinds: LaneKinds<K>, { kind }: Pick<LaneConfig, 'kind'>): K {
  return kinds.find(({ name }) => name === kind) ?? kinds[0];
}

/** Narrows a lane to its kind's validated settings. `own`: a setting that only this kind has. Throws for another kind, which is a bug. */
export function settingsReader<Lane extends LaneConfig>(kind: string, own: keyof Lane): (lane: LaneConfig) => Lane {
  const isOfKind = (lane: LaneConfig): lane is Lane => lane.kind === kind || own in lane;
  return (lane) => {
    if (!isOfKind(lane)) throw new Error(`a lane of the kind ${lane.kind} is asked for the settings of a ${kind}`);
    return lane;
  };
}
