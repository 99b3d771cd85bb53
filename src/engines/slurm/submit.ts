/** Starts a Slurm job at most once for its submission id, although each call of `sbatch` creates a new job. */

import { cp, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobMetadata, JobSpec, SubmitOutcome } from '../../domain/engine.ts';
import { publishOnce } from '../../host/files.ts';
import { type ClaimResult, claimJob } from '../shared/job-files.ts';
import {
  buildJob,
  checkFiles,
  checkFolder,
  checkSpec,
  type Rejected,
  reject,
  submitOnce,
  unknownOutcome,
} from '../shared/kit.ts';
import {
  describeFailure,
  formatComment,
  type QueuedJob,
  readQueue,
  readSlurmSession,
  runCommand,
  type SlurmSession,
  type SlurmSettings,
} from './commands.ts';
import type { SlurmCluster } from './definition.ts';
import { type JobPaths, type JobRecords, jobPaths, messagesPath, readJobRecords } from './job-folder.ts';
import { isEndState } from './job-state.ts';
import { chooseJob, oursAmong } from './observe.ts';

// The script that Slurm starts. Its text is the same for every job and values come from files, so no shell parses a value.

/**
 * Arguments: the job's folder, and `once` or `restarts`. The script needs only Bash 4.4, ln, rm and mkdir.
 *
 * The right to start is the hard link `owner`, which only one Slurm job can create, and then the link of this start. After
 * repeated submits the command starts once (again only if Slurm may restart it). Slurm 22.05 does not know `--export=NIL`
 * and loads the account's login environment, so the script clears every variable that is not Slurm's own.
 */
const WRAPPER = `#!/bin/bash
while read -r name; do unset -f "$name"; done < <(compgen -A function)
while read -r name; do
  case $name in
    SLURM_EXPORT_ENV | SLURM_GET_USER_ENV) unset -v "$name" ;;
    SLURM* | CUDA_VISIBLE_DEVICES | GPU_DEVICE_ORDINAL | ROCR_VISIBLE_DEVICES | ZE_AFFINITY_MASK) ;;
    NVIDIA_* | PATH | PWD | USER | LOGNAME | TMPDIR | HOSTNAME) ;;
    *) unset -v "$name" ;;
  esac
done < <(compgen -e)
PATH=/usr/local/bin:/usr/bin:/bin
folder=$1 mode=$2 restart=\${SLURM_RESTART_COUNT:-0}
umask 077
refuse() { printf 'ferrybot: %s\\n' "$1" >&2; exit 1; }
now() { printf '%(%s)T000' -1; }

[[ $SLURM_JOB_ID =~ ^[0-9]+$ && $restart =~ ^[0-9]+$ ]] || refuse 'this is no job of Slurm'
[[ -z $SLURM_ARRAY_JOB_ID && \${SLURM_HET_SIZE:-1} == 1 ]] || refuse 'a job array or a heterogeneous job is not started'
draft=$folder/.draft-$SLURM_JOB_ID-$restart-$RANDOM$RANDOM
printf '%s\\n' "$SLURM_JOB_ID" > "$draft" || refuse "$folder cannot be written"
ln "$draft" "$folder/owner" 2> /dev/null
rm -f "$draft"
read -r owner < "$folder/owner" || refuse 'nobody can say whose this start is'
[[ $owner == "$SLURM_JOB_ID" ]] || { printf 'ferrybot: %s has this run: nothing is started\\n' "$owner"; exit 0; }
((restart == 0)) || [[ $mode == restarts ]] || refuse 'a restart by Slurm was not approved'

node=\${SLURMD_NODENAME//[^A-Za-z0-9._-]/}
token=$SLURM_JOB_ID-$restart-$RANDOM$RANDOM$RANDOM
printf '{"slurmJobId":%s,"restart":%s,"startedAtMs":%s,"node":"%s","token":"%s"}\\n' \\
  "$SLURM_JOB_ID" "$restart" "$(now)" "$node" "$token" > "$draft" || refuse "$folder cannot be written"
ln "$draft" "$folder/begin-$restart.json" 2> /dev/null
rm -f "$draft"
read -r begun < "$folder/begin-$restart.json" || refuse 'nobody can say whether this was started'
[[ $begun == *"\\"$token\\""* ]] || refuse 'this was started before: it is not started again'

mapfile -d '' -t FERRYBOT_ENVIRONMENT < "$folder/environment" || refuse 'the file with the environment is gone'
[[ $mode == restarts ]] || rm -f "$folder/environment"
mapfile -d '' -t FERRYBOT_COMMAND < "$folder/command" || refuse 'the file with the command is gone'
mapfile -d '' -t FERRYBOT_MODULES < "$folder/modules" || refuse 'the file with the modules is gone'
export HOME=$folder/home
mkdir -p "$HOME"
if ((\${#FERRYBOT_MODULES[@]} > 0)); then
  source "\${FERRYBOT_MODULES[0]}" || refuse "\${FERRYBOT_MODULES[0]} brings no modules"
  module load "\${FERRYBOT_MODULES[@]:1}" || refuse 'the modules could not be loaded'
fi
cd "$folder/tree" || refuse 'the shipped files are gone'
unset -v OLDPWD

# Slurm asks the whole job to end by SIGTERM: this script has to outlive its command, to write down how that ended.
child='' interrupted=0
trap 'interrupted=1; [[ -z $child ]] || kill -TERM "$child" 2> /dev/null' TERM
((interrupted == 0)) || refuse 'Slurm ended it before it began'
(
  umask 022
  # Every other name may be one of the job's own; an array would not be given on under its name.
  set -- "\${FERRYBOT_COMMAND[@]}"
  for FERRYBOT_ENTRY in "\${FERRYBOT_ENVIRONMENT[@]}"; do export "$FERRYBOT_ENTRY"; done
  exec -- "$@"
) >> "$folder/log" 2>&1 < /dev/null &
child=$!
# The signal may have come between the two lines above.
((interrupted == 0)) || kill -TERM "$child" 2> /dev/null
unset FERRYBOT_ENVIRONMENT
while :; do
  interrupted=0
  wait "$child"
  code=$?
  ((interrupted)) || break
done
printf '{"slurmJobId":%s,"restart":%s,"endedAtMs":%s,"code":%s}\\n' \\
  "$SLURM_JOB_ID" "$restart" "$(now)" "$code" > "$draft" && ln "$draft" "$folder/end-$restart.json"
rm -f "$draft"
exit "$code"
`;

/** Pauses before each check for a submit with a lost answer. The controller accepts a job within a second. */
const LOOK_AGAIN_MS = [0, 1_000, 3_000] as const;

/** Answers of the controller after which certainly no job exists. Without an answer, or after a cut-off one, a job may exist. */
const CERTAIN =
  /: Batch job submission failed: (?!Unable to contact|Socket timed out|Zero Bytes|Transport|Protocol|Message (?:send|receive)|Slurm backup|Unspecified|Unexpected|Invalid authentication|Incompatible)|: (?:Invalid --|Invalid generic|invalid partition|Memory specification|Unable to open file|unrecognized option)/;
const UNAUTHORIZED = /Invalid account|Access\/permission denied|User's group not permitted|Invalid qos|credential/i;

type Submitting = {
  readonly settings: SlurmSettings;
  readonly paths: JobPaths;
  readonly spec: JobSpec;
  readonly session: Extract<SlurmSession, { kind: 'session' }>;
  /** `submitted` if this call claimed the id, otherwise `adopted`. */
  readonly kind: 'submitted' | 'adopted';
};

/**
 * Three mechanisms ensure at most one start. The claim records which run owns the id. The record *asked*, written before
 * `sbatch`, prevents a second call while the first may be in transit. The wrapper starts the command only for the Slurm job
 * that took the right to start. A second job in spite of this waits behind the first one (`singleton`) and is cancelled
 * here; otherwise it would exit by itself.
 */
export async function submitToSlurm(settings: SlurmSettings, spec: JobSpec): Promise<SubmitOutcome> {
  const refusal = findSlurmRefusal(spec) ?? (await checkFolder(spec));
  if (refusal !== null) return refusal;
  const session = await readSlurmSession(settings);
  if (session.kind === 'unknown') return unknownOutcome(`nothing was submitted: ${session.message}`);
  const claimed = await claimOnSlurm(settings, spec);
  if (claimed.kind !== 'claimed') return claimed;
  const paths = jobPaths(settings.cluster.folder, spec.submissionId);
  const stand: Submitting = { settings, paths, spec, session, kind: claimed.as };
  let isAsked = false;
  const outcome = await submitOnce(spec, {
    findJob: () => findSubmitted(stand),
    send: async () => {
      const refused = (await checkFiles(paths.tree, spec)) ?? (await judgeEarlierRequest(stand));
      isAsked = refused === null;
      return refused ?? callSbatch(stand);
    },
    sleep: settings.sleep,
    recheckDelaysMs: LOOK_AGAIN_MS,
  });
  if (isAsked && outcome.kind === 'rejected') await releaseClaim(settings, paths);
  return outcome;
}

/** The job that is already under the id; null: none. */
async function findSubmitted({ settings, paths, spec, session, kind }: Submitting): Promise<SubmitOutcome | null> {
  const queue = await readQueue(settings, [spec.submissionId]);
  if (queue.kind === 'unknown') return queue;
  const named = queue.jobs.filter(({ name }) => name === spec.submissionId);
  const ours = oursAmong(named, spec.metadata);
  const foreign = named.find((job) => !ours.includes(job) && !isEndState(job.state));
  if (foreign !== undefined) return { kind: 'conflict', found: foreign.metadata };
  const read = await readJobRecords(paths);
  if (read.kind === 'unreadable') return unknownOutcome(read.why);
  const { records } = read;
  if (ours.length > 0) await cancelDuplicates(settings, ours, records);
  const isKnown = ours.length > 0 || records.owner !== null || records.slurmJobId !== null;
  return isKnown ? { kind, job: buildJob('slurm', spec, session.id, `file://${paths.folder}`) } : null;
}

/** Cancels only waiting jobs. A running job has the right to start, or found it taken. */
async function cancelDuplicates(
  settings: SlurmSettings,
  ours: readonly QueuedJob[],
  records: JobRecords,
): Promise<void> {
  const kept = chooseJob(ours, records)?.slurmJobId;
  const doubles = ours.flatMap(({ slurmJobId, state }) =>
    state === 'PENDING' && slurmJobId !== kept ? [slurmJobId] : [],
  );
  // A job that remains for now starts nothing, because the wrapper prevents it.
  if (doubles.length > 0) await runCommand(settings, 'scancel', ['--state=PENDING', ...doubles]);
}

/**
 * An earlier call of sbatch left nothing in the queue. The call may be in transit for the timeout of a command. After that, as long as the
 * queue remembers ended jobs, certainly no job exists and sbatch may be called again (null). Later the outcome is unknown.
 */
async function judgeEarlierRequest({ settings, paths, session }: Submitting): Promise<SubmitOutcome | null> {
  if (await publishOnce(paths.asked, JSON.stringify({ atMs: settings.now() }))) return null;
  const read = await readJobRecords(paths);
  if (read.kind === 'unreadable') return unknownOutcome(read.why);
  const ageMs = settings.now() - (read.records.submitRequestedAtMs ?? 0);
  if (ageMs < settings.cluster.commandTimeoutMs) return unknownOutcome('another submit of this job is on its way');
  return ageMs < session.rememberedMs
    ? null
    : unknownOutcome('the job was submitted before, and Slurm no longer knows what became of it');
}

async function callSbatch(stand: Submitting): Promise<SubmitOutcome> {
  const { settings, paths, spec, session } = stand;
  const args = sbatchArguments(settings.cluster, paths, spec.submissionId, spec.metadata);
  const result = await runCommand(settings, 'sbatch', args);
  const slurmJobId = result.ok ? /^(\d+)(;[\w.-]+)?\n?$/.exec(result.stdout)?.[1] : undefined;
  if (slurmJobId !== undefined) {
    await publishOnce(paths.submitted, JSON.stringify({ slurmJobId }));
    // A concurrent submit may have created a second job. This check cancels that job, and this submit still succeeds.
    await findSubmitted(stand);
    return { kind: stand.kind, job: buildJob('slurm', spec, session.id, `file://${paths.folder}`) };
  }
  const message = describeFailure('sbatch', result);
  const isCertain = result.kind === 'not-started' || (result.kind === 'exited' && CERTAIN.test(result.stderr));
  if (!isCertain) return unknownOutcome(message);
  return reject(UNAUTHORIZED.test(result.stderr) ? 'unauthorized' : 'refused', message);
}

/** The wrapper's shell assigns its own values to these variables, or none. */
const SHELLS_OWN =
  /^(BASH_?[A-Z]*|DIRSTACK|EPOCH[A-Z]+|EUID|FERRYBOT_(?:COMMAND|ENTRY|ENVIRONMENT|MODULES)|FUNCNAME|GROUPS|HISTCMD|LINENO|PIPESTATUS|PPID|RANDOM|SECONDS|SHELLOPTS|SHLVL|SRANDOM|UID|_)$/;

function findSlurmRefusal(spec: JobSpec): Rejected | null {
  return checkSpec(spec, {
    isGiven: (name) => /^[A-Za-z_]\w*$/.test(name) && !SHELLS_OWN.test(name),
    complaint: (names) => `no job of Slurm can be given the variable ${names} as it is`,
  });
}

/** Cannot create an array or a heterogeneous job. `singleton` lets only one job of the name run at a time. */
export function sbatchArguments(
  cluster: SlurmCluster,
  paths: JobPaths,
  submissionId: string,
  metadata: JobMetadata,
): readonly string[] {
  const { containerImage, mayRequeue } = cluster;
  const asked = {
    partition: cluster.partition,
    account: cluster.account,
    qos: cluster.qos,
    reservation: cluster.reservation,
    time: cluster.timeLimit,
    gres: cluster.gres,
    constraint: cluster.constraint,
    nodes: cluster.nodes,
    'cpus-per-task': cluster.cpusPerTask,
    mem: cluster.memoryMb === null ? null : `${cluster.memoryMb}M`,
    'container-image': containerImage,
    'container-mounts': containerImage === null ? null : `${paths.folder}:${paths.folder}`,
  };
  return [
    '--parsable',
    `--job-name=${submissionId}`,
    `--comment=${formatComment(metadata)}`,
    '--dependency=singleton',
    '--export=NIL',
    '--input=/dev/null',
    `--chdir=${paths.folder}`,
    `--output=${messagesPath(paths, '%j')}`,
    mayRequeue ? '--requeue' : '--no-requeue',
    ...Object.entries(asked).flatMap(([name, value]) => (value === null ? [] : [`--${name}=${value}`])),
    paths.wrapper,
    paths.folder,
    mayRequeue ? 'restarts' : 'once',
  ];
}

/** Claims the id on the shared file system, with all files that the job needs. */
export function claimOnSlurm({ cluster, now }: SlurmSettings, spec: JobSpec): Promise<ClaimResult> {
  const { folder, modules } = cluster;
  return claimJob(folder, spec, now(), async (path) => {
    const draft = jobPaths(path, '.');
    const { submissionId, command } = spec;
    const environment = { LANG: 'C.UTF-8', FERRYBOT_SUBMISSION_ID: submissionId, ...spec.env };
    await cp(spec.workingDirectory, draft.tree, { recursive: true, verbatimSymlinks: true });
    for (const [file, content] of [
      [draft.wrapper, WRAPPER],
      [draft.command, endedByNul(command)],
      [draft.modules, endedByNul(modules === null ? [] : [modules.init, ...modules.load])],
      [draft.environment, endedByNul(Object.entries(environment).map(([name, value]) => `${name}=${value}`))],
    ] as const)
      await writeFile(file, content, { flush: true, mode: 0o600 });
  });
}

/** Frees the id, after Slurm has certainly accepted nothing. */
async function releaseClaim({ cluster }: SlurmSettings, paths: JobPaths): Promise<void> {
  const aside = await mkdtemp(join(cluster.folder, '.claims', 'refused-'));
  await rename(paths.folder, join(aside, 'job'));
  await rm(aside, { recursive: true, force: true });
}

/** Values may contain every character except NUL (shared/kit.ts, specRefusal). */
function endedByNul(texts: readonly string[]): string {
  return texts.map((text) => `${text}\0`).join('');
}
