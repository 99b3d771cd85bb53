/** What is said of a job that somebody else has launched, until it is taken over. Everything that the cluster says is a claim. */

import type { AnswerCode } from '../commands/registry.ts';
import { assertNever } from '../domain/assert.ts';
import { limits } from '../domain/limits.ts';
import {
  ADOPTION_WAIT_MS,
  awaitsAdoption,
  awaitsAdoptionUntil,
  NO_COMMIT,
} from '../domain/logbook/adoption.ts';
import type { Description, RunState } from '../domain/logbook/run-state.ts';
import { toRfc3339 } from '../domain/time.ts';
import type { RenderInput, Sentences } from './input.ts';
import { code, fenced, listed, paragraphs, table, text, utc } from './words.ts';

/** The comment by which a person decides: whose job it is, and what it runs. */
export function renderDescription({ state, config }: RenderInput, told: Description): string {
  const { adopts } = state.proposal;
  const job = `${code(adopts?.jobId ?? '')} on ${code(adopts?.cluster ?? '')}`;
  if (told.found === 'unknown')
    return `**The cluster does not say what ${job} is:** ${text(told.why)}. ferrybot goes on asking${untilWords(state, config)}; closing this issue ends that.`;
  return paragraphs(
    `**Is this the job?** ${job} is ${told.status ?? 'UNKNOWN'}, by the engine ${code(told.engine)}.`,
    table(
      ['What the cluster says', ''],
      [
        ['Submitter', told.submitter === null ? 'not kept by this cluster' : text(told.submitter)],
        ['Running since', told.since === null ? 'not known' : utc(told.since)],
        ['Experiment, as asked', code(state.proposal.experiment)],
        ['GIT_COMMIT', commitWords(told)],
      ],
    ),
    told.entrypoint === null
      ? 'The cluster does not tell what it runs, so that it could be watched and not launched again.'
      : `It runs:\n\n${fenced(told.entrypoint, limits.shownBlockCharsMax)}`,
    namesExperiment(state, told) ? null : `Its command does not name ${code(state.proposal.experiment)}.`,
    `**Wanted: ${wantedForAdoption({ state, config })}** Until then nothing of its log is read.`,
  );
}

function commitWords({ commit, commitIsHere }: Description): string {
  if (commit === null) return 'not told: it could not be launched again';
  return commitIsHere
    ? `${code(commit)}, which is on a branch of this repository`
    : `${code(commit)}, which is on no branch of this repository: it could not be launched again`;
}

function namesExperiment({ proposal }: RunState, { entrypoint }: Description): boolean {
  return entrypoint === null || entrypoint.includes(proposal.experiment);
}

/** Who says what until the job is taken over. */
export function wantedForAdoption({ state, config }: Pick<RenderInput, 'state' | 'config'>): string {
  if (state.description?.found !== 'described')
    return `nothing yet; the cluster is asked what the job is${untilWords(state, config)}.`;
  const { adopt } = config.permissions;
  const who = adopt === null ? 'who may approve launches' : `with ${adopt} permission`;
  return `\`/accept\` by a person ${who}: the job is watched from then on, and the watch is theirs. Closing this issue leaves it alone, as does saying nothing${untilWords(state, config)}.`;
}

function untilWords(state: RunState, { lane }: RenderInput['config']): string {
  const until = awaitsAdoptionUntil(state, lane.reminders.closeAfterHours);
  return until === null ? '' : ` until ${utc(toRfc3339(until))}`;
}

/** Once, where nobody has answered the question of the comment above. */
export function renderUnconfirmed({ state, config }: RenderInput): string {
  const { adopts } = state.proposal;
  const job = `${code(adopts?.jobId ?? '')} on ${code(adopts?.cluster ?? '')}`;
  return paragraphs(
    `**Nobody has said yet whether ${job} is the job**: what the cluster tells of it stands above.`,
    `**Wanted: ${wantedForAdoption({ state, config })}** It is not watched before somebody says so.`,
  );
}

/** Why a job that nobody took over is left alone, as the reason of the closing. */
export function notConfirmed({ description }: RunState, hours: number | null): string {
  const within = `within ${hours ?? ADOPTION_WAIT_MS / HOUR_MS} h`;
  const what =
    description?.found === 'described'
      ? `nobody said ${within} that it is the job`
      : `the cluster did not say ${within} what the job is`;
  return `${what}; /watch asks anew`;
}

const HOUR_MS = 3_600_000;

/** Where a run stands whose job nobody has taken over yet; null for every other. */
export function adoptionEvidence(state: RunState): string | null {
  const { adopts } = state.proposal;
  if (!awaitsAdoption(state) || adopts === undefined) return null;
  const told = state.description;
  const asked = `Job ${code(adopts.jobId)} on ${code(adopts.cluster)}`;
  return told === null
    ? `${asked}; nobody has asked the cluster yet what it is.`
    : `${asked}, as the cluster told at ${utc(told.at)}.`;
}

/** The commit of a job, where anybody can vouch for one. */
export function launchedCommit(commit: string): string {
  return commit === NO_COMMIT ? 'not told by the job' : code(commit);
}

/** Why nothing is taken over, as the reason of the closing. */
export function notTakenOver(
  { found, why, engine }: Pick<Description, 'found' | 'why' | 'engine'>,
  adopts: RunState['proposal']['adopts'],
): string {
  const job = `${adopts?.jobId ?? 'the job'} on ${adopts?.cluster ?? 'its cluster'}`;
  switch (found) {
    case 'absent':
      return `the cluster has no job ${job}; look up its id and say /watch again`;
    case 'taken':
      return `${job} is a job of the run ${why}`;
    case 'cannot':
    case 'unknown':
    case 'described':
      return `${job} cannot be taken over (engine ${engine}): ${why}`;
    default:
      return assertNever(found);
  }
}

/** The answers about a job that is to be taken over. */
export const ADOPTION_WORDS = {
  'adopt-what': ({ missing, job, cluster, experiment, clusters }) =>
    `to watch a job that somebody has launched I need ${listed(missing.map((name) => QUESTIONS[name] ?? text(name)))}. Say it in one line: \`/watch job=${job ?? 'ID'} cluster=${cluster ?? 'NAME'} experiment=${experiment ?? 'PATH'}\`. ${clustersWords(clusters)}`,
  'adopt-asked': ({ run, job, cluster }) =>
    `the run ${code(run)} is about job ${code(job)} on ${code(cluster)}. The cluster is asked what it is; then a person says here whether it is the one. Nothing of its log is read before.`,
  'adopt-cluster': ({ cluster, clusters }) =>
    `not done: jobs on ${code(cluster)} cannot be taken over. It takes \`adoption: true\` at the cluster and a lane of the kind \`adoption\` on it, in \`.github/ferrybot.yml\`. ${clustersWords(clusters)}`,
  'adopt-held': ({ job, run, thread }) =>
    `not done: job ${code(job)} is that of the run ${code(run)} (#${thread}), and a job has one watch. \`/handoff\` there hands it on.`,
  'adopt-place': () =>
    'not done: a job that is taken over has an open issue of its own. Open one and say `/watch` there.',
} satisfies Partial<Sentences<AnswerCode>>;

const QUESTIONS: Readonly<Record<string, string>> = {
  job: 'the id of the job',
  cluster: 'its cluster',
  experiment: 'the path of its experiment script',
};

function clustersWords(clusters: string): string {
  return clusters === ''
    ? 'No cluster of this lab allows it now.'
    : `Clusters that allow it: ${listed(clusters.split(' ').map(code))}.`;
}
