/** Why each detector has raised an alarm, in a sentence of plain text. */

import type { DetectorId } from '../domain/detector-ids.ts';
import type { IncidentFacts } from '../domain/incidents.ts';

type Facts = Omit<IncidentFacts<'run-alarm'>, 'detector' | 'since'>;

/** The sentence, without a stop at its end. */
export function alarmWhy(detector: DetectorId, facts: Facts): string {
  return WORDS[detector]({ bound: '', step: '', minutes: 0, ...defined(facts) });
}

type Said = {
  readonly seen: string;
  readonly bound: string;
  readonly step: string;
  readonly minutes: number;
};

function defined({ seen, bound, step, minutes }: Facts): Pick<Said, 'seen'> & Partial<Said> {
  return {
    seen,
    ...(bound === undefined ? {} : { bound }),
    ...(step === undefined ? {} : { step }),
    ...(minutes === undefined ? {} : { minutes }),
  };
}

const WORDS: Readonly<Record<DetectorId, (facts: Said) => string>> = {
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
