/** Turns an order into a job: the approved tree in a folder of its own, the exact command and environment, secrets apart. */

import { join } from 'node:path';
import type { ShippedJob, ShipRefusal } from '../../actions/launch.ts';
import { linksOf, traitsOf } from '../../config/engine-traits.ts';
import { fillLane } from '../../config/fill.ts';
import type { Engine, JobMetadata } from '../../domain/engine.ts';
import { type ExportedFile, GitError } from '../../domain/git.ts';
import type { Sha } from '../../domain/ids.ts';
import { machinesToAvoid, onRung } from '../../domain/launch/ladder.ts';
import type { IssuedOrder, RunState } from '../../domain/logbook/run-state.ts';
import { firstOf } from '../../host/git/tree-on-disk.ts';
import { codeOf } from '../../host/publish-once.ts';
import { redact } from '../../host/redactor.ts';
import { isBuildFile } from '../../run/build-files.ts';
import { LAUNCH_ENVIRONMENT } from '../environments.ts';
import type { OpenLane } from '../open-lab.ts';
import { signersFrom } from '../signers.ts';
import type { ShippedTree, ShipTree } from './ship-tree.ts';

export type ShipInput = {
  readonly defaultBranch: string;
  readonly stateDirectory: string;
  /** What the runner empties after each job. */
  readonly temporaryDirectory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly shipTree: ShipTree;
};

/**
 * Ships the ordered commit's configured paths, or says what of them would not arrive as it was approved. Nothing was
 * claimed yet. The job gets no token of ours: only what the config names.
 */
export async function shipJob(
  open: OpenLane,
  state: RunState,
  order: IssuedOrder,
  engine: Engine | null,
  input: ShipInput,
): Promise<ShippedJob | ShipRefusal> {
  const { cluster } = open.config.lane;
  const secretless = missingSecrets(open, input.environment);
  if (secretless !== null) return secretless;
  const runsHere = traitsOf(open.config, cluster)?.jobsRunHere === true;
  const built = await changedBuildFiles(open, order.order.commit, input.defaultBranch);
  if (built.kind === 'refused') return built;
  // A job of this machine runs in the folder, which has to be there as long as its outputs are wanted.
  const parent = runsHere ? join(input.stateDirectory, TREES) : join(input.temporaryDirectory, TREES);
  if (runsHere) await tidy(open, engine, parent);
  const tree = await input.shipTree(open, order, parent);
  if (tree.kind === 'refused') return tree;
  const { directory: workingDirectory, files } = tree;
  const links = built.isBuilt ? files.filter(({ path, target }) => target !== null && isBuildFile(path)) : [];
  if (links.length > 0) {
    await tree.discard();
    const why = firstOf(links.map(({ path }) => `${path} is a link`));
    return { kind: 'refused', code: 'build-files-changed', effect: 'ending', why };
  }
  const leftOut = (await engine?.leftOut?.({ workingDirectory, files })) ?? [];
  if (leftOut.length > 0) {
    await tree.discard();
    const why = firstOf(leftOut.map((one) => `${one.path} (${one.why})`));
    return { kind: 'refused', code: 'files-left-out', effect: 'ending', why };
  }
  return jobOf(open, state, order, tree, runsHere, input.environment);
}

/** A job without a secret that it needs fails late, or reports to the wrong place. An empty variable is what GitHub makes of a secret that does not exist. */
function missingSecrets({ config }: OpenLane, environment: ShipInput['environment']): ShipRefusal | null {
  const names = config.lane.passSecrets.filter((name) => (environment[name] ?? '') === '');
  if (names.length === 0) return null;
  const file = `.github/workflows/${config.workflows.launch}`;
  const why = `the job of the launch was not given ${names.join(', ')}: put it into the secrets of the environment ${LAUNCH_ENVIRONMENT}, and under env: in ${file}`;
  return { kind: 'refused', code: 'secret-missing', effect: 'ending', why };
}

/** Folder of the shipped trees, below the state directory or the runner's temporary one. */
const TREES = 'trees';

/** Folders of jobs that ended long ago go. One that cannot be removed is said in the log and stops no launch. */
async function tidy({ lab }: OpenLane, engine: Engine | null, trees: string): Promise<void> {
  try {
    const gone = (await engine?.removeOldTrees?.(trees)) ?? [];
    if (gone.length > 0) lab.log('folders of old jobs were removed', { count: gone.length });
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    lab.log('a folder of an old job could not be removed', { why: String(error) });
  }
}

function jobOf(
  open: OpenLane,
  state: RunState,
  { order }: IssuedOrder,
  tree: ShippedTree,
  runsHere: boolean,
  environment: ShipInput['environment'],
): ShippedJob {
  const lane = open.config.lane;
  const approved = fillLane(lane, {
    run: state.run,
    date: state.proposal.date,
    // rule HR-75
    checkpoint: order.checkpoint?.path ?? null,
  });
  const filled = onRung(state, approved);
  const avoidMachines = machinesToAvoid(state);
  const secrets = Object.fromEntries(lane.passSecrets.map((name) => [name, environment[name] ?? '']));
  const values = Object.values(secrets);
  const { directory: workingDirectory, files, discard } = tree;
  const { submissionId, attempt, digest } = order;
  return {
    kind: 'shipped',
    spec: {
      submissionId,
      command: filled.command,
      env: { ...filled.environment, ...secrets, GIT_COMMIT: order.commit },
      secretNames: lane.passSecrets,
      ...(avoidMachines.length === 0 ? {} : { avoidMachines }),
      workingDirectory,
      files,
      metadata: signedMetadata(open, { submissionId, run: state.run, attempt, manifest: digest }),
    },
    scrubbedCommand: [
      ...Object.entries(filled.environment).map(([name, value]) => `${name}=${value}`),
      ...filled.command,
    ].map((part) => redact(part, values)),
    urlsOf: (jobId) => linksOf(open.config, { cluster: open.config.lane.cluster, run: state.run, jobId }),
    details: {
      // Elsewhere the job runs in a copy: what it leaves there is not to be had from this machine.
      ...(runsHere ? { workingDirectory } : {}),
      outputRoot: filled.outputRoot,
      metricsFile: filled.metricsFile,
      shippedFiles: files.length,
      shippedDigest: open.lab.digestOf(listText(files)),
    },
    leave: async (runsIn) => {
      if (!runsHere || runsIn !== workingDirectory) await discard();
    },
  };
}

/** The same for every try of an attempt: Ed25519 signs one text in one way. Its digest is as hard to guess, and fits everywhere. */
function signedMetadata(
  { lab, config }: OpenLane,
  { submissionId, ...job }: { readonly submissionId: string } & Omit<JobMetadata, 'proof'>,
): JobMetadata {
  const { runner } = signersFrom(lab.signingKeys, config.keys, lab.now());
  if (runner === undefined) return job;
  const about = [lab.repository, submissionId, job.run, String(job.attempt), job.manifest].join('\n');
  return { ...job, proof: lab.hash(runner.sign(`${JOB_CONTEXT}${lab.hash(about)}`)) };
}

/** Keeps a job's signature from being one of anything else that the same key signs. */
const JOB_CONTEXT = 'ferrybot.job.v1:';

/** One line a file, as `git ls-tree -r` has it: anybody with the commit can make the same list and compare its digest. */
function listText(files: readonly ExportedFile[]): string {
  return files.map(({ mode, blob, path }) => `${mode} blob ${blob}\t${path}\n`).join('');
}

/**
 * Where a lab's script submits, it may resolve and build what it ships (`uv export`) with the cluster's token in reach
 * (docs/decisions/0038-whose-code-runs-beside-the-token.md). So the commit's build files have to be those of a commit of
 * the default branch, the last that both have in common. Over the Jobs API, and locally, nothing is built before the job.
 */
export async function changedBuildFiles(
  { config, git }: Pick<OpenLane, 'config' | 'git'>,
  commit: Sha,
  defaultBranch: string,
): Promise<ShipRefusal | { readonly kind: 'same'; readonly isBuilt: boolean }> {
  if (traitsOf(config, config.lane.cluster)?.buildsChange !== true) return { kind: 'same', isBuilt: false };
  const refused = (code: ShipRefusal['code'], why: string): ShipRefusal => ({
    kind: 'refused',
    code,
    effect: code === 'unreadable' ? 'standing' : 'ending',
    why,
  });
  try {
    const tip = await git.resolve(`refs/heads/${defaultBranch}`);
    const base = tip === null ? null : await git.mergeBase(tip, commit);
    if (base === null) return refused('unreadable', `no commit of ${defaultBranch} is one of the change's`);
    const changed = (await git.changedPaths(base, commit)).filter(isBuildFile);
    return changed.length === 0
      ? { kind: 'same', isBuilt: true }
      : refused('build-files-changed', firstOf(changed));
  } catch (error) {
    if (error instanceof GitError) return refused('unreadable', error.message);
    throw error;
  }
}
