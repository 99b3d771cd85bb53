/** The action's modes, inputs and outputs. action.yml repeats them, and a test compares the two. */

/** What a workflow step does (docs/architecture.md, Who runs where). */
export const MODES = [
  'propose',
  'chat',
  'launch',
  'watch',
  'stop',
  'watchdog',
  'care',
  'disk-scan',
  'fix',
] as const;
export type ActionMode = (typeof MODES)[number];

/** An input of action.yml. `default` null: no default key, so that an unset input is empty. */
type ActionInput = {
  readonly description: string;
  readonly required: boolean;
  readonly default: string | null;
};

export const ACTION_INPUTS = {
  mode: {
    description:
      'What this step does: propose (open the ferry of today), chat (answer commands, check gates, order and record), launch (verify one order and submit it), watch (observe the active runs of one cluster), stop (carry out the recorded stop of one run), watchdog (look whether somebody watches, and start a dead watch again), care (verify one consented change of a cluster and carry it out), disk-scan (look for workers of the named clusters that are short of disk), fix (ask the fixer of a lane for a patch of one slip).',
    required: true,
    default: null,
  },
  token: {
    description:
      'Token for the GitHub API and for git. The workflow token is enough; give the job the permissions that the example workflows name.',
    required: false,
    default: '${{ github.token }}',
  },
  run: {
    description:
      'launch: the run whose order is carried out. stop: the run whose job is stopped. care: the run, or journal, whose record has the proposal. fix: the run that failed. chat: the run that a workflow has just worked on.',
    required: false,
    default: null,
  },
  order: {
    description: 'launch: digest of the order. Nothing else about the launch is taken from the workflow.',
    required: false,
    default: null,
  },
  mutation: {
    description: 'care: digest of the proposed change. Nothing else about it is taken from the workflow.',
    required: false,
    default: null,
  },
  failure: {
    description:
      'fix: digest of the failure that the fixer is asked about. What it is told stands in the record alone.',
    required: false,
    default: null,
  },
  cluster: {
    description:
      'watch, disk-scan: the cluster that this process looks at, a key of clusters in the config; disk-scan takes several with blanks between, and all for every cluster with disk care.',
    required: false,
    default: null,
  },
  'state-directory': {
    description:
      'launch, watch and stop with a local engine, which needs it: absolute folder on the runner that outlives the job and that these workflows share, for job records. A folder below RUNNER_TEMP does not, and is refused.',
    required: false,
    default: null,
  },
  'shift-minutes': {
    description:
      'watch: minutes after which this process hands over to the next one, well inside the 24 hours of the workflow token.',
    required: false,
    default: '1200',
  },
} as const satisfies Readonly<Record<string, ActionInput>>;

export const ACTION_OUTPUTS = {
  result: {
    description:
      'What happened, in one word or code, such as reconciled, proposed, submitted, adopted, idle or no-config.',
  },
  run: { description: 'The run that was worked on, where there is exactly one.' },
  'job-id': { description: 'launch and stop: the job on the cluster.' },
  'answer-file': {
    description: 'fix: the file with what the fixer answered, which is left as the artifact ferrybot-fix.',
  },
} as const satisfies Readonly<Record<string, { readonly description: string }>>;

/** Whether the text is a mode of the action. */
export function isMode(text: string): text is ActionMode {
  return MODES.some((mode) => mode === text);
}
