/**
 * Whole logs: the first cause rather than the most conspicuous line, and benign if training continued or
 * completed.
 */

import { describe, expect, it } from 'vitest';
import { diagnose } from '../../src/diagnosis/diagnose.ts';

const died = (log: string) => diagnose(log.split('\n'), null);

const traced = (error: string, frames: readonly string[], prefix = ''): string =>
  [
    'Traceback (most recent call last):',
    ...frames.map(
      (one) =>
        `  File "${one.split(':')[0]}", line ${one.split(':')[1]}, in ${one.split(':')[2] ?? 'main'}\n    call()`,
    ),
    error,
  ]
    .flatMap((part) => part.split('\n'))
    .map((line) => `${prefix}${line}`)
    .join('\n');

const bar = (step: number, loss = '2.31'): string =>
  `Progress on:train ${step}it/1.20kit rate:1.2it/s remaining:10:00 elapsed:10:00 loss=${loss}`;

describe('a programming error', () => {
  it.each([
    ["NameError: name 'foo' is not defined", ['/app/train.py:12']],
    ["ImportError: cannot import name 'bar' from 'lab.model' (/app/lab/model.py)", ['/app/train.py:3']],
    ["KeyError: 'learning_rate'", ['/app/train.py:40']],
    ["ModuleNotFoundError: No module named 'train.utils'", ['/app/train/main.py:2']],
    ['SyntaxError: invalid syntax', ['/app/train.py:9']],
  ])('in one file is a small fix: %s', (error, frames) => {
    const found = died(traced(error, frames));
    expect(found).toMatchObject({ class: 'code-small', response: 'small-fix-once' });
    expect(found.traceback).toMatchObject({ file: frames[0]?.split(':')[0], message: error });
  });

  it('that passes through several lab files is not a small fix', () => {
    const error = "NameError: name 'foo' is not defined";
    const frames = ['/app/train.py:12', '/app/lab/model.py:80', '/app/lab/layers.py:7'];
    expect(died(traced(error, frames))).toMatchObject({
      class: 'code-other',
      response: 'escalate',
      traceback: { file: '/app/lab/layers.py', line: 7 },
    });
  });

  it('in data loading is class data, or not a small fix', () => {
    const frames = ['/app/train.py:12', '/app/lab/data_loader.py:80:__getitem__'];
    expect(died(traced("KeyError: 'text'", frames)).class).toBe('data');
    expect(died(traced("NameError: name 'x' is not defined", frames)).class).toBe('code-other');
  });

  it('about a missing package is class dependency', () => {
    expect(died(traced("ModuleNotFoundError: No module named 'flash_attn'", ['/app/train.py:3'])).class).toBe(
      'dependency',
    );
  });

  it('about an environment variable is class config', () => {
    const frames = ['/app/train.py:3', '/usr/lib/python3.11/os.py:680:__getitem__'];
    expect(died(traced("KeyError: 'WANDB_ENTITY'", frames)).class).toBe('config');
  });
});

describe('the root cause', () => {
  it('is the first exception of a chain', () => {
    const first = traced(
      "FileNotFoundError: [Errno 2] No such file or directory: '/data/train/shard-3.bin'",
      ['/app/read.py:4'],
    );
    const second = traced('RuntimeError: the input pipeline stopped', ['/app/train.py:80']);
    const log = `${first}\n\nThe above exception was the direct cause of the following exception:\n\n${second}`;
    expect(died(log)).toMatchObject({ class: 'data', traceback: { file: '/app/read.py', line: 4 } });
  });

  it("is one rank's failure, not the closed connections of other ranks, in any order", () => {
    const other = traced(
      'torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:1970, remote process exited or there was a network error, NCCL version 2.20.5',
      ['/app/train.py:90'],
      '[rank0]: ',
    );
    const own = traced(
      'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB',
      ['/app/train.py:80'],
      '[rank3]: ',
    );
    expect(died(`${bar(10)}\n${other}\n${own}`).class).toBe('oom-hbm');
  });

  it('is found when two processes print in turns', () => {
    const a = traced(
      'ValueError: rank 0 saw a bad shape',
      ['/app/a.py:1'],
      '(Train pid=1, ip=10.0.0.1) ',
    ).split('\n');
    const b = traced(
      "NameError: name 'q' is not defined",
      ['/app/b.py:2'],
      '(Train pid=2, ip=10.0.0.2) ',
    ).split('\n');
    const mixed = a.flatMap((line, index) => [b[index] ?? '', line]).join('\n');
    expect(died(mixed)).toMatchObject({ class: 'code-small', traceback: { file: '/app/b.py', line: 2 } });
  });

  it("is found inside Ray's own error", () => {
    const log = `${traced('ray.exceptions.RayTaskError(ValueError): ray::train() (pid=12, ip=10.0.0.3)', ['/usr/lib/python3/dist-packages/ray/_private/worker.py:2000:get'])}
  File "/app/train.py", line 33, in train
    raise ValueError("train_batch_size must be divisible by 8")
ValueError: train_batch_size must be divisible by 8`;
    expect(died(log)).toMatchObject({ class: 'config', traceback: { file: '/app/train.py', line: 33 } });
  });

  it('of a data loader is found after the exception of the waiting process', () => {
    const waited = traced('KeyError: Caught KeyError in DataLoader worker process 0.', [
      '/app/train.py:12',
      '/usr/lib/python3/dist-packages/torch/utils/data/dataloader.py:345:__next__',
    ]);
    const log = `${waited}\nOriginal ${traced("KeyError: 'image'", ['/app/coco.py:88:__getitem__'])}`;
    expect(died(log).class).toBe('data');
  });

  it("of a launcher's summary is found in the earlier output of a rank", () => {
    const log = `${traced("AttributeError: 'NoneType' object has no attribute 'shape'", ['/app/train.py:5', '/app/model.py:9'])}
${traced('torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ', ['/usr/local/lib/python3.11/site-packages/torch/distributed/launcher/api.py:268'])}
============================================================
train.py FAILED
  exitcode  : 1 (pid: 4541)`;
    expect(died(log)).toMatchObject({ class: 'code-other', traceback: { file: '/app/model.py', line: 9 } });
  });

  it('is unknown when a rank was killed, although other ranks lost their connection', () => {
    const log = `[rank1]: ConnectionResetError: [Errno 104] Connection reset by peer
torch.distributed.elastic: exitcode  : -9 (pid: 4541)
traceback : Signal 9 (SIGKILL) received by PID 4541`;
    expect(died(log)).toMatchObject({ class: 'unknown', response: 'escalate' });
    expect(died(`${log}\nMemory cgroup out of memory: Killed process 4541 (python3)`).class).toBe('oom-host');
  });
});

describe('a log that only looks alarming', () => {
  const steps = [1, 2, 3, 4].map((step) => bar(step * 100)).join('\n');
  const broken = traced('RuntimeError: cannot schedule new futures after shutdown', [
    '/usr/lib/python3.11/concurrent/futures/thread.py:167',
  ]);

  it.each([
    ['a traceback at shutdown after success', `${steps}\nTraining complete\n${broken}`],
    [
      'an error after which training continued',
      `RuntimeError: CUDA out of memory. Skipping this batch\n${steps}`,
    ],
    ['a retry that succeeded', `WARNING: 503 Service Unavailable for gs://b/o, retrying 1/5\n${steps}`],
    [
      'an exception that the interpreter ignores',
      `${steps}\nException ignored in: <function F.__del__ at 0x1>\n${traced("TypeError: 'NoneType' object is not callable", ['/app/f.py:3:__del__'])}\nJob succeeded`,
    ],
    ['a healthy log', steps],
    ['a single infinite loss', `${bar(1, 'inf')}\n${steps}`],
  ])('is benign: %s', (_, log) => {
    expect(died(log)).toMatchObject({ class: 'benign', response: 'none' });
  });

  it('is benign if the engine reports success', () => {
    expect(diagnose([...steps.split('\n'), ...broken.split('\n')], 'SUCCEEDED').class).toBe('benign');
  });

  it('is a failure if the engine reports one', () => {
    expect(diagnose([...steps.split('\n'), 'Training complete', ...broken.split('\n')], 'FAILED').class).toBe(
      'code-other',
    );
  });
});

it('a loss that stays NaN is reported, although training continues', () => {
  const log = [bar(1), bar(2), bar(3, 'nan'), bar(4, 'nan'), bar(5, 'nan')].join('\n');
  expect(died(log)).toMatchObject({ class: 'nan', response: 'escalate' });
});

it.each([
  ['nothing', ''],
  ['an end without a message', 'starting\nloading the model\nFAILED'],
  ['a segmentation fault', 'Segmentation fault (core dumped)'],
])('%s is unknown', (_, log) => {
  expect(died(log)).toMatchObject({ class: 'unknown', response: 'escalate' });
});

it('one cause is found between ten thousand lines about other processes', () => {
  const others = Array.from(
    { length: 10_000 },
    () => 'NCCL WARN Connection closed by remote peer 10.0.0.1',
  ).join('\n');
  const own = 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB';
  expect(died(`${others}\n${own}\n${others}`)).toMatchObject({
    class: 'oom-hbm',
    evidence: [{ line: 10_001 }],
  });
});

it('an exception outside a traceback is neither a lost connection nor benign', () => {
  const steps = [1, 2, 3, 4].map((step) => bar(step * 100)).join('\n');
  expect(died(`${steps}\nConnection reset by peer\nwhat(): KeyError in step`).class).toBe('unknown');
  expect(died(`${steps}\nwhat(): KeyError in step`).class).toBe('unknown');
});

it('an exception with a very long message is classified', () => {
  expect(died(traced(`NameError: ${'word '.repeat(1_000)}`, ['/app/train.py:12'])).class).toBe('code-small');
});

it('a line of another process within a traceback is not read as its exception', () => {
  const log = `Traceback (most recent call last):
  File "/app/train.py", line 3, in main
    step()
Saving: checkpoint 3
NameError: name 'foo' is not defined`;
  expect(died(log)).toMatchObject({ class: 'code-small', traceback: { file: '/app/train.py', line: 3 } });
});
