import type { Delta } from '../../src/domain/launch/change-facts.ts';
import type { ContainerFacts, Contract, ImageLabels } from '../../src/domain/launch/contract.ts';
import type { Manifest } from '../../src/domain/launch/manifest.ts';
import { known, unknown } from '../../src/domain/values.ts';
import { bob, digestOf, toSha } from '../support/run-drafts.ts';
import { aChange } from '../support/run-facts.ts';
import { CHANGE, type Facts, MANIFEST, type Rows } from './case-parts.ts';
import { aManifest } from './gate-manifest.ts';
import { UNREADABLE_ISSUE } from './rental-cases.ts';
import { CONTRACT, JOB, LANE } from './sample-facts.ts';

/** The issue has these values now, and they are recorded. */
const says = (values: Contract): Facts => ({ contract: { recorded: values, read: known(values) } });
const inLane = (settings: object): Facts => ({ lane: { ...LANE, ...settings } });
const without = (name: string): Contract =>
  Object.fromEntries(Object.entries(CONTRACT).filter(([one]) => one !== name));
const STEP = 'gs://lab/runs/r1/checkpoints/step-1200';
const FROM = { kind: 'proven', path: STEP, step: 1200, run: 'r1', attempt: 2 } as const;
const unclear = { value: 'a few', source: 'unclear', from: 'a whole number' } as const;
const INPUTS = { value: `meta/llama ${STEP} gs://lab/runs/r1/cache`, source: 'given', from: '' } as const;
const runs = (...more: readonly string[]): Facts => ({
  lane: { ...LANE, command: ['python3', 'train.py', ...more.flatMap((one) => one.split(' '))] },
});
/** Names a checkpoint that the contract does not name. */
const ELSEWHERE = [
  `--initialize-from-checkpoint ${STEP}`,
  `--initialize-from-checkpoint=${STEP}`,
  `--initialize_from_checkpoint=${STEP}`,
  '--load-checkpoint-path /ckpt/other',
  `+trainer.initialize_from=${STEP}`,
  '--Initialize-From s3://lab/other',
  `--warm-start ${STEP}`,
  `--config={"from":"${STEP}"}`,
  '--teacher=/data/other/checkpoints/best',
  '--weights=/data/other/model.safetensors',
  'step-58014',
];
const UNDECIDED = [
  '--initialize-from-checkpoint=$CKPT',
  '--initialize-from-checkpoint=$(newest)',
  '--load-checkpoint-path {elsewhere}',
];
/** Parts that a lane or a cluster decides, too. */
const OTHERWISE: Readonly<Record<string, Partial<Manifest>>> = {
  cluster: { cluster: 'us-east5-a' },
  'resume policy': { resume: { ...aManifest().resume, policy: 'must' } },
  retention: { retention: { ...aManifest().retention, keepTemporary: 3 } },
  'output root': { outputRoot: 'out/before' },
  'identity in the tracker': { tracker: { ...aManifest().tracker, runId: 'before' } },
  'place of its checkpoints': { resume: { ...aManifest().resume, roots: ['gs://lab/before'] } },
};
const inImage = (digest: string): Manifest['policy'] => ({
  'contract.commit': `given: ${COMMIT}`,
  'contract.bundle': `given: ghcr.io/lab/trainer@${digest}`,
});
const OLD_NAMED = ['OUT=out/ferry-daily-20261121', 'python3', 'train.py', '--run', 'grug'];
/** What the attempt before ran. */
const ran = (other: Partial<Manifest> = {}, isOfAnotherRun = false) =>
  known({ manifest: { ...aManifest(), ...other }, isOfAnotherRun });
/** An attempt has failed, and one file differs from what it ran. */
const since = (path: string, delta: Delta): Facts => ({
  ranBefore: ran(),
  change: known(aChange({ sinceAttempt: [{ path, delta }] })),
});
const COMMIT = toSha('the commit of the run');
const OTHER = toSha('another commit');
const OURS = 'https://github.com/lab/models.git';
const THEIRS = 'https://github.com/pytorch/pytorch';
const DIGEST = digestOf('the image');
const IMAGE = `ghcr.io/lab/trainer@${DIGEST}`;
const givenAs = (value: string) => ({ value, source: 'given', from: '' }) as const;
const { builtFrom: _builtFrom, ...UNSAID } = CONTRACT;
const BUILT: Contract = { ...UNSAID, commit: givenAs(COMMIT) };
/** The contract names a container, and this is known about it. */
const container = (look: ContainerFacts['image'], said = IMAGE): Facts => ({
  ...says(BUILT),
  container: { written: said, runsIn: null, image: look },
});
const inside = (...platforms: readonly ImageLabels[]): Facts =>
  container({ image: IMAGE, found: known({ kind: 'built', digest: DIGEST, platforms }) });
const tagged = (...platforms: readonly ImageLabels[]): Facts =>
  container({ image: 'ghcr.io/lab/trainer:v1', found: known({ kind: 'built', digest: DIGEST, platforms }) });
/** Its cluster runs every job in this container. */
const runsIn = (image: string, facts: Facts): Facts =>
  facts.container === undefined ? facts : { ...facts, container: { ...facts.container, runsIn: image } };
/** What `container-built` accepts besides a contract without a container. */
export const BUILT_CASES: readonly (readonly [what: string, facts: Facts, code: string])[] = [
  ['built from the commit of the run', inside({ revision: COMMIT, source: OURS }), 'built'],
  ['that a tag names', tagged({ revision: COMMIT, source: OURS }), 'built'],
  [
    'built from another commit that the contract names for it',
    { ...inside({ revision: OTHER, source: OURS }), ...says({ ...BUILT, builtFrom: givenAs(OTHER) }) },
    'built',
  ],
  ['in words that name no image', container('no-image', 'the wheel of Monday'), 'none'],
];
const inferred = { value: '1e23', source: 'inferred', from: 'six operations a parameter and token' } as const;

export const HERO_CASES = {
  'contract-complete': [
    ['no output root', says(without('outputRoot'))],
    ['no rollback depth', says(without('rollback'))],
    ['an unclear final step', says({ ...CONTRACT, finalStep: unclear })],
    UNREADABLE_ISSUE,
  ],
  'checkpoint-proven': [
    ['no plan', { start: undefined } as unknown as Facts],
    ['an incomplete one', { start: known({ kind: 'refused', code: 'no-metadata', path: STEP }) }],
    ['one that no recorded run wrote', { start: known({ kind: 'refused', code: 'no-run', path: STEP }) }],
    ['a command that goes elsewhere', { start: known(FROM) }],
    [
      'a command with a path where the contract says none',
      { lane: { ...LANE, command: ['python3', 'train.py', `--trainer.initialize_from=${STEP}`] } },
    ],
    [
      'a command that names the checkpoint, and another one after it',
      {
        start: known(FROM),
        lane: {
          ...LANE,
          command: ['python3', 'train.py', '--initialize_from={checkpoint}', '--initialize_from=gs://a/b'],
        },
      },
    ],
    [
      'a command that goes somewhere else from the checkpoint',
      { start: known(FROM), lane: { ...LANE, command: ['python3', 'train.py', '--resume={checkpoint}/../step-9'] } },
    ],
    [
      'a command with a path that only begins as the one of the contract',
      { start: known(FROM), lane: { ...LANE, command: ['python3', 'train.py', `--resume=${STEP}0`] } },
    ],
    [
      'a fix whose command begins elsewhere than the rule says',
      {
        resume: known({ kind: 'from', path: STEP, step: 1200 }),
        lane: {
          ...LANE,
          command: ['python3', 'train.py', '--resume={checkpoint}', '+trainer.initialize_from=gs://a/b'],
        },
      },
    ],
    ...ELSEWHERE.map(
      (argument) => [`a command with ${argument} where the contract says none`, runs(argument)] as const,
    ),
    ...UNDECIDED.map(
      (argument) => [`a command with ${argument}, which only the job's start decides`, runs(argument)] as const,
    ),
    ['a variable of the lane with a checkpoint', { lane: { ...LANE, environment: { INITIALIZE_FROM: STEP } } }],
    ['a path of another run that is no input', { othersPaths: ['gs://lab/runs/r1/cache'] }],
    [
      'a checkpoint to begin from that is called an input',
      { ...runs(`--initialize-from-checkpoint=${STEP}`), ...says({ ...CONTRACT, inputs: INPUTS }) },
    ],
    ['a contract without a command', says(without('command'))],
    ['unreadable', { start: unknown('the store is away') }],
    [
      'an attempt that only its machine can look for, whose command names a checkpoint',
      { ...runs(`--init=${STEP}`), resume: known({ kind: 'unseen' }) },
    ],
    ['an attempt with nothing to go on from', { resume: known({ kind: 'ask', code: 'none-complete' }) }],
    [
      'an attempt that would take another one by itself',
      { resume: known({ kind: 'takes-other', path: STEP, wouldTake: `${STEP}0` }) },
    ],
    ['unreadable own roots', { resume: unknown('the store is away') }],
  ],
  'config-drift': [
    ['another command than the attempt before', { ranBefore: ran({ command: ['python3', 'other.py'] }) }],
    [
      'the very command of the run that it goes on from, with the names of that',
      {
        ranBefore: ran({ runName: 'grug', command: OLD_NAMED }, true),
        manifest: known(aManifest({ command: OLD_NAMED })),
      },
    ],
    ...(['lane.engine', 'lane.launcher', 'lane.passSecrets'] as const).map(
      (key) =>
        [
          `another ${key} than the attempt before`,
          { ranBefore: ran({ policy: { ...aManifest().policy, [key]: 'as it was' } }) },
        ] as const,
    ),
    ...Object.entries(OTHERWISE).map(
      ([part, change]) => [`another ${part} than the attempt before`, { ranBefore: ran(change) }] as const,
    ),
    [
      'another tracker than the run that it goes on from',
      { ranBefore: ran({ tracker: { ...aManifest().tracker, project: 'sweeps' } }, true) },
    ],
    [
      'another image of the commit that the attempt before ran',
      {
        ranBefore: ran({ policy: inImage(digestOf('before')) }),
        manifest: known(aManifest({ policy: inImage(DIGEST) })),
      },
    ],
    [
      'a folder that is not shipped any more',
      { ranBefore: ran({ trees: { ...aManifest().trees, scripts: 'tree-9' } }) },
    ],
    [
      'another budget, though only the seed is said to be meant',
      {
        ranBefore: ran({ policy: { ...aManifest().policy, 'contract.loss': 'given: 3' } }),
        ...says({ ...CONTRACT, changes: { value: 'FLOP budget, seed', source: 'given', from: '' } }),
      },
    ],
    [
      'a value in a file of the commit',
      since('experiments/train.py', {
        kind: 'knobs',
        changes: [{ knob: 'lr', path: 'train().lr', before: '3e-4', after: '1e-3', bucket: 'optimizer', line: 4 }],
      }),
    ],
    ['code of the model', since('lib/model.py', { kind: 'structural', side: 'head', line: 9, statement: 'x = y' })],
    ['unreadable', { ranBefore: ran(), ...MANIFEST }],
    ['an unreadable change', { ranBefore: ran(), ...CHANGE }],
  ],
  'dri-accepted': [
    ['no DRI', says(without('dri'))],
    ['somebody else who has not said yes', says({ ...CONTRACT, dri: { value: 'grace', source: 'given', from: '' } })],
    [
      'somebody else who is named now, and whoever was named before has said yes',
      { ...says({ ...CONTRACT, dri: givenAs('grace') }), owner: bob },
    ],
    UNREADABLE_ISSUE,
  ],
  'output-root-own': [
    [
      'the root of another run',
      { rootHolder: known({ run: 'grug-1e22', root: 'gs://lab/runs', requested: 'gs://lab/runs/a' }) },
    ],
    [
      'a command that leaves the place to the job',
      { manifest: known(aManifest({ command: ['python3', 'train.py', '--out=out/ferry'] })) },
    ],
    [
      'a root that is emptied by itself',
      {
        ...inLane({ temporaryRoots: ['ttl='] }),
        manifest: known(aManifest({ outputRoot: 's3://lab/ttl=14d/r', command: ['OUT=s3://lab/ttl=14d/r', 'x'] })),
      },
    ],
    [
      'a root that differs from the one that the command derives',
      {
        ...inLane({ outputRootFrom: 's3://lab/{run-id}' }),
        manifest: known(aManifest({ outputRoot: 's3://lab/a', command: ['x', '--run-id', 'b'] })),
      },
    ],
    [
      'a bucket of another region than its contract names',
      {
        ...says({ ...CONTRACT, region: { value: 'us-east5-a', source: 'given', from: '' } }),
        manifest: known(
          aManifest({ outputRoot: 'gs://lab-us-central2/r', command: ['OUT=gs://lab-us-central2/r', 'x'] }),
        ),
      },
    ],
    ['a place where somebody else has left a checkpoint', { rootContents: known({ listedRoots: 2, foreign: STEP }) }],
    ['a store that cannot be read', { rootContents: unknown('the store is away') }],
    ['a record that does not verify', { rootHolder: unknown('a logbook is broken') }],
  ],
  'tracker-own': [
    ['the identity of another run', { trackerHolder: known('grug-1e22') }],
    ['a record that does not verify', { trackerHolder: unknown('a logbook is broken') }],
  ],
  'container-built': [
    ['the container of another commit', inside({ revision: OTHER, source: null })],
    [
      'one of several platforms of another commit',
      inside({ revision: COMMIT, source: null }, { revision: OTHER, source: OURS }),
    ],
    ['a commit that is not wholly named', inside({ revision: COMMIT.slice(0, 12), source: null })],
    ['an image that is not there', container({ image: IMAGE, found: known({ kind: 'absent' }) })],
    [
      'a cluster that runs jobs in another',
      runsIn(`ghcr.io/lab/base@${DIGEST}`, inside({ revision: COMMIT, source: OURS })),
    ],
    ['a cluster with an image, and words that name none', runsIn(IMAGE, container('no-image', 'the wheel of Monday'))],
    ['no label', inside({ revision: null, source: OURS })],
    [
      'no label on one of several platforms',
      inside({ revision: COMMIT, source: null }, { revision: null, source: null }),
    ],
    ['the label of the image that it began from', inside({ revision: OTHER, source: THEIRS })],
    ['a registry that is not asked', container('no-registry')],
    ['a registry that is away', container({ image: IMAGE, found: unknown('ghcr.io answers 503') })],
  ],
  'contract-current': [
    [
      'another budget than recorded',
      { contract: { recorded: CONTRACT, read: known({ ...CONTRACT, flops: inferred }) } },
    ],
    UNREADABLE_ISSUE,
  ],
  'entrypoint-known': [
    ['no word of the cluster', { adoptedJob: undefined as never }],
    ['no command', { adoptedJob: { ...JOB, entrypoint: null } }],
    ['a hidden secret', { adoptedJob: { ...JOB, entrypoint: 'python a.py --key=***' } }],
    ['two commands', { adoptedJob: { ...JOB, entrypoint: 'cd lib && python a.py' } }],
    ['an argument that is too long', { adoptedJob: { ...JOB, entrypoint: `python a.py ${'x'.repeat(501)}` } }],
    ['too many arguments', { adoptedJob: { ...JOB, entrypoint: `python a.py ${'x '.repeat(60)}` } }],
    ['no commit', { adoptedJob: { ...JOB, commit: null } }],
    ['a foreign commit', { adoptedJob: { ...JOB, commitIsHere: false } }],
    ['another commit', { adoptedJob: { ...JOB, commit: toSha('another') } }],
    ['unreadable', CHANGE],
  ],
} as const satisfies Partial<Rows>;
