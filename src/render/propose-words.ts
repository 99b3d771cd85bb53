/** The results of a `/propose`: the proposal, a question, or what blocks it and how to unblock it. */

import type { AdoptionRefusal, AnswerCode } from '../commands/decision.ts';
import { isIssueFirst } from '../domain/actor.ts';
import { limits } from '../domain/limits.ts';
import { ADOPTION_WAIT_MS, awaitsAdoption, awaitsAdoptionUntil } from '../domain/logbook/holdings.ts';
import type { Description, RunState } from '../domain/logbook/run-state.ts';
import { assertNever, formatDuration, toRfc3339 } from '../domain/values.ts';
import { explainStart } from './contract-words.ts';
import type { AnswerFacts, RenderInput, Sentences } from './input.ts';
import { code, fenced, holdText, inlineCode, joinAnd, paragraphs, table, text, unholdText, utc } from './words.ts';

const UNCHANGED = 'no other run continues this one, and this run is unchanged';

/** The sentences of the codes that only `/propose` has. */
export const PROPOSE_WORDS = {
  proposed: (d) =>
    `proposed as ${code(d.run)}: ${threadLinks(d)}. Its card shows what is missing for the launch; another person has to approve it.`,
  'propose-held': (d) => `nothing is proposed: ${holdText(d, text(d.by), d.reason)}. ${unholdText(d)} lifts it.`,
  'propose-standing': (d) =>
    `nothing is proposed: ${code(d.run)} is proposed already in #${d.pull}. ${explainOpenProposal(d)}`,
  'propose-busy': (d) =>
    `nothing is proposed: ${code(d.run)} (#${d.pull}) ${d.phase === 'ended' ? 'has' : 'is'} ${text(d.phase)}, and a lane has one run at a time. ${suggestWayOut(d)}`,
  'propose-not-today': (d) => `nothing is proposed: there were ${d.count} proposals today, which is the limit.`,
  'propose-edit-refused': (d) => `nothing is proposed: ${explainEditRefused(d)}`,
  'propose-objective-unclear': (d) => askObjective(d.why, d.said, d.knobs),
  'propose-nothing': (d) => explainNothingProposed(d.reason, d.why),
  'propose-refused': ({ why, about, wanted }) => `no run is created: ${NOT_TAKEN_UP[why](about, wanted)}`,
} satisfies Partial<Sentences<AnswerCode>>;

function explainEditRefused({ why, name, about = '' }: AnswerFacts<'propose-edit-refused'>): string {
  switch (why) {
    case 'unknown-knob':
      return `the experiment file has no knob ${code(name)}.${about === '' ? '' : ` Did you mean ${code(about)}?`} \`npx ferrybot read-knobs\` lists them.`;
    case 'ambiguous-knob': {
      const paths = about.split('\n').slice(0, limits.shownRowsMax);
      return `${code(name)} is the name of more than one knob. Say which: ${joinAnd(paths.map(code))}.`;
    }
    case 'repeated-knob':
      return `${code(name)} is ${code(about)}, which is set twice.`;
    case 'value-refused':
      return `${code(about)} is no value that ${code(name)} can take. A value is a number, a text, a list of such, or a name that the file has already; no call and no code.`;
    case 'unchanged':
      return `${code(name)} is ${code(about)} already. To run the same again, comment \`/propose objective="regression: …"\`.`;
    case 'over-budget':
      return `${name} knobs together, and this lab allows ${about}, so that what changes in the result has a cause.`;
    default:
      return assertNever(why);
  }
}

/** A proposal from a label ends if the label is removed; a proposal from a command ends with its thread. */
function explainOpenProposal({ own, pull }: AnswerFacts<'propose-standing'>): string {
  if (own === undefined) return `To replace it, comment \`/propose\` there; to withdraw it, close #${pull}.`;
  return `To withdraw it, close #${pull}${own === 1 ? ', or remove its label' : ''}.`;
}

const NOT_TAKEN_UP: Readonly<Record<AdoptionRefusal, (about: string, wanted: string) => string>> = {
  fork: (branch, repository) =>
    `the branch is in ${code(branch)}. Push it to ${code(repository)}; ferrybot never runs a fork with credentials.`,
  draft: () => 'it is a draft. Mark it as ready for review; without a label, also comment `/propose` again.',
  'no-experiment': (files) => `it does not change ${joinAnd(files.split(' ').map(code))}, the experiment of the lane.`,
  'several-lanes': (lanes) =>
    `it fits several lanes (${joinAnd(lanes.split(' ').map(code))}). Name one with \`/propose lane=…\`, or leave only the label of one.`,
  knobs: () =>
    'it is proposed unchanged. Change the values here, then comment `/propose` without values; or request the values in another issue.',
  'not-permitted': (login, permission) =>
    `${text(login)} requests it, and a proposal needs ${text(permission)} permission.`,
  'no-person': (login, permission) =>
    `an app (${text(login)}) opened this issue, and no person added the label. A person with ${text(permission)} permission comments \`/propose\` here, or adds the label again.`,
  'no-value': (name, names) =>
    `the contract has no value ${code(name)}. It has ${joinAnd(names.split(' ').map(code))}.`,
  'no-name': (_, example) =>
    `the run has no name. Add ${code(example)}, in lower-case letters, digits and dashes, or its purpose with \`objective="…"\`.`,
};

function threadLinks({ pull, issue }: AnswerFacts<'proposed'>): string {
  return isIssueFirst({ pull, issue }) ? `issue #${issue}` : `pull request #${pull}, issue #${issue}`;
}

function suggestWayOut({ phase, issue }: AnswerFacts<'propose-busy'>): string {
  switch (phase) {
    case 'proposed':
    case 'gated':
      return issue === undefined ? 'Close its pull request to withdraw it.' : 'Close it to withdraw it.';
    case 'approved':
    case 'ordered':
      return '`/revoke` or `/stop` there withdraws it.';
    case 'ended':
      return 'Close it with `/seal` or `/ack`, as its card describes.';
    default:
      return '`/stop` there ends its job.';
  }
}

const UNCLEAR: Readonly<Record<string, string>> = {
  'names-both': 'the objective names both',
  negated: 'the objective is ambiguous',
  'nothing-said': 'this lab requires an objective',
};

/** The only question, with the command for each possible answer (policy DF-05). */
function askObjective(why: string, said: string, knobs: string): string {
  const begin = knobs === '' ? '/propose' : `/propose ${knobs}`;
  const words = said.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
  const answers = ['integration', 'regression'].map((kind) =>
    inlineCode(`${begin} objective="${kind}${words === '' ? '' : `: ${words}`}"`, limits.shownBlockCharsMax),
  );
  const because = UNCLEAR[why] ?? 'the objective names neither';
  return `nothing was edited, because ${because}. Is this ferry the normal integration check, or does it confirm a regression?\n\n- ${answers[0] ?? ''}\n- ${answers[1] ?? ''}`;
}

function explainNothingProposed(reason: string, why: string): string {
  const reported = code(why);
  switch (reason) {
    case 'checks-failed':
      return `nothing is pushed: a check of the lab fails with this change.\n\n${fenced(why, limits.answerTextChars)}`;
    case 'proposer-failed':
    case 'proposer-refused':
      return `nothing is proposed: the lab's proposer gave no usable answer (${reported}).`;
    case 'no-candidates':
      return `nothing is proposed: the lab lists no candidates. ${NAME_KNOB}`;
    case 'names-taken':
      return `nothing is proposed: ${text(why)}.`;
    case 'nothing-due':
      return `nothing is proposed: nothing is due (${reported}). ${NAME_KNOB}`;
    default:
      return `nothing is proposed: ${code(reason)}: ${reported}.`;
  }
}

const NAME_KNOB = 'Name a knob: `/propose learning_rate=…`.';

/** The sentences of the codes that only `/resume-as` has. */
export const RESUME_WORDS = {
  'resumed-as': ({ old, run, from, root, reason }) =>
    `${code(old)} is closed and continues as ${code(run)}, a separate run in this issue, from ${code(from)}${root ? ` into ${code(root)}` : ''} (${text(reason)}). Nothing was started: the card of ${code(run)} shows its manifest and the line that approves it. The issue contains the other changes${root ? '' : ', including the output root'}.`,
  'resume-as-unclear': ({ name, said, wanted }) =>
    `${UNCHANGED}: ${code(said)} cannot be its ${text(name)}; wanted is ${text(wanted)}.`,
  'resume-as-refused': ({ path, why }) =>
    `${UNCHANGED}: it cannot start from ${code(path)}: ${explainStart(why)}. Use another \`from=\`.`,
} satisfies Partial<Sentences<AnswerCode>>;

/** The comment with the facts for a person's decision: the owner of the job, and what it runs. */
export function renderDescription({ state, config }: RenderInput, job: Description): string {
  const { experiment } = state.proposal;
  if (job.found === 'unknown')
    return `**The cluster does not describe ${adoptedJobName(state)}:** ${text(job.why)}. ferrybot keeps asking${describeDeadline(state, config)}; close this issue to stop that.`;
  return paragraphs(
    `**Is this the job?** ${adoptedJobName(state)} is ${job.status ?? 'UNKNOWN'}, by the engine ${code(job.engine)}.`,
    table(
      ['Reported by the cluster', ''],
      [
        ['Submitter', job.submitter === null ? 'not kept by this cluster' : text(job.submitter)],
        ['Running since', job.since === null ? 'not known' : utc(job.since)],
        ['Experiment, as requested', code(experiment)],
        ['GIT_COMMIT', describeCommit(job)],
      ],
    ),
    job.entrypoint === null
      ? 'The cluster does not report the command, so ferrybot could watch the job and not launch it again.'
      : `It runs:\n\n${fenced(job.entrypoint, limits.shownBlockCharsMax)}`,
    job.entrypoint === null || job.entrypoint.includes(experiment)
      ? null
      : `Its command does not name ${code(experiment)}.`,
    `**Wanted: ${adoptionNextStep({ state, config })}** Until then ferrybot does not read its log.`,
  );
}

function adoptedJobName({ proposal: { adopts } }: RunState): string {
  return `${code(adopts?.jobId ?? '')} on ${code(adopts?.cluster ?? '')}`;
}

function describeCommit({ commit, commitIsHere }: Description): string {
  if (commit === null) return 'not reported: ferrybot could not launch the job again';
  return commitIsHere
    ? `${code(commit)}, which is on a branch of this repository`
    : `${code(commit)}, which is on no branch of this repository: ferrybot could not launch the job again`;
}

/** The next action until the job is adopted, and who can do it. */
export function adoptionNextStep({ state, config }: Pick<RenderInput, 'state' | 'config'>): string {
  const until = describeDeadline(state, config);
  if (state.description?.found !== 'described')
    return `nothing yet; ferrybot asks the cluster what the job is${until}.`;
  const { adopt } = config.permissions;
  const who = adopt === null ? 'who may approve launches' : `with ${adopt} permission`;
  return `\`/accept\` by a person ${who}, who then owns the watch of the job. To leave the job unchanged, close this issue or do nothing${until}.`;
}

function describeDeadline(state: RunState, { lane }: RenderInput['config']): string {
  const until = awaitsAdoptionUntil(state, lane.reminders.closeAfterHours);
  return until === null ? '' : ` until ${utc(toRfc3339(until))}`;
}

/** The reminder if no person has answered the question in the comment above. */
export function renderUnconfirmed({ state, config }: RenderInput): string {
  return paragraphs(
    `**No answer yet whether ${adoptedJobName(state)} is the job**: the comment above has its description.`,
    `**Wanted: ${adoptionNextStep({ state, config })}** ferrybot does not watch it before.`,
  );
}

/** Why a job is not adopted, as the reason of the closing. */
export function explainNotConfirmed({ description }: RunState, hours: number | null): string {
  const within = `within ${formatDuration(hours === null ? ADOPTION_WAIT_MS : hours * 3_600_000)}`;
  const what =
    description?.found === 'described'
      ? `the job was not confirmed ${within}`
      : `the cluster did not describe the job ${within}`;
  return `${what}; /watch asks again`;
}

/** The state of a run before its job is adopted; null for every other. */
export function describeAdoption(state: RunState): string | null {
  const { adopts } = state.proposal;
  if (!awaitsAdoption(state) || adopts === undefined) return null;
  return state.description === null
    ? `Job ${adoptedJobName(state)}; the cluster was not asked about it yet.`
    : `Job ${adoptedJobName(state)}, as described by the cluster at ${utc(state.description.at)}.`;
}

/** Why nothing is adopted, as the reason of the closing. */
export function explainNotAdopted(
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

/** The answers about a job that ferrybot should adopt. */
export const ADOPTION_WORDS = {
  'adopt-what': ({ missing, job, cluster, experiment, clusters }) =>
    `to watch a job of another launcher, ferrybot needs ${joinAnd(missing.map((name) => QUESTIONS[name] ?? text(name)))}. Comment it in one line: \`/watch job=${job ?? 'ID'} cluster=${cluster ?? 'NAME'} experiment=${experiment ?? 'PATH'}\`. ${listClusters(clusters)}`,
  'adopt-asked': ({ run, job, cluster }) =>
    `the run ${code(run)} is about job ${code(job)} on ${code(cluster)}. ferrybot asks the cluster for its description; then a person confirms the job here. ferrybot does not read its log before.`,
  'adopt-cluster': ({ cluster, clusters }) =>
    `not done: jobs on ${code(cluster)} cannot be adopted. This needs \`adoption: true\` at the cluster and a lane of the kind \`adoption\` on it, in \`.github/ferrybot.yml\`. ${listClusters(clusters)}`,
  'adopt-held': ({ job, run, thread }) =>
    `not done: job ${code(job)} belongs to the run ${code(run)} (#${thread}), and a job has one watch. \`/handoff\` there changes its owner.`,
  'adopt-place': () => 'not done: an adopted job needs an open issue of its own. Open one and comment `/watch` there.',
} satisfies Partial<Sentences<AnswerCode>>;

const QUESTIONS: Readonly<Record<string, string>> = {
  job: 'the id of the job',
  cluster: 'its cluster',
  experiment: 'the path of its experiment script',
};

function listClusters(clusters: string): string {
  return clusters === ''
    ? 'No cluster of this lab permits it now.'
    : `Clusters that permit it: ${joinAnd(clusters.split(' ').map(code))}.`;
}
