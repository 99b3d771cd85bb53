/**
 * Workflow runs with every possible state: failed in a step, cancelled, skipped, waiting, re-run, a matrix, an endless
 * log.
 */

import type { Conclusion, Job, Run, Step } from '../../actions/state-actions.ts';
import type { World } from '../../world/world.ts';

const atMs = Date.parse('2026-11-21T06:10:00Z');
const LOG_LINES = 100_000;

/** Ids of the created runs; the first is the one that failed. */
export async function plantRoughRuns(world: World, sha: string, branch: string): Promise<readonly number[]> {
  const plant = runPlanter(world, sha, branch);
  return [
    plant('failed in a step', 'failure', [
      { name: 'build', conclusion: 'success', log: 'all is well\n' },
      { name: `test (${'<b>ubuntu</b>, '.repeat(12)})`, conclusion: 'failure', log: failingLog() },
      { name: 'deploy', conclusion: 'skipped', log: '' },
    ]),
    plant('a matrix of twelve', 'cancelled', [
      ...Array.from({ length: 12 }, (_, index) => ({
        name: `sweep (${index})`,
        conclusion: (['success', 'failure', 'cancelled', 'timed_out'] as const)[index % 4] ?? 'success',
        log: `seed ${index}\n`,
      })),
    ]),
    plant('a log without end', 'success', [{ name: 'long', conclusion: 'success', log: longLog() }]),
    plant('under way', null, [
      { name: 'slow', conclusion: null, log: '##[group]Run sleep\nsleep 100\n##[endgroup]\n' },
    ]),
    plant('waits for an approval', 'action_required', []),
    plant('run again', 'success', [{ name: 'flaky', conclusion: 'success', log: 'second time lucky\n' }], 2),
  ];
}

type JobDraft = { readonly name: string; readonly conclusion: Conclusion | null; readonly log: string };

function runPlanter(world: World, sha: string, branch: string) {
  let id = 7_000;
  const repo = Object.values(world.state.repos)[0];
  const user = Object.values(world.state.users)[0];
  if (repo === undefined || user === undefined) throw new Error('the seed is empty');
  return (title: string, conclusion: Conclusion | null, jobs: readonly JobDraft[], attempts = 1): number => {
    id += 100;
    const runId = id;
    const status = conclusion === null ? 'in_progress' : 'completed';
    const all = Array.from({ length: attempts }, (_, index) => index + 1).flatMap((attempt) =>
      jobs.map((job, index) => ({
        ...job,
        attempt,
        conclusion: attempt < attempts ? ('failure' as const) : job.conclusion,
        id: runId + attempt * 20 + index,
      })),
    );
    for (const job of all) {
      world.state.jobs[job.id] = jobRow(job, { runId, repoId: repo.id });
      world.state.logs[job.id] = job.log;
    }
    const run: Run = {
      id: runId,
      repoId: repo.id,
      workflowId: 0,
      name: `<i>rough</i> ${title}`,
      displayTitle: `${title} ${'<script>window.pwned=1</script>'.repeat(2)} ${'w'.repeat(300)}`,
      path: '.github/workflows/rough.yml',
      runNumber: runId,
      runAttempt: attempts,
      event: 'workflow_dispatch',
      status,
      conclusion,
      headBranch: branch,
      headSha: sha,
      actorId: user.id,
      triggeringActorId: user.id,
      inputs: {},
      payload: {},
      pullNumbers: [],
      checkSuiteId: 0,
      jobIds: all.map((job) => job.id),
      createdAtMs: atMs,
      updatedAtMs: atMs + 3_723_000,
      startedAtMs: atMs,
      cancelRequested: conclusion === 'cancelled',
    };
    world.state.runs[runId] = run;
    return runId;
  };
}

function jobRow(
  draft: JobDraft & { readonly id: number; readonly attempt: number },
  of: { readonly runId: number; readonly repoId: number },
): Job {
  const { id, name, conclusion, log } = draft;
  const isDone = conclusion !== null;
  const half = log.indexOf('\n', log.length / 2) + 1;
  const steps: readonly Step[] =
    conclusion === 'skipped'
      ? []
      : [
          step(1, 'Set up job', 'success', 0),
          step(2, `Run python train.py --name "${'n'.repeat(200)}"`, conclusion, half),
          ...(isDone ? [step(3, 'Complete job', conclusion === 'success' ? 'success' : 'skipped', log.length)] : []),
        ];
  return {
    ...of,
    id,
    runAttempt: draft.attempt,
    key: name,
    name,
    status: isDone ? 'completed' : 'in_progress',
    conclusion,
    labels: ['ubuntu-latest'],
    runnerName: conclusion === 'skipped' ? null : 'runner-1',
    environment: null,
    steps,
    checkRunId: null,
    createdAtMs: atMs,
    startedAtMs: conclusion === 'skipped' ? null : atMs,
    completedAtMs: isDone ? atMs + 61_000 : null,
    summary: conclusion === 'failure' ? `### <b>Summary</b>\n\n${'s'.repeat(3_000)}` : '',
  };
}

function step(number: number, name: string, conclusion: Conclusion | null, logOffset: number): Step {
  const isDone = conclusion !== null;
  return {
    number,
    name,
    status: isDone ? 'completed' : 'in_progress',
    conclusion,
    startedAtMs: atMs,
    completedAtMs: isDone ? atMs + 3_000 * number : null,
    logOffset,
  };
}

/** Groups, every kind of marked line, masks, colours of all sorts, an endless line, hostile characters. */
function failingLog(): string {
  const esc = '\u001b';
  return [
    '##[group]Operating System',
    'Debian',
    '##[endgroup]',
    'password ***',
    '::add-mask::',
    `${esc}[38;5;196mred of 256${esc}[0m ${esc}[38;2;10;200;10mgreen of millions${esc}[0m ${esc}[1;4;33mbold yellow${esc}[0m`,
    `${esc}[41;97mwhite on red${esc}[0m ${esc}[2mfaint${esc}[22m ${esc}[3mslanted${esc}[0m`,
    '\u202Ebackwards\u202C <script>window.pwned=1</script>',
    'q'.repeat(10_000),
    '10 %\r50 %\r100 %',
    '##[group]Run python train.py',
    'Traceback (most recent call last):',
    '##[error]ValueError: the loss is not a number',
    '##[endgroup]',
    '##[warning]slow disk',
    '##[notice]kept the checkpoint',
    '##[debug]path=/tmp',
    '##[error]Process completed with exit code 1.',
    '',
  ].join('\n');
}

function longLog(): string {
  return Array.from(
    { length: LOG_LINES },
    (_, index) => `step ${index + 1}: loss ${(5 - index / LOG_LINES).toFixed(4)}\n`,
  ).join('');
}
