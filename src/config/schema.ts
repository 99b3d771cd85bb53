/** The shape of `.github/ferrybot.yml`: strict, every key described; unknown keys are refused. */

import { z } from 'zod';

const name = z.string().min(1).max(200);
const decimal = z.string().regex(/^-?\d+(\.\d+)?$/, 'a decimal number in quotes, such as "2.5"');
const path = z
  .string()
  .min(1)
  .max(500)
  .regex(/^[^/\\\p{Cc}][^\\\p{Cc}]*$/u, 'a path inside the repository, without a leading slash')
  .refine((text) => !text.split('/').includes('..'), 'a path inside the repository, without ..');
const word = z.string().regex(/^[a-z][a-z0-9-]{0,39}$/, 'lower-case letters, digits and dashes');
const moment = z.iso.datetime({ offset: false });

const key = z
  .strictObject({
    id: word.describe('Names the key in every event that it signs.'),
    role: z.enum(['control', 'runner', 'watch']).describe('What this key may write.'),
    public: z.base64().length(44).describe('Raw Ed25519 public key, base64.'),
    from: moment.describe('Events before this moment are not accepted under the key.'),
    until: moment.describe('Nor are events after this one.'),
  })
  .describe('A public key; the private half lives in the secret FERRYBOT_<ROLE>_KEY.');

const cluster = z.strictObject({
  engine: z.enum(['local']).describe('Which engine of ferrybot runs the jobs of this cluster.'),
  jobs: z
    .string()
    .min(1)
    .default('jobs')
    .describe('local: folder for job records, relative to FERRYBOT_STATE_DIR.'),
  acceleratorHoursPerRun: decimal.describe(
    'Cost table: accelerator-hours of one run of this lane, shown before approval.',
  ),
  links: z
    .record(word, z.string().max(500))
    .default({})
    .describe('Links for people; {jobId} and {run} are filled in.'),
});

const candidate = z.strictObject({
  id: word.describe('Names the candidate in the record, so that it is not repeated.'),
  path: name.describe('Path of the knob as `ferrybot delta` prints it.'),
  values: z
    .array(z.string().min(1).max(200))
    .min(1)
    .max(20)
    .describe('Source texts that may be tried, in order.'),
  bucket: z.enum(['datamix', 'optimizer', 'architecture', 'system', 'observability']),
  risk: z.enum(['low', 'medium', 'high']),
  reason: z.string().min(1).max(500).describe('Why this is worth a day.'),
});

const metric = z.strictObject({
  key: name.describe('Key in the tracker, such as eval/loss.'),
  better: z.enum(['lower', 'higher']),
  tolerancePercent: decimal.describe(
    'How far it may be worse than the median of the last five sealed ferries.',
  ),
});

const lane = z.strictObject({
  experiment: path.describe('The one file that a ferry edits.'),
  targetBranch: name.default('main'),
  cluster: word.describe('Key under `clusters`.'),
  runName: z
    .string()
    .regex(/^[A-Za-z0-9_{}.-]{1,120}$/)
    .describe('Name of the run in the tracker; {date} is filled in.'),
  command: z
    .array(z.string().min(1).max(500))
    .min(1)
    .max(50)
    .describe('Exact argument array; {date}, {runName}, {outputRoot}.'),
  environment: z
    .record(z.string().regex(/^[A-Z][A-Z0-9_]{0,60}$/), z.string().max(500))
    .default({})
    .describe('What the job is told, such as FERRY_DATE: "{date}". Never a secret.'),
  passSecrets: z
    .array(z.string().regex(/^[A-Z][A-Z0-9_]{0,60}$/))
    .max(20)
    .default([])
    .describe(
      'Names of runner environment variables that the job gets; their values are redacted everywhere.',
    ),
  ships: z.array(path).min(1).max(20).describe('Folders and files of the approved tree that the job gets.'),
  scope: z.array(path).min(1).max(20).describe('Files that a ferry PR may change.'),
  outputRoot: z.string().min(1).max(300).describe('Where the job writes; {run}, {date}, {runName}.'),
  metricsFile: z
    .string()
    .min(1)
    .max(300)
    .default('{outputRoot}/tracker_metrics.jsonl')
    .describe(
      'Where the job leaves its last metrics (Levanter tracker_metrics.jsonl); {outputRoot}, {runName}.',
    ),
  tracker: z.strictObject({
    kind: z.enum(['wandb', 'none']),
    entity: z.string().max(100),
    project: z.string().max(100),
  }),
  finalStep: z
    .number()
    .int()
    .positive()
    .nullable()
    .describe('The exact last step as configured, or null to take it from the first progress line.'),
  budget: z
    .strictObject({
      knobs: z.number().int().min(1).max(20).default(2),
      enforce: z.enum(['warn', 'block']).default('warn'),
    })
    .prefault({}),
  scaleKnobs: z
    .array(name)
    .max(50)
    .default([])
    .describe('Paths that set the scale: a change blocks unless a person asked for it.'),
  candidates: z.array(candidate).max(100).default([]),
  memoryDays: z
    .number()
    .int()
    .min(1)
    .max(365)
    .default(14)
    .describe('A value tried within so many days is not proposed again.'),
  metrics: z.array(metric).max(20).default([]).describe('Key metrics of the pass or fail verdict.'),
  cadence: z
    .strictObject({
      startupMs: z.number().int().min(1_000).default(120_000),
      pollMs: z.number().int().min(1_000).default(570_000),
    })
    .prefault({}),
  resume: z.strictObject({ policy: z.enum(['never', 'allow', 'must']).default('never') }).prefault({}),
  retention: z
    .strictObject({
      permanentEverySteps: z.number().int().positive().nullable().default(null),
      temporaryEveryMinutes: z.number().int().positive().nullable().default(null),
      keepTemporary: z.number().int().positive().nullable().default(null),
    })
    .prefault({}),
  checklist: z
    .strictObject({
      preconditions: z.array(z.string().min(1).max(200)).max(20).default(['issue created/updated']),
    })
    .prefault({}),
  afterSeal: z
    .enum(['merge', 'close', 'leave'])
    .default('close')
    .describe('What happens to the proposal PR after the seal.'),
  closureLog: path
    .default('docs/experiments/daily-ferry-log.md')
    .describe('The only file that a closure PR changes.'),
});

export const configSchema = z.strictObject({
  version: z.literal(1),
  git: z.strictObject({ name, email: z.email() }).describe('Who commits and tags: the lab, never the bot.'),
  appSlug: z
    .string()
    .regex(/^[a-z0-9-]{1,34}$/)
    .default('ferrybot')
    .describe('Slug of the GitHub App, by which its comments are known; workflows speak as github-actions.'),
  logbookBranch: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9/_-]{0,99}$/)
    .default('ferrybot/logbook'),
  keys: z.array(key).min(1).max(50),
  approvals: z
    .strictObject({
      permission: z
        .enum(['write', 'maintain', 'admin'])
        .default('maintain')
        .describe('Least permission of an approver.'),
      users: z
        .array(z.number().int().positive())
        .max(200)
        .default([])
        .describe('Numeric ids that may approve too, if they can write.'),
      quorum: z.number().int().min(1).max(10).default(1),
      onePersonIsEnough: z
        .boolean()
        .default(false)
        .describe('Whether an author or the last editor of the body may approve.'),
      shownForMs: z
        .number()
        .int()
        .min(0)
        .max(86_400_000)
        .default(0)
        .describe('A bare /approve-launch counts only if the manifest was shown so long.'),
    })
    .prefault({}),
  permissions: z
    .strictObject({
      stop: z.enum(['triage', 'write', 'maintain', 'admin']).default('write'),
      ack: z.enum(['triage', 'write', 'maintain', 'admin']).default('write'),
      seal: z.enum(['write', 'maintain', 'admin']).default('maintain'),
    })
    .prefault({}),
  otherBots: z
    .array(z.string().regex(/^\/[a-z][a-z0-9-]*$/))
    .max(100)
    .default([])
    .describe('Slash words that belong to other bots.'),
  workflows: z
    .strictObject({
      launch: z
        .string()
        .regex(/^[\w.-]+\.ya?ml$/)
        .default('ferrybot-launch.yml'),
      watch: z
        .string()
        .regex(/^[\w.-]+\.ya?ml$/)
        .default('ferrybot-watch.yml'),
    })
    .prefault({}),
  clusters: z.record(word, cluster),
  lanes: z.strictObject({ daily: lane }),
});

/** The config after defaults: every key present. */
export type LabConfig = z.infer<typeof configSchema>;
export type LaneConfig = LabConfig['lanes']['daily'];
