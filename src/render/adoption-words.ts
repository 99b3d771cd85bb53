/** What is said of a job that somebody else has launched, until it is taken over. Everything that the cluster says is a claim. */

import type { AnswerCode } from '../commands/registry.ts';
import { limits } from '../domain/limits.ts';
import {
  ADOPTION_WAIT_MS,
  awaitsAdoption,
  awaitsAdoptionUntil,
  NO_COMMIT,
} from '../domain/logbook/adoption.ts';
import type { Description, RunState } from '../domain/logbook/run-state.ts';
import { assertNever, toRfc3339 } from '../domain/values.ts';
import type { RenderInput, Sentences } from './input.ts';
import { code, fenced, listed, paragraphs, table, text, utc } from './words.ts';

/** The comment by which a person decides: whose job it is, and what it runs. */
export function renderDescription({ state, config }: RenderInput, job: Description): string {
  const { experiment } = state.proposal;
  if (job.found === 'unknown')
    return `**The cluster does not describe ${jobOf(state)}:** ${text(job.why)}. ferrybot keeps asking${untilWords(state, config)}; close this issue to stop that.`;
  return paragraphs(
    `**Is this the job?** ${jobOf(state)} is ${job.status ?? 'UNKNOWN'}, by the engine ${code(job.engine)}.`,
    table(
      ['Reported by the cluster', ''],
      [
        ['Submitter', job.submitter === null ? 'not kept by this cluster' : text(job.submitter)],
        ['Running since', job.since === null ? 'not known' : utc(job.since)],
        ['Experiment, as requested', code(experiment)],
        ['GIT_COMMIT', commitWords(job)],
      ],
    ),
    job.entrypoint === null
      ? 'The cluster does not report the command, so ferrybot could watch the job and not launch it again.'
      : `It runs:\n\n${fenced(job.entrypoint, limits.shownBlockCharsMax)}`,
    job.entrypoint === null || job.entrypoint.includes(experiment)
      ? null
      : `Its command does not name ${code(experiment)}.`,
    `**Wanted: ${wantedForAdoption({ state, config })}** Until then ferrybot does not read its log.`,
  );
}

function jobOf({ proposal: { adopts } }: RunState): string {
  return `${code(adopts?.jobId ?? '')} on ${code(adopts?.cluster ?? '')}`;
}

function commitWords({ commit, commitIsHere }: Description): string {
  if (commit === null) return 'not reported: ferrybot could not launch the job again';
  return commitIsHere
    ? `${code(commit)}, which is on a branch of this repository`
    : `${code(commit)}, which is on no branch of this repository: ferrybot could not launch the job again`;
}

/** Who does what until the job is adopted. */
export function wantedForAdoption({ state, config }: Pick<RenderInput, 'state' | 'config'>): string {
  const until = untilWords(state, config);
  if (state.description?.found !== 'described')
    return `nothing yet; ferrybot asks the cluster what the job is${until}.`;
  const { adopt } = config.permissions;
  const who = adopt === null ? 'who may approve launches' : `with ${adopt} permission`;
  return `\`/accept\` by a person ${who}, who then owns the watch of the job. To leave the job alone, close this issue or do nothing${until}.`;
}

function untilWords(state: RunState, { lane }: RenderInput['config']): string {
  const until = awaitsAdoptionUntil(state, lane.reminders.closeAfterHours);
  return until === null ? '' : ` until ${utc(toRfc3339(until))}`;
}

/** The reminder if the question of the comment above has no answer. */
export function renderUnconfirmed({ state, config }: RenderInput): string {
  return paragraphs(
    `**No answer yet whether ${jobOf(state)} is the job**: the comment above has its description.`,
    `**Wanted: ${wantedForAdoption({ state, config })}** ferrybot does not watch it before.`,
  );
}

/** Why a job is not adopted, as the reason of the closing. */
export function notConfirmed({ description }: RunState, hours: number | null): string {
  const within = `within ${hours ?? ADOPTION_WAIT_MS / 3_600_000} h`;
  const what =
    description?.found === 'described'
      ? `the job was not confirmed ${within}`
      : `the cluster did not describe the job ${within}`;
  return `${what}; /watch asks again`;
}

/** The state of a run before its job is adopted; null for every other. */
export function adoptionEvidence(state: RunState): string | null {
  const { adopts } = state.proposal;
  if (!awaitsAdoption(state) || adopts === undefined) return null;
  return state.description === null
    ? `Job ${jobOf(state)}; the cluster was not asked about it yet.`
    : `Job ${jobOf(state)}, as described by the cluster at ${utc(state.description.at)}.`;
}

/** The commit of a job, if it is known. */
export function launchedCommit(commit: string): string {
  return commit === NO_COMMIT ? 'not reported by the job' : code(commit);
}

/** Why nothing is adopted, as the reason of the closing. */
export function notTakenOver(
  { found, why, engine }: Pick<Description, 'found' | 'why' | 'engine'>,
  adopts: RunState['proposal']['adopts'],
): string {
  const job = `${adopts?.jobId ?? 'the job'} on ${adopts?.cluster ?? 'its cluster'}`;
  switch (found) {
    case 'absent':
      return `the cluster has no job ${job}; check its id and comment /watch again`;
    case 'taken':
      return `${job} is a job of the run ${why}`;
    case 'cannot':
    case 'unknown':
    case 'described':
      return `${job} cannot be adopted (engine ${engine}): ${why}`;
    default:
      return assertNever(found);
  }
}

/** The answers about a job that is to be taken over. */
export const ADOPTION_WORDS = {
  'adopt-what': ({ missing, job, cluster, experiment, clusters }) =>
    `to watch a job of another launcher, ferrybot needs ${listed(missing.map((name) => QUESTIONS[name] ?? text(name)))}. Comment it in one line: \`/watch job=${job ?? 'ID'} cluster=${cluster ?? 'NAME'} experiment=${experiment ?? 'PATH'}\`. ${clustersWords(clusters)}`,
  'adopt-asked': ({ run, job, cluster }) =>
    `the run ${code(run)} is about job ${code(job)} on ${code(cluster)}. ferrybot asks the cluster for its description; then a person confirms the job here. ferrybot does not read its log before.`,
  'adopt-cluster': ({ cluster, clusters }) =>
    `not done: jobs on ${code(cluster)} cannot be adopted. This needs \`adoption: true\` at the cluster and a lane of the kind \`adoption\` on it, in \`.github/ferrybot.yml\`. ${clustersWords(clusters)}`,
  'adopt-held': ({ job, run, thread }) =>
    `not done: job ${code(job)} belongs to the run ${code(run)} (#${thread}), and a job has one watch. \`/handoff\` there changes its owner.`,
  'adopt-place': () =>
    'not done: an adopted job needs an open issue of its own. Open one and comment `/watch` there.',
} satisfies Partial<Sentences<AnswerCode>>;

const QUESTIONS: Readonly<Record<string, string>> = {
  job: 'the id of the job',
  cluster: 'its cluster',
  experiment: 'the path of its experiment script',
};

function clustersWords(clusters: string): string {
  return clusters === ''
    ? 'No cluster of this lab permits it now.'
    : `Clusters that permit it: ${listed(clusters.split(' ').map(code))}.`;
}
