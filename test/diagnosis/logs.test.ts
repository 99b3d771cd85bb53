/** Whole logs: the first cause rather than the loudest line, and quiet where training went on or was done. */

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

describe('a slip', () => {
  it.each([
    ["NameError: name 'foo' is not defined", ['/app/train.py:12']],
    ["ImportError: cannot import name 'bar' from 'lab.model' (/app/lab/model.py)", ['/app/train.py:3']],
    ["KeyError: 'learning_rate'", ['/app/train.py:40']],
    ["ModuleNotFoundError: No module named 'train.utils'", ['/app/train/main.py:2']],
    ['SyntaxError: invalid syntax', ['/app/train.py:9']],
  ])('in one file is small: %s', (error, frames) => {
    const found = died(traced(error, frames));
    expect(found).toMatchObject({ class: 'code-small', response: 'small-fix-once' });
    expect(found.traceback).toMatchObject({ file: frames[0]?.split(':')[0], message: error });
  });

  it("that goes through several of the lab's files is not", () => {
    const error = "NameError: name 'foo' is not defined";
    const frames = ['/app/train.py:12', '/app/lab/model.py:80', '/app/lab/layers.py:7'];
    expect(died(traced(error, frames))).toMatchObject({
      class: 'code-other',
      response: 'escalate',
      traceback: { file: '/app/lab/layers.py', line: 7 },
    });
  });

  it("where data is loaded is the data, or nobody's small fix", () => {
    const frames = ['/app/train.py:12', '/app/lab/data_loader.py:80:__getitem__'];
    expect(died(traced("KeyError: 'text'", frames)).class).toBe('data');
    expect(died(traced("NameError: name 'x' is not defined", frames)).class).toBe('code-other');
  });

  it('of a package that is not there is the dependency', () => {
    expect(died(traced("ModuleNotFoundError: No module named 'flash_attn'", ['/app/train.py:3'])).class).toBe(
      'dependency',
    );
  });

  it('in the environment is the configuration', () => {
    const frames = ['/app/train.py:3', '/usr/lib/python3.11/os.py:680:__getitem__'];
    expect(died(traced("KeyError: 'WANDB_ENTITY'", frames)).class).toBe('config');
  });
});

describe('the root', () => {
  it('is what was raised first in a chain', () => {
    const first = traced(
      "FileNotFoundError: [Errno 2] No such file or directory: '/data/train/shard-3.bin'",
      ['/app/read.py:4'],
    );
    const second = traced('RuntimeError: the input pipeline stopped', ['/app/train.py:80']);
    const log = `${first}\n\nThe above exception was the direct cause of the following exception:\n\n${second}`;
    expect(died(log)).toMatchObject({ class: 'data', traceback: { file: '/app/read.py', line: 4 } });
  });

  it("is one rank's failure and not the closed connections of the others, whoever was printed first", () => {
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

  it('is found where two processes print at once', () => {
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

  it("is read behind the name of Ray's own error", () => {
    const log = `${traced('ray.exceptions.RayTaskError(ValueError): ray::train() (pid=12, ip=10.0.0.3)', ['/usr/lib/python3/dist-packages/ray/_private/worker.py:2000:get'])}
  File "/app/train.py", line 33, in train
    raise ValueError("train_batch_size must be divisible by 8")
ValueError: train_batch_size must be divisible by 8`;
    expect(died(log)).toMatchObject({ class: 'config', traceback: { file: '/app/train.py', line: 33 } });
  });

  it('of a data loader is told behind the exception of who waited', () => {
    const waited = traced('KeyError: Caught KeyError in DataLoader worker process 0.', [
      '/app/train.py:12',
      '/usr/lib/python3/dist-packages/torch/utils/data/dataloader.py:345:__next__',
    ]);
    const log = `${waited}\nOriginal ${traced("KeyError: 'image'", ['/app/coco.py:88:__getitem__'])}`;
    expect(died(log).class).toBe('data');
  });

  it("of a launcher's summary is what a rank printed before", () => {
    const log = `${traced("AttributeError: 'NoneType' object has no attribute 'shape'", ['/app/train.py:5', '/app/model.py:9'])}
${traced('torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ', ['/usr/local/lib/python3.11/site-packages/torch/distributed/launcher/api.py:268'])}
============================================================
train.py FAILED
  exitcode  : 1 (pid: 4541)`;
    expect(died(log)).toMatchObject({ class: 'code-other', traceback: { file: '/app/model.py', line: 9 } });
  });

  it('is nobody knows what where a rank was killed, and no network where the others lost their connection', () => {
    const log = `[rank1]: ConnectionResetError: [Errno 104] Connection reset by peer
torch.distributed.elastic: exitcode  : -9 (pid: 4541)
traceback : Signal 9 (SIGKILL) received by PID 4541`;
    expect(died(log)).toMatchObject({ class: 'unknown', response: 'escalate' });
    expect(died(`${log}\nMemory cgroup out of memory: Killed process 4541 (python3)`).class).toBe('oom-host');
  });
});

describe('what is only alarming to look at', () => {
  const steps = [1, 2, 3, 4].map((step) => bar(step * 100)).join('\n');
  const broken = traced('RuntimeError: cannot schedule new futures after shutdown', [
    '/usr/lib/python3.11/concurrent/futures/thread.py:167',
  ]);

  it.each([
    ['a traceback at shutdown after success', `${steps}\nTraining complete\n${broken}`],
    ['what training went on after', `RuntimeError: CUDA out of memory. Skipping this batch\n${steps}`],
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

  it('is nothing where the engine says that the job succeeded', () => {
    expect(diagnose([...steps.split('\n'), ...broken.split('\n')], 'SUCCEEDED').class).toBe('benign');
  });

  it('is a failure where the engine says so', () => {
    expect(diagnose([...steps.split('\n'), 'Training complete', ...broken.split('\n')], 'FAILED').class).toBe(
      'code-other',
    );
  });
});

it('a loss that stays no number is told, although training goes on', () => {
  const log = [bar(1), bar(2), bar(3, 'nan'), bar(4, 'nan'), bar(5, 'nan')].join('\n');
  expect(died(log)).toMatchObject({ class: 'nan', response: 'escalate' });
});

it.each([
  ['nothing', ''],
  ['an end without a word', 'starting\nloading the model\nFAILED'],
  ['a segmentation fault', 'Segmentation fault (core dumped)'],
])('nothing is guessed from %s', (_, log) => {
  expect(died(log)).toMatchObject({ class: 'unknown', response: 'escalate' });
});

it('one cause is found behind ten thousand lines of what others say, and before as many', () => {
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

it('an exception that stands in no traceback is neither a broken connection nor fine', () => {
  const steps = [1, 2, 3, 4].map((step) => bar(step * 100)).join('\n');
  expect(died(`${steps}\nConnection reset by peer\nwhat(): KeyError in step`).class).toBe('unknown');
  expect(died(`${steps}\nwhat(): KeyError in step`).class).toBe('unknown');
});

it('an exception of very many words is read', () => {
  expect(died(traced(`NameError: ${'word '.repeat(1_000)}`, ['/app/train.py:12'])).class).toBe('code-small');
});

it('a line of another process within a traceback is not taken for its exception', () => {
  const log = `Traceback (most recent call last):
  File "/app/train.py", line 3, in main
    step()
Saving: checkpoint 3
NameError: name 'foo' is not defined`;
  expect(died(log)).toMatchObject({ class: 'code-small', traceback: { file: '/app/train.py', line: 3 } });
});
