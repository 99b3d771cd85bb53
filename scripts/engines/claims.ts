/** What is particular to one engine, each with the test that plays it, by its full title. */

export type Claim = { readonly says: string; readonly file: string; readonly title: string };

const at =
  (file: string) =>
  (says: string, title: string): Claim => ({ says, file: `test/${file}`, title });
const local = at('engines/local-engine.test.ts');
const slurm = at('slurm/real-faults.test.ts');
const irisJob = at('engines/iris-jobs.test.ts');
const irisReal = at('iris/real-faults.test.ts');
const irisLog = at('engines/iris-log.test.ts');
const wrapper = at('engines/iris-wrapper.test.ts');
const vast = at('engines/vast-engine.test.ts');

export const CLAIMS: Readonly<Record<string, readonly Claim[]>> = {
  local: [
    local(
      'Starts one process for an id, also with many concurrent submits.',
      'starting a job at most once > starts one process for ten concurrent submits of one id',
    ),
    local(
      'A job sees only its own environment and a separate home. It runs as the same user on the same machine.',
      "the environment of a job > contains only the given variables and a separate home, nothing from ferrybot's environment",
    ),
    local(
      'After a reboot a job is lost, and its end is unknown.',
      'the end of a job > reports PROCESS_LOST after a reboot, and unknown for a process of another container',
    ),
  ],
  ray: [
    at('engines/ray-left-out.test.ts')(
      'The Jobs API gets every approved byte, or nothing is sent.',
      'a package for the Jobs API > contains the approved bytes and modes, or is not sent',
    ),
    at('engines/ray-left-out.test.ts')(
      'With a lab’s scripts, ferrybot lists the files that a script, a .rayignore or Ray would leave out, before the launch.',
      "a submission by script > leaves out files named by its own patterns, a .rayignore or Ray's rules, in any folder",
    ),
  ],
  slurm: [
    slurm(
      'An attempt starts once although sbatch is not idempotent: a duplicate is cancelled while it is pending, and the wrapper refuses a duplicate that was not found.',
      'cancels a doubled submit while it is pending, and the wrapper does not start an unnoticed one',
    ),
    slurm(
      'The environment and the secrets are in files of mode 0600, and no value remains afterwards.',
      'gives the job only its own environment, and leaves none of its values behind',
    ),
    slurm(
      'A time limit, a cancel by a person and a signal are reported as such.',
      'reports a time limit, a cancel by a person, and a signal as such',
    ),
    slurm(
      'If the controller is down, the state is `unknown`, never an end.',
      'reports unknown while the controller is down, and continues when it is back',
    ),
    slurm(
      'Job arrays and heterogeneous jobs are not adopted.',
      "does not adopt a job array or a person's job of the same name",
    ),
    at('engines/slurm-states.test.ts')(
      'Preemption, out-of-memory and accounting follow Slurm’s documentation; the private cluster of the tests does not enforce them.',
      'takes from accounting who cancelled a job, and ignores a job that has not ended',
    ),
  ],
  iris: [
    irisJob(
      'A name is never reused: an ended job keeps it.',
      'a job name that is taken > adopts the ended job under that name and never replaces it',
    ),
    irisJob(
      'ferrybot does not resubmit to a controller that restarted meanwhile: a person decides.',
      'a lost answer to a submit > does not resubmit to a restarted controller, which may have forgotten the job',
    ),
    irisJob(
      'A stop is complete when the job confirms its end, not when Iris reports KILLED.',
      'stopping a job > reports the job stopped when the job confirms its end, not when Iris reports KILLED',
    ),
    irisReal(
      'Or when its worker confirms it: controllers since June 2026 record this.',
      'stops only that job, and reports the end when its worker confirms it',
    ),
    irisReal(
      'A lost worker and an approved restart are reported as such.',
      'reports a lost worker, and an approved restart',
    ),
    irisReal(
      'A controller restarted from an older state has lost the job, and starts nothing again.',
      'is state-lost after the controller restarts from an older state, and nothing is started again',
    ),
    irisJob(
      'No restart by Iris and one task, unless the cluster’s settings differ.',
      'the launch request > asks for no retry, one replica, and an error when the name is taken',
    ),
    wrapper(
      'A start that was not approved ends in the job’s own wrapper.',
      'a start that was not approved > is refused by the marker of the first start, even if the controller forgot that start',
    ),
    irisLog(
      'After a restart of the log server, ferrybot reads the log from the start.',
      'is rewound when the log server began again, and then gives what the server has kept',
    ),
  ],
  vast: [
    vast(
      'One machine per job: the cheapest that meets the requirements.',
      'a rented machine > is the cheapest offer that meets the requirements, and its observation gives the reason',
    ),
    vast(
      'A price that was raised after the search is rejected.',
      'creating an instance > destroys the instance and rents the next offer when the host raised the price after the search',
    ),
    vast(
      'A lost answer never rents a second machine.',
      'creating an instance > finds the instance by its label after a lost answer, and rents no second one',
    ),
    vast(
      'A machine destroys itself some time after its job, and at its maximum lifetime, without a watch.',
      'an instance > destroys itself after the grace time of its job, and after its maximum lifetime, without a watcher',
    ),
    vast(
      'A tree that is too large to send is refused.',
      'rejects a tree that is too large to be sent with the creation',
    ),
  ],
};
