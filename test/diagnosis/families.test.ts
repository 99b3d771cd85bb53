/** Message families: how several programs report one failure, and lines that only resemble it. */

import { describe, expect, it } from 'vitest';
import { diagnose } from '../../src/diagnosis/diagnose.ts';

const died = (log: string) => diagnose(log.split('\n'), null);

describe('a family of messages', () => {
  it.each([
    'slurmstepd: Detected 0 oom_kill events in StepId=1.0',
    'memory.events: low 0 high 0 max 0 oom 0 oom_kill 0',
    '0 Workers (tasks / actors) killed due to memory pressure (OOM), 3 Workers crashed',
    "Error executing job with overrides: ['train.lr=1e-3']",
    'torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:1331, unhandled cuda error',
    'A worker died. There are some potential root causes. (1) It was preempted. (2) CUDA out of memory',
    'A raylet is late. This can happen when a node was preempted',
    'socketTryAccept: Accept failed: Bad file descriptor',
    '2025-09-04,22:05:31 | WARNING | Handling webdataset error (corrupt data). Ignoring.',
    "2025-09-14T07:30:19 - 0 - levanter.checkpoint - checkpoint.py:477 - WARNING :: Can't find checkpoint in gs://lab, no progress for 3 min",
  ])('finds no cause in: %s', (line) => {
    expect(died(line)).toMatchObject({ class: 'unknown', evidence: [] });
  });
});

const traced = (error: string, frames: readonly (readonly [string, string])[]): string =>
  [
    'Traceback (most recent call last):',
    ...frames.map(([file, source]) => `  File "${file}", line 7, in step\n    ${source}`),
    error,
  ].join('\n');

describe('an exception without a telling message', () => {
  const own = ['/lab/train.py', 'run()'] as const;

  it.each([
    ['unknown', 'OSError: 17', '/venv/lib/python3.11/site-packages/gcsfs/core.py'],
    ['unknown', 'SomeError: 17', '/venv/lib/python3.11/site-packages/aiohttp/streams.py'],
    ['code-other', 'RuntimeError: 17', '/venv/lib/python3.11/site-packages/torch/nn/functional.py'],
    ['unknown', 'RuntimeError: 17', '/venv/lib/python3.11/site-packages/elsewhere/core.py'],
  ] as const)('is %s by the library that raises it: %s in %s', (kind, error, file) => {
    expect(died(traced(error, [own, [file, 'call()']])).class).toBe(kind);
  });

  it("in the lab's own code is unknown, and its place is kept", () => {
    const found = died(traced('Exception: stage 2 gave up', [['/lab/stage.py', 'raise Exception(said)']]));
    expect(found).toMatchObject({
      class: 'unknown',
      response: 'escalate',
      traceback: { file: '/lab/stage.py', line: 7 },
    });
  });

  it('is code-other if the file that raises it also defines its class', () => {
    const raised = [['/lab/moe/router.py', 'raise RoutingError(said)']] as const;
    expect(died(traced('moe.router.RoutingError: too many', raised)).class).toBe('code-other');
    expect(died(traced('moe.errors.RoutingError: too many', raised)).class).toBe('unknown');
  });

  it('does not hide a known cause, but hides one that would be restarted', () => {
    const first = traced('lab.StageError: gave up', [['/lab/stage.py', 'raise StageError()']]);
    const memory = 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.00 GiB';
    expect(died(`${first}\n${memory}`).class).toBe('oom-hbm');
    expect(died(`${first}\nslurmstepd: error: JOB 1 CANCELLED DUE TO PREEMPTION`).class).toBe('unknown');
  });
});

describe('a failure that is not a small fix', () => {
  const mapping = '/venv/lib/python3.11/site-packages/transformers/configuration_auto.py';

  it('is an error from a library, even if only one lab file called it', () => {
    const log = traced("KeyError: 'newest-model'", [
      ['/lab/train.py', 'load()'],
      [mapping, 'raise KeyError(key)'],
    ]);
    expect(died(log)).toMatchObject({ class: 'code-other', response: 'escalate' });
  });

  it('is a missing key that occurs nowhere in the source', () => {
    const asked = (source: string) => died(traced("KeyError: 'ocean'", [['/lab/train.py', source]]));
    expect(asked('model = models[args.arch]')).toMatchObject({ class: 'code-other', response: 'escalate' });
    expect(asked("model = models['ocean']").class).toBe('code-small');
  });

  it('is a missing environment variable, in any Python', () => {
    const log = traced("KeyError: 'CKPT_BUCKET'", [
      ['/lab/train.py', 'os.environ["CKPT_BUCKET"]'],
      ['<frozen os>', 'raise KeyError(key) from None'],
    ]);
    expect(died(log).class).toBe('config');
  });

  it('is a package that fails during its import', () => {
    const log = traced("AttributeError: module 'other' has no attribute 'gone'", [
      ['/lab/train.py', 'import package'],
      ['/venv/lib/python3.11/site-packages/package/__init__.py', 'other.gone'],
    ]);
    expect(died(log).class).toBe('dependency');
  });
});

describe('an end', () => {
  const steps = [1, 2, 3, 4].map((step) => `step ${step} train_loss 2.${step}`).join('\n');

  it('in the middle of a traceback is unknown', () => {
    expect(died(`${steps}\nTraceback (most recent call last):\n  File "/lab/tra`).class).toBe('unknown');
    expect(died(steps).class).toBe('benign');
  });

  it('caused by a monitor is unknown', () => {
    expect(died(`${steps}\nmonitor: killing the job`).class).toBe('unknown');
  });

  it.each([
    'no training step completed in the last 1800s',
    'task 0: worker_failed exit=0 failures=1',
    'the job has not finished successfully',
    'srun: error: Timed out waiting for job step to complete',
  ])('is not benign because of a single word: %s', (line) => {
    expect(died(`starting\n${line}`).class).not.toBe('benign');
  });

  it.each([
    ['a summary of Hugging Face', "{'train_runtime': 4001.2, 'train_loss': 2.0, 'epoch': 1.0}"],
    ['an executor', 'train_lm finished successfully'],
    ['Slurm', 'JobState=COMPLETED Reason=None'],
    [
      'a warning behind it',
      'Training completed\n2026-01-01 10:00:00,100\tWARNING worker.py:9 -- a worker was killed',
    ],
  ])('is benign with %s', (_, line) => {
    expect(died(`${steps}\n${line}`)).toMatchObject({ class: 'benign', response: 'none' });
  });
});
