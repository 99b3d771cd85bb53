/** Why a job failed, why an alarm was raised, why it is not started again, and why no program fixed it. */

import type { DetectorId, FailureClass } from '../domain/failure-class.ts';
import type { IncidentFacts } from '../domain/incidents.ts';
import { limits } from '../domain/limits.ts';
import type { RecordedDiagnosis } from '../domain/logbook/events/job-events.ts';
import { formatDuration } from '../domain/values.ts';
import { code, count, fenced, folded, paragraphs, type ThreadKind, text } from './words.ts';

/** The record keeps no more than this of the end of a log. */
const SHOWN_LOG_END_CHARS_MAX = 9_100;

/** A paragraph, with the evidence behind a fold. */
export function renderDiagnosis(diagnosis: RecordedDiagnosis): string {
  const { class: kind, confidence, place, error, evidence, logEnd = [] } = diagnosis;
  const { meaning, ifRepeated } = describeClass(kind);
  const where = place === null || error === null ? '' : `\n${code(`${place.file}:${place.line}`)}: ${code(error)}`;
  const fold = (title: string, lines: readonly string[], charsMax: number): string | null =>
    lines.length === 0 ? null : folded(title, fenced(lines.join('\n'), charsMax));
  return paragraphs(
    `By its log: **${meaning}** (${code(kind)}, ${confidence} confidence). ${ifRepeated}${where}`,
    fold('Evidence in the log', evidence, limits.shownBlockCharsMax),
    fold(`The last ${count(logEnd.length, 'line')} of its log`, logEnd, SHOWN_LOG_END_CHARS_MAX),
  );
}

/** What a class means, and whether an identical attempt can pass. */
export function describeClass(kind: FailureClass): ClassText {
  return CLASS_WORDS[kind];
}

type ClassText = { readonly meaning: string; readonly ifRepeated: string };

const SAME_END = 'The same configuration would end the same way.';
const MAY_PASS_TEXT = 'The same configuration may pass.';

const CLASS_WORDS: Readonly<Record<FailureClass, ClassText>> = {
  'oom-hbm': { meaning: "the accelerator's memory ran out", ifRepeated: SAME_END },
  'oom-host': { meaning: "the host's memory ran out", ifRepeated: SAME_END },
  'bad-node': {
    meaning: 'a machine or its accelerator is broken',
    ifRepeated: 'The same configuration may pass on another machine.',
  },
  preempted: { meaning: 'the machines were taken away', ifRepeated: MAY_PASS_TEXT },
  capacity: { meaning: 'no machines were available', ifRepeated: 'It can run when there is capacity.' },
  network: { meaning: 'a connection broke', ifRepeated: MAY_PASS_TEXT },
  storage: {
    meaning: 'a disk, a file system or an object store failed',
    ifRepeated: 'Check the storage before the same configuration runs again.',
  },
  data: { meaning: 'the data could not be read as it is', ifRepeated: SAME_END },
  nan: {
    meaning: 'the training diverged, or its loss or a gradient is not a number',
    ifRepeated: 'Continuing or repeating it does not help.',
  },
  'code-small': { meaning: 'a small error in one file of the code', ifRepeated: SAME_END },
  'code-other': { meaning: 'an error in the code', ifRepeated: 'A person has to examine it.' },
  config: { meaning: 'a setting is wrong', ifRepeated: SAME_END },
  auth: { meaning: 'a permission or a credential is missing', ifRepeated: SAME_END },
  dependency: { meaning: 'a package or a driver is missing or incompatible', ifRepeated: SAME_END },
  'infra-cluster': {
    meaning: 'the cluster failed',
    ifRepeated: 'Other jobs may be affected: check the cluster first.',
  },
  stalled: { meaning: 'it made no progress until a watchdog ended it', ifRepeated: MAY_PASS_TEXT },
  benign: { meaning: 'the log shows no failure', ifRepeated: 'The cause is outside the log.' },
  unknown: { meaning: 'unknown', ifRepeated: 'A person has to examine it.' },
};

type AlarmFacts = Omit<IncidentFacts<'run-alarm'>, 'detector' | 'since'>;

/** The sentence, without a full stop. Facts are shown as they are given. */
export function describeAlarm(detector: DetectorId, { seen, bound = '', step = '', minutes = 0 }: AlarmFacts): string {
  return ALARM_WORDS[detector]({ seen, bound, step, minutes });
}

type Alarm = Readonly<Record<'seen' | 'bound' | 'step', string>> & { readonly minutes: number };

const ALARM_WORDS: Readonly<Record<DetectorId, (facts: Alarm) => string>> = {
  'stalled-steps': (d) =>
    `the engine reports RUNNING, and for ${minutes(d.minutes)} there was no step after ${d.seen}; up to ${minutes(d.bound)} is usual for this run`,
  'stalled-start': (d) =>
    `the engine has reported RUNNING for ${minutes(d.minutes)}, and there was no training step yet`,
  'throughput-collapse': (d) =>
    `${d.seen} % slower than its own baseline (${d.bound} a second) in ${d.step} consecutive checks`,
  nan: (d) =>
    `the loss or its gradients are not numbers any more (${d.seen}${d.step === '' ? '' : `, step ${d.step}`})`,
  'loss-spike': (d) => `the loss rose to ${d.seen} in steps ${d.step}; its trend was ${d.bound}`,
  'loss-divergence': (d) => `the trend of the loss rose to ${d.seen}, after a minimum of ${d.bound}`,
  'gradient-norm': (d) => `the gradient norm rose to ${d.seen} in steps ${d.step}; its trend was ${d.bound}`,
  'router-collapse': (d) =>
    `the router moved from its trend of ${d.bound} to ${d.seen} in steps ${d.step}: few experts get the tokens`,
  'z-loss': (d) => `the z-loss rose to ${d.seen} in steps ${d.step}; its trend was ${d.bound}`,
  'resume-mismatch': (d) =>
    `a resume repeated steps ${d.step}, and their loss differs by ${d.seen} (allowed: ${d.bound})`,
  'checkpoint-stalled': (d) =>
    `training continues, and for ${minutes(d.minutes)} no new checkpoint was completed (newest step: ${d.seen}; expected every ${minutes(d.bound)})`,
  'evals-stalled': (d) =>
    `training continues, and for ${minutes(d.minutes)} there was no evaluation; the longest time between two was ${minutes(d.bound)}`,
  'checkpoint-missing': (d) =>
    `the log reports the checkpoint of step ${d.step} as saved, and for ${minutes(d.minutes)} the store has had no complete one of that step or a later one (newest complete step: ${d.seen})`,
  'pending-long': (d) => `the job has been waiting in the queue for ${minutes(d.minutes)}`,
  'partial-allocation': (d) =>
    `${d.seen} of ${d.bound} workers are there after ${minutes(d.minutes)}, and the job waits for the others`,
  'wrong-topology': (d) => `the job runs on ${d.seen}, and ${d.bound} was requested`,
  'tracker-frozen': (d) =>
    `the tracker has received nothing for ${minutes(d.minutes)}: its newest step is ${d.seen}, and the log is at ${d.step}`,
  'tracker-drift': (d) => `metrics reach the tracker run ${d.seen}, and ${d.bound} was launched`,
  'config-drift': (d) => `the job runs with ${d.seen}, and was launched with ${d.bound}`,
  flapping: (d) => `${d.seen} attempts in a row have failed, the last at step ${d.step}`,
  'low-utilisation': (d) =>
    `accelerators at ${d.seen} % in ${d.step} consecutive checks, below ${d.bound} %${d.minutes === 0 ? '' : `, and no new step for ${minutes(d.minutes)}`}`,
  regression: (d) =>
    d.step === ''
      ? `${d.seen} is worse than the ${d.bound} of its first eval in two consecutive evals: the target of the run gets worse`
      : `the loss is ${d.seen} at step ${d.step}; the worst of the lane's last passes had ${d.bound} there`,
  'monitor-disk': (d) =>
    `the disk of the watching machine has ${d.seen} MiB left (${d.bound} %); when it is full, the run is unwatched`,
  'green-no-op': (d) => `the job succeeded without ${d.seen.split(' ').join(', without ')}`,
};

function minutes(count: number | string): string {
  const ms = Number(count) * 60_000;
  return Number.isNaN(ms) ? `${count} min` : formatDuration(ms);
}

/** Which limit of the approval, the gates or the record prevents another identical attempt. Facts come as Markdown. */
export function explainRelaunchRefusal(d: IncidentFacts<'relaunch-refused'>, place: ThreadKind): string {
  const { attempt = 1, earlier = 1, failure = '' } = d;
  switch (d.reason) {
    case 'no-restarts-left':
      return d.restarts === 0
        ? 'The approved manifest permits no restart.'
        : `The approved manifest permits ${d.restarts ?? 'no more'} restarts after such a failure, and all are used.`;
    case 'manifest-changed':
      return `The ${place} has changed since the approval.`;
    case 'not-recoverable':
      return `Attempt ${attempt} ended with ${failure}, which permits no restart of the same manifest.`;
    case 'stopped-by':
      return `${d.by ?? ''} stopped attempt ${attempt} on the cluster, not here: a person decided it.`;
    case 'same-failure':
      return `Attempt ${attempt} failed as attempt ${earlier} did (${failure}): the restart has not helped.`;
    case 'no-progress':
      return `Attempt ${attempt} came no further than attempt ${earlier} (${failure}).`;
    case 'checkpoint-rejected':
      return `The checkpoints from step ${d.rejectedStep ?? 0} on were rejected, and a restart in the same output root would load the newest of them.`;
    case 'loss-lost':
      return `The loss of attempt ${attempt} was not a number any more before it ended: a restart would continue from that.`;
    case 'other-steps':
      return `Attempt ${attempt} made other steps than the attempt that it continues: nothing may start from that.`;
    case 'unstable':
      return `Before attempt ${attempt} ended there was the alarm ${failure}, which had no \`/ack\`: diverging numbers are not caused by a machine.`;
    case 'same-in-lane':
      return `Attempt ${attempt} failed as ${d.run ?? ''} of this lane did, and no run has succeeded since.`;
    default:
      return `The gate ${d.gate ?? ''} does not pass now (${d.gateCode ?? ''}).`;
  }
}

/** Contains no text from the job. */
export function buildFixCommitMessage(path: string, run: string, attempt: number): string {
  return `Fix an error in ${path}\n\nAttempt ${attempt} of ${run} failed because of it. It is launched only after an approval.\n`;
}

/** The commit message for a patch of the lab's fixer. */
export function buildFixerCommitMessage(paths: readonly string[], run: string, attempt: number): string {
  return `Apply the patch of a fixer to ${paths.join(', ')}\n\nAttempt ${attempt} of ${run} failed. It is launched only after an approval.\n`;
}

/** Why there is no fix, without a full stop: a closed code, or the message of a refused push. */
export function explainNoFix(reason: string): string {
  if (!/^[a-z-]+$/.test(reason)) return `the branch could not be pushed to (${text(reason)})`;
  if (reason === 'branch-moved') return 'the branch has newer commits';
  const who = reason.startsWith('patch-')
    ? "the patch of the lane's fixer cannot be applied"
    : reason.startsWith('fixer-')
      ? "the lane's fixer gave no patch"
      : 'the log and the files do not determine one safe correction';
  return `${who} (${code(reason)})`;
}
