/** What a hero run's contract says, name by name: the headings that people write, and whether a launch can do without (policy HR, Launch and Run Record). */

export type FieldName = keyof typeof FIELDS;

type Field = {
  /** As the issue form has it. */
  readonly label: string;
  /** Other words for it, as people write them in issues of their own. */
  readonly also: readonly string[];
  /** Nothing is launched without it. */
  readonly needed: boolean;
};

/** In the order in which a person reads them. */
export const FIELDS = {
  dri: { label: 'DRI', also: ['run owner', 'owner', 'directly responsible individual'], needed: true },
  goal: { label: 'Goal', also: ['objective', 'purpose'], needed: true },
  stop: {
    label: 'Stop and escalation criteria',
    also: ['stop/escalation criteria', 'stop criteria', 'escalation criteria'],
    needed: true,
  },
  slug: { label: 'Run slug', also: ['run name', 'run', 'slug'], needed: true },
  command: { label: 'Command', also: ['launch command', 'command line'], needed: true },
  commit: { label: 'Source SHA', also: ['git sha', 'commit', 'sha', 'source commit'], needed: true },
  branch: { label: 'Branch', also: ['source branch'], needed: false },
  bundle: {
    label: 'Container or bundle',
    also: ['container', 'bundle', 'source bundle/container', 'source bundle', 'image'],
    needed: false,
  },
  outputRoot: { label: 'Output root', also: ['output path', 'output'], needed: true },
  trackerId: {
    label: 'W&B run id',
    also: ['tracker id', 'wandb run id', 'w&b id', 'wandb id', 'run id'],
    needed: true,
  },
  trackerName: {
    label: 'W&B display name',
    also: ['tracker name', 'display name', 'wandb name', 'w&b name'],
    needed: false,
  },
  resume: { label: 'Resume policy', also: ['w&b resume policy', 'wandb resume'], needed: true },
  permanent: {
    label: 'Permanent checkpoints every (steps)',
    also: ['permanent checkpoints', 'permanent checkpoints every'],
    needed: true,
  },
  temporary: {
    label: 'Temporary checkpoints every (minutes)',
    also: ['temporary checkpoints', 'temporary checkpoints every'],
    needed: true,
  },
  rollback: {
    label: 'Checkpoints kept for rollback',
    also: ['rollback depth', 'checkpoints kept', 'kept checkpoints'],
    needed: true,
  },
  initializeFrom: {
    label: 'initialize_from',
    also: ['initialize from', 'source checkpoint', 'initial checkpoint'],
    needed: true,
  },
  finalStep: { label: 'Final step', also: ['final training step', 'last step'], needed: true },
  hardware: {
    label: 'Hardware and topology',
    also: ['hardware', 'hardware/topology', 'topology', 'cluster + chips', 'chips'],
    needed: true,
  },
  region: { label: 'Region', also: ['zone'], needed: false },
  acceleratorHours: { label: 'Accelerator-hours', also: ['accelerator hours', 'chip-hours'], needed: false },
  parameters: { label: 'Parameters', also: ['active parameters', 'model size'], needed: false },
  tokens: { label: 'Token budget', also: ['tokens'], needed: false },
  flops: { label: 'FLOP budget', also: ['flops', 'model flops'], needed: true },
  loss: { label: 'Pre-registered loss', also: ['preregistered loss', 'expected loss'], needed: true },
  cadence: { label: 'Check cadence', also: ['cadence', 'babysitter/check cadence'], needed: false },
} as const satisfies Readonly<Record<string, Field>>;

/** The names in their order. */
export const FIELD_NAMES = Object.keys(FIELDS) as readonly FieldName[];

/** Which of them a heading means; null where it is none. */
export function fieldNamed(heading: string): FieldName | null {
  const words = wordsOf(heading);
  return (
    FIELD_NAMES.find((name) =>
      [FIELDS[name].label, ...FIELDS[name].also].some((one) => wordsOf(one) === words),
    ) ?? null
  );
}

function wordsOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[*_`:()]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
