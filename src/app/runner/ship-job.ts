/** Turns an order into a job: the approved tree in a new folder, the exact command and environment, and separate secrets. */

import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { ShippedJob, ShipRefusal, Target } from '../../actions/launch.ts';
import { fillLane, fillLinks, listExcludedPaths, OVERRIDES, traitsFor } from '../../config/lane-of-file.ts';
import { listOverrideArguments } from '../../delta/override-file.ts';
import type { Engine, JobMetadata } from '../../domain/engine.ts';
import { type ExportedFile, type ExportedTree, GitError, orUnknown } from '../../domain/git.ts';
import { applyLadder, listMachinesToAvoid } from '../../domain/launch/ladder.ts';
import { WHOLE_TREE } from '../../domain/launch/manifest.ts';
import type { RefusalCode } from '../../domain/launch/verdict.ts';
import type { IssuedOrder, RunState } from '../../domain/logbook/run-state.ts';
import { known, type Observed, type Sha, unknown } from '../../domain/values.ts';
import { errorCode } from '../../host/files.ts';
import { computeTreeIds, joinFirst, listFilesOnDisk } from '../../host/git/tree-on-disk.ts';
import { redact } from '../../host/redactor.ts';
import { createSigners } from '../../logbook/append.ts';
import { isBuildFile } from '../../run/manifest-of.ts';
import { createPathMatcher } from '../../settings/words.ts';
import type { OpenLane } from '../open-lab.ts';
import { LAUNCH_ENVIRONMENT } from '../signers.ts';

export type ShipInput = {
  readonly defaultBranch: string;
  readonly stateDirectory: string;
  /** The runner empties this folder after each job. */
  readonly temporaryDirectory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly shipTree: ShipTree;
  /** Null if this runner has no engine for the lane's cluster. */
  readonly engine: Engine | null;
};

/**
 * Ships the configured paths of the ordered commit, or refuses with the difference from the approved files. The job gets only secrets that
 * the config names.
 */
export async function shipJob(
  open: OpenLane,
  state: RunState,
  order: IssuedOrder,
  input: ShipInput,
): Promise<ShippedJob | ShipRefusal> {
  const { engine } = input;
  const secretless = missingSecrets(open, input.environment);
  if (secretless !== null) return secretless;
  const runsHere = runsJobsLocally(open);
  const built = await checkBuildFiles(open, order.order.commit, input.defaultBranch);
  if (built.kind === 'refused') return built;
  const overrides = await orUnknown(() => readOverrideArguments(open, order.order.commit));
  if (overrides.kind === 'unknown')
    return { kind: 'refused', code: 'unreadable', effect: 'standing', why: overrides.why };
  // A local job runs in this folder and leaves its outputs there.
  const parent = runsHere ? join(input.stateDirectory, TREES) : join(input.temporaryDirectory, TREES);
  if (runsHere) await removeOldTrees(open, engine, parent);
  const tree = await input.shipTree(open, order, parent);
  if (tree.kind === 'refused') return tree;
  const { directory: workingDirectory, files } = tree;
  const links = built.isBuilt ? files.filter(({ path, target }) => target !== null && isBuildFile(path)) : [];
  if (links.length > 0) {
    await tree.discard();
    const why = joinFirst(links.map(({ path }) => `${path} is a link`));
    return { kind: 'refused', code: 'build-files-changed', effect: 'ending', why };
  }
  const leftOut = (await engine?.leftOut?.({ workingDirectory, files })) ?? [];
  if (leftOut.length > 0) {
    await tree.discard();
    const why = joinFirst(leftOut.map((one) => `${one.path} (${one.why})`));
    return { kind: 'refused', code: 'files-left-out', effect: 'ending', why };
  }
  return buildShippedJob(open, { state, order }, tree, { environment: input.environment, overrides: overrides.value });
}

/** What replaces `{overrides}` in the command: the lines of the approved experiment. */
async function readOverrideArguments({ config, git }: OpenLane, commit: Sha): Promise<Observed<readonly string[]>> {
  const file = config.kind.proposals?.change?.file(config.lane);
  if (file === undefined || !config.lane.command.includes(OVERRIDES)) return known([OVERRIDES]);
  const text = await git.readText(commit, file);
  return text === null ? unknown(`${commit} has no ${file}`) : known(listOverrideArguments(text));
}

function runsJobsLocally({ config }: OpenLane): boolean {
  return traitsFor(config, config.lane.cluster)?.jobsRunHere === true;
}

/** Refuses if a secret is missing: the job would fail late or report to the wrong place. GitHub sets missing secrets to empty variables. */
function missingSecrets({ config }: OpenLane, environment: ShipInput['environment']): ShipRefusal | null {
  const names = config.lane.passSecrets.filter((name) => (environment[name] ?? '') === '');
  if (names.length === 0) return null;
  const file = `.github/workflows/${config.workflows.launch}`;
  const why = `the job of the launch was not given ${names.join(', ')}: put it into the secrets of the environment ${LAUNCH_ENVIRONMENT}, and under env: in ${file}`;
  return { kind: 'refused', code: 'secret-missing', effect: 'ending', why };
}

/** Folder name below the state directory or the runner's temporary folder. */
const TREES = 'trees';

/** Removes folders of old jobs. A failure is logged and does not stop the launch. */
async function removeOldTrees({ lab }: OpenLane, engine: Engine | null, trees: string): Promise<void> {
  try {
    const gone = (await engine?.removeOldTrees?.(trees)) ?? [];
    if (gone.length > 0) lab.log('folders of old jobs were removed', { count: gone.length });
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    lab.log('a folder of an old job could not be removed', { why: String(error) });
  }
}

function buildShippedJob(
  open: OpenLane,
  { state, order: { order } }: Target,
  tree: ShippedTree,
  { environment, overrides }: Pick<ShipInput, 'environment'> & { readonly overrides: readonly string[] },
): ShippedJob {
  const lane = open.config.lane;
  const runsHere = runsJobsLocally(open);
  const approved = fillLane(lane, {
    run: state.run,
    date: state.proposal.date,
    // rule HR-75
    checkpoint: order.checkpoint?.path ?? null,
  });
  const planned = applyLadder(state, approved);
  const command = planned.command.flatMap((part) => (part === OVERRIDES ? overrides : [part]));
  const filled = { ...planned, command };
  const avoidMachines = listMachinesToAvoid(state);
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
    urlsOf: (jobId) => fillLinks(open.config, { cluster: open.config.lane.cluster, run: state.run, jobId }),
    details: {
      // A remote job runs in a copy of the folder, so its outputs are not on this machine.
      ...(runsHere ? { workingDirectory } : {}),
      outputRoot: filled.outputRoot,
      metricsFile: filled.metricsFile,
      shippedFiles: files.length,
      shippedDigest: open.lab.digestOf(formatFileList(files)),
    },
    removeFiles: async (runsIn) => {
      if (!runsHere || runsIn !== workingDirectory) await discard();
    },
  };
}

/** Signs the job's metadata. All retries of an attempt get the same signature, because Ed25519 is deterministic. */
function signedMetadata(
  { lab, config }: OpenLane,
  { submissionId, ...job }: { readonly submissionId: string } & Omit<JobMetadata, 'proof'>,
): JobMetadata {
  const { runner } = createSigners(lab.signingKeys, config.keys, lab.now());
  if (runner === undefined) return job;
  const about = [lab.repository, submissionId, job.run, String(job.attempt), job.manifest].join('\n');
  return { ...job, proof: lab.hash(runner.sign(`${JOB_CONTEXT}${lab.hash(about)}`)) };
}

/** Prefix that separates job signatures from other signatures with the same key. */
const JOB_CONTEXT = 'ferrybot.job.v1:';

/** Lists files in the format of `git ls-tree -r`, so that anyone with the commit can compare the digest. */
function formatFileList(files: readonly ExportedFile[]): string {
  return files.map(({ mode, blob, path }) => `${mode} blob ${blob}\t${path}\n`).join('');
}

/**
 * Build files must equal those of the merge base with the default branch. Lab scripts may build the shipped files (`uv export`) while the
 * cluster token is available (docs/decisions/0134-ship-exactly-the-approved-tree.md).
 */
export async function checkBuildFiles(
  { config, git }: Pick<OpenLane, 'config' | 'git'>,
  commit: Sha,
  defaultBranch: string,
): Promise<ShipRefusal | { readonly kind: 'same'; readonly isBuilt: boolean }> {
  if (traitsFor(config, config.lane.cluster)?.buildsChange !== true) return { kind: 'same', isBuilt: false };
  const refuse = (code: ShipRefusal['code'], why: string): ShipRefusal => ({
    kind: 'refused',
    code,
    effect: code === 'unreadable' ? 'standing' : 'ending',
    why,
  });
  try {
    const tip = await git.resolve(`refs/heads/${defaultBranch}`);
    const base = tip === null ? null : await git.mergeBase(tip, commit);
    if (base === null) return refuse('unreadable', `no commit of ${defaultBranch} is one of the change's`);
    const changed = (await git.changedPaths(base, commit)).filter(isBuildFile);
    return changed.length === 0 ? { kind: 'same', isBuilt: true } : refuse('build-files-changed', joinFirst(changed));
  } catch (error) {
    if (error instanceof GitError) return refuse('unreadable', error.message);
    throw error;
  }
}

type ShippedTree = {
  readonly kind: 'shipped';
  readonly directory: string;
  /** All files with their ids in the approved trees. */
  readonly files: readonly ExportedFile[];
  /** Removes the folder; call it only if no job runs in it. */
  readonly discard: () => Promise<void>;
};

/** Exports the ordered commit below `parent`. Tests replace it. */
export type ShipTree = (open: OpenLane, order: IssuedOrder, parent: string) => Promise<ShippedTree | ShipRefusal>;

/**
 * Exports into a folder with a random name, so that it cannot be prepared in advance; only its owner can read it. Compares the content with
 * the approved trees here, and again before use (docs/decisions/0134-ship-exactly-the-approved-tree.md).
 */
export async function shipTree(
  open: OpenLane,
  { order }: IssuedOrder,
  parent: string,
): Promise<ShippedTree | ShipRefusal> {
  const { ships } = open.config.lane;
  await mkdir(parent, { recursive: true, mode: 0o700 });
  // Resolve links now, so that they cannot be redirected later.
  const directory = await mkdtemp(join(await realpath(parent), 'tree-'));
  const discard = (): Promise<void> => rm(directory, { recursive: true, force: true, maxRetries: 5 });
  const refuse = async (code: RefusalCode, why: string): Promise<ShipRefusal> => {
    await discard();
    return { kind: 'refused', code, effect: code === 'unreadable' ? 'standing' : 'ending', why };
  };
  try {
    const leavesOut = listExcludedPaths(open.config);
    const tree = await exportWithout(directory, await open.git.exportTree(order.commit, ships, directory), leavesOut);
    const absent = await findAbsentFiles(directory, tree);
    if (absent.length > 0) return await refuse('files-left-out', joinFirst(absent));
    for (const path of ships) {
      const approved = await open.git.treeId(order.commit, path, createPathMatcher(leavesOut));
      if (tree.ids[path] !== approved)
        return await refuse('tree-differs', `${path} is ${tree.ids[path] ?? 'not there'}, approved: ${approved}`);
    }
    return { kind: 'shipped', directory, files: tree.files, discard };
  } catch (error) {
    if (error instanceof GitError) return refuse('unreadable', error.message);
    await discard();
    throw error;
  }
}

/** Removes the paths that are left out of a whole tree, and recomputes the id from the remaining files. */
async function exportWithout(
  directory: string,
  tree: ExportedTree,
  leavesOut: readonly string[],
): Promise<ExportedTree> {
  if (leavesOut.length === 0) return tree;
  const isLeftOut = createPathMatcher(leavesOut);
  for (const { path } of tree.files) if (isLeftOut(path)) await rm(join(directory, path));
  const files = await listFilesOnDisk(directory);
  const submodules = tree.submodules.filter((path) => !isLeftOut(path));
  return { files, submodules, ids: computeTreeIds(files, {}, [WHOLE_TREE]) };
}

/** Approved entries that would have no content: submodules, and links that lead outside. */
async function findAbsentFiles(directory: string, { files, submodules }: ExportedTree): Promise<readonly string[]> {
  const absent = submodules.map((path) => `${path} is a submodule, whose files are not shipped`);
  const root = await realpath(directory);
  for (const { path, target } of files) {
    if (target === null) continue;
    const place = await resolveLink(join(directory, path));
    if (place === null) absent.push(`${path} is a link to nothing that is shipped`);
    else if (!place.startsWith(root + sep)) absent.push(`${path} is a link that leads out of the shipped files`);
  }
  return absent;
}

async function resolveLink(link: string): Promise<string | null> {
  try {
    return await realpath(link);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES'].includes(errorCode(error) ?? '')) return null;
    throw error;
  }
}
