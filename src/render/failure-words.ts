/** Why a job failed, why an alarm was raised, why it is not started again, and why no program fixed it. */

import type { DetectorId } from '../domain/detector-ids.ts';
import type { FailureClass } from '../domain/failure-class.ts';
import type { IncidentFacts } from '../domain/incidents.ts';
import { limits } from '../domain/limits.ts';
import type { RecordedDiagnosis } from '../domain/logbook/events/job-events.ts';
import { code, count, details, fenced, type PlaceWord, paragraphs, text } from './words.ts';

/** The end of a log, folded: all that is kept of it. */
const SHOWN_LOG_END_CHARS_MAX = 9_100;

/** A paragraph, with the lines that tell behind a fold. */
export function diagnosisPart(diagnosis: RecordedDiagnosis): string {
  const { class: kind, confidence, place, error, evidence, logEnd = [] } = diagnosis;
  const { what, again } = classWords(kind);
  const where =
    place === null || error === null ? '' : `\n${code(`${place.file}:${place.line}`)}: ${code(error)}`;
  const lines =
    evidence.length === 0
      ? null
      : details('What the log says', fenced(evidence.join('\n'), limits.shownBlockCharsMax));
  return paragraphs(
    `By its log: **${what}** (${code(kind)}, ${confidence} confidence). ${again}${where}`,
    lines,
    logEnd.length === 0
      ? null
      : details(
          `The last ${count(logEnd.length, 'line')} of its log`,
          fenced(logEnd.join('\n'), SHOWN_LOG_END_CHARS_MAX),
        ),
  );
}

/** What a class means, and whether the same again can pass: the words of an incident and of the end alike. */
export function classWords(kind: FailureClass): Words {
  return CLASS_WORDS[kind];
}

type Words = { readonly what: string; readonly again: string };

const SAME_END = 'The same configuration would end the same way.';
const MAY_PASS = 'The same configuration may pass.';

const CLASS_WORDS: Readonly<Record<FailureClass, Words>> = {
  'oom-hbm': { what: "the accelerator's memory ran out", again: SAME_END },
  'oom-host': { what: "the host's memory ran out", again: SAME_END },
  'bad-node': {
    what: 'a machine or its accelerator is broken',
    again: 'The same configuration may pass on another machine.',
  },
  preempted: { what: 'the machines were taken away', again: MAY_PASS },
  capacity: { what: 'the machines could not be had', again: 'It can run when there is room.' },
  network: { what: 'a connection broke', again: MAY_PASS },
  storage: {
    what: 'a disk, a file system or an object store failed',
    again: 'Look at it before the same configuration runs again.',
  },
  data: { what: 'the data could not be read as it is', again: SAME_END },
  nan: {
    what: 'the training diverged, or its loss or a gradient is no number',
    again: 'Running it on or again mends nothing.',
  },
  'code-small': { what: 'a slip in the code, in one file', again: SAME_END },
  'code-other': { what: 'an error in the code', again: 'A person has to look at it.' },
  config: { what: 'a setting is wrong', again: SAME_END },
  auth: { what: 'a right or a credential is missing', again: SAME_END },
  dependency: { what: 'a package or a driver is missing or does not fit', again: SAME_END },
  'infra-cluster': {
    what: 'the cluster failed',
    again: 'Other jobs may be concerned: look at the cluster first.',
  },
  stalled: { what: 'it stood still until a watchdog ended it', again: MAY_PASS },
  benign: { what: 'nothing in it is a failure', again: 'Why the job failed stands elsewhere.' },
  unknown: { what: 'nobody can tell', again: 'A person has to look at it.' },
};

type AlarmFacts = Omit<IncidentFacts<'run-alarm'>, 'detector' | 'since'>;

/** The sentence, without a stop at its end. */
export function alarmWhy(detector: DetectorId, facts: AlarmFacts): string {
  return ALARM_WORDS[detector]({ bound: '', step: '', minutes: 0, ...defined(facts) });
}

type Said = {
  readonly seen: string;
  readonly bound: string;
  readonly step: string;
  readonly minutes: number;
};

function defined({ seen, bound, step, minutes }: AlarmFacts): Pick<Said, 'seen'> & Partial<Said> {
  return {
    seen,
    ...(bound === undefined ? {} : { bound }),
    ...(step === undefined ? {} : { step }),
    ...(minutes === undefined ? {} : { minutes }),
  };
}

const ALARM_WORDS: Readonly<Record<DetectorId, (facts: Said) => string>> = {
  'stalled-steps': (d) =>
    `the engine says RUNNING, and for ${d.minutes} min no look has seen a step beyond ${d.seen}; up to ${d.bound} min would be usual for this run`,
  'stalled-start': (d) =>
    `the engine says RUNNING for ${d.minutes} min, and no training step has been seen yet`,
  'throughput-collapse': (d) =>
    `${d.seen} % slower than its own baseline (${d.bound} a second) at ${d.step} looks in a row`,
  nan: (d) => `the loss or its gradients are no numbers any more (${d.seen}${atStep(d)})`,
  'loss-spike': (d) => `the loss was up to ${d.seen} in steps ${d.step}, and its trend was ${d.bound}`,
  'loss-divergence': (d) => `the trend of the loss has come to ${d.seen}, and was down at ${d.bound} before`,
  'gradient-norm': (d) =>
    `the gradient norm was up to ${d.seen} in steps ${d.step}, and its trend was ${d.bound}`,
  'router-collapse': (d) =>
    `the router has left its trend of ${d.bound} for ${d.seen} in steps ${d.step}: few experts get the tokens`,
  'z-loss': (d) => `the z-loss was up to ${d.seen} in steps ${d.step}, and its trend was ${d.bound}`,
  'resume-mismatch': (d) =>
    `steps ${d.step} were made again after a resume, and their loss differs by ${d.seen} (allowed: ${d.bound})`,
  'checkpoint-stalled': (d) =>
    `training goes on, and for ${d.minutes} min no new checkpoint was completed (newest step: ${d.seen}; after ${d.bound} min there should be one)`,
  'checkpoint-missing': (d) =>
    `the log has called the checkpoint of step ${d.step} saved, and for ${d.minutes} min the store has had no whole one of that step or a later one (newest whole step: ${d.seen})`,
  'pending-long': (d) => `the job has been waiting in the queue for ${d.minutes} min`,
  'partial-allocation': (d) =>
    `${d.seen} of ${d.bound} workers are there after ${d.minutes} min, and the job waits for the others`,
  'wrong-topology': (d) => `the job runs on ${d.seen}, and ${d.bound} was asked for`,
  'tracker-frozen': (d) =>
    `nothing has arrived at the tracker for ${d.minutes} min: its newest step is ${d.seen}, and the log is at ${d.step}`,
  'tracker-drift': (d) => `metrics go to the tracker run ${d.seen}, and ${d.bound} was launched`,
  'config-drift': (d) => `the job runs with ${d.seen}, and was launched with ${d.bound}`,
  flapping: (d) => `${d.seen} attempts in a row have failed, the last at step ${d.step}`,
  'low-utilisation': (d) =>
    `accelerators at ${d.seen} % at ${d.step} looks in a row, under ${d.bound} %${d.minutes === 0 ? '' : `, and no step has moved for ${d.minutes} min`}`,
  regression: (d) =>
    d.step === ''
      ? `${d.seen} is worse than ${d.bound}, which its first eval had, at two evals in a row: what the run is for goes the wrong way`
      : `the loss is ${d.seen} at step ${d.step}; the worst of the lane's last passes had ${d.bound} there`,
  'monitor-disk': (d) =>
    `the disk of the machine that watches has ${d.seen} MiB left (${d.bound} %); when it is full nobody sees the run`,
  'green-no-op': (d) => `the job succeeded without ${d.seen.split(' ').join(', without ')}`,
};

function atStep({ step }: Said): string {
  return step === '' ? '' : `, step ${step}`;
}

/** Which bound of the approval, the gates or the record keeps the same from being started again. */
export function relaunchWords(d: IncidentFacts<'relaunch-refused'>, place: PlaceWord): string {
  switch (d.reason) {
    case 'no-restarts-left':
      return d.restarts === 0
        ? 'The manifest that was approved allows no restart.'
        : `The manifest that was approved allows ${d.restarts ?? 'no more'} restarts, and they are used.`;
    case 'manifest-changed':
      return `The ${place} is not what was approved any more.`;
    case 'not-recoverable':
      return `Attempt ${d.attempt ?? 1} ended with ${code(d.failure ?? '')}, which the same manifest is not started again after.`;
    case 'stopped-by':
      return `Attempt ${d.attempt ?? 1} was stopped on the cluster by ${text(d.by ?? '')}, and not here: that is somebody's decision.`;
    case 'same-failure':
      return `Attempt ${d.attempt ?? 1} failed as attempt ${d.earlier ?? 1} did (${code(d.failure ?? '')}): trying it again has not helped.`;
    case 'no-progress':
      return `Attempt ${d.attempt ?? 1} came no further than attempt ${d.earlier ?? 1} (${code(d.failure ?? '')}).`;
    case 'checkpoint-rejected':
      return `The checkpoints from step ${d.rejectedStep ?? 0} on were rejected, and started again in the same output root the job would take the newest of them by itself.`;
    case 'loss-lost':
      return `The loss of attempt ${d.attempt ?? 1} was no number any more before it ended: started again, the job would go on from what that left behind.`;
    case 'other-steps':
      return `Attempt ${d.attempt ?? 1} made other steps than the attempt that it goes on from: nothing is started on top of that.`;
    case 'unstable':
      return `Before attempt ${d.attempt ?? 1} ended there was the alarm ${code(d.failure ?? '')}, which nobody had taken: numbers that run away are no fault of a machine.`;
    case 'same-in-lane':
      return `Attempt ${d.attempt ?? 1} failed as ${code(d.run ?? '')} of this lane did, and none has gone well since.`;
    default:
      return `The gate ${code(d.gate ?? '')} does not pass now (${code(d.gateCode ?? '')}).`;
  }
}

/** Nothing of the job's own words goes into it. */
export function fixCommitMessage(path: string, run: string, attempt: number): string {
  return `Fix a slip in ${path}\n\nAttempt ${attempt} of ${run} failed by it. It is launched only once it is approved.\n`;
}

/** The same of what a fixer of the lab wrote. */
export function fixerCommitMessage(paths: readonly string[], run: string, attempt: number): string {
  return `Apply the patch of a fixer to ${paths.join(', ')}\n\nAttempt ${attempt} of ${run} failed. It is launched only once it is approved.\n`;
}

/** Why there is no fix, without a full stop: a closed code, or what a push was refused with. */
export function noFixWords(reason: string): string {
  if (!/^[a-z-]+$/.test(reason)) return `the branch could not be pushed to (${text(reason)})`;
  if (reason === 'branch-moved') return 'somebody has pushed to the branch meanwhile';
  const who = reason.startsWith('patch-')
    ? "the patch of the lane's fixer cannot be applied"
    : reason.startsWith('fixer-')
      ? "the lane's fixer gave no patch"
      : 'no single safe correction follows from the log and the files';
  return `${who} (${code(reason)})`;
}
