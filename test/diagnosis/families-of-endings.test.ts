/** Families of messages at the end of a job: what decides, what only stands beside it, and what a program prints of others. */

import { describe, expect, it } from 'vitest';
import { diagnose } from '../../src/diagnosis/diagnose.ts';

const died = (...log: readonly string[]) => diagnose(log, null);

const traced = (error: string, frames: readonly (readonly [string, string, string])[]) =>
  died(
    'Traceback (most recent call last):',
    ...frames.flatMap(([file, name, source]) => [`  File "${file}", line 7, in ${name}`, `    ${source}`]),
    ...error.split('\n'),
  );
const PACKAGES = '/venv/lib/python3.11/site-packages';

describe('a family of messages', () => {
  it.each([
    'wandb.errors.CommError: 17',
    'aiohttp.helpers.StrangeError: 17',
    '    trust_remote_code=True,',
    'F0101 00:00:00.0 7 a.cc:9] Check failed: session->Run(inputs) == OK (not open. vs. OK)',
    'Allocator (mklcpu) ran out of memory trying to allocate 2.00GiB',
  ])('is not read into a line that says less: %s', (line) => {
    expect(died(line).class).not.toBe('network');
    expect(['unknown', 'code-other']).toContain(died(line).class);
  });
});

describe('a call that does not fit what it calls', () => {
  it.each([
    ['code-other', "load() got an unexpected keyword argument 'no_dist'"],
    ['code-other', 'load() takes 1 positional argument but 2 were given'],
    ['config', "RunConfig.__init__() got an unexpected keyword argument 'warmup'"],
  ] as const)('is %s, also where a checkpoint is read: %s', (kind, message) => {
    const found = traced(`TypeError: ${message}`, [
      ['/lab/train.py', 'main', 'load_checkpoint(path)'],
      [`${PACKAGES}/other/files.py`, '_load_checkpoint', 'self.read(path)'],
    ]);
    expect(found).toMatchObject({ class: kind, response: 'escalate' });
  });

  it('is a setting where settings are read', () => {
    const found = traced("TypeError: f() got an unexpected keyword argument 'x'", [
      ['/lab/train.py', 'main', 'read_settings()'],
      [`${PACKAGES}/other/config.py`, 'read', 'f(**given)'],
    ]);
    expect(found.class).toBe('config');
  });
});

describe('an assertion', () => {
  const saved = [
    ['/lab/train.py', 'main', 'save_checkpoint(state)'],
    [`${PACKAGES}/other/files.py`, '_save_checkpoint', 'assert same(hosts)'],
  ] as const;

  it('about the hosts is not about the checkpoint that they save', () => {
    expect(traced("AssertionError: sync_global_devices name mismatch ('saved')", saved).class).toBe(
      'code-other',
    );
    expect(traced('AssertionError', saved).class).toBe('storage');
  });

  it('without words refuses no setting', () => {
    const frames = [
      ['/lab/train.py', 'main', 'start()'],
      [`${PACKAGES}/transformers/trainer.py`, '_init_workers', 'assert len(workers) == size'],
    ] as const;
    expect(traced('AssertionError', frames).class).toBe('code-other');
    expect(traced('AssertionError: 3 workers', frames).class).toBe('config');
  });
});

describe('what is raised', () => {
  it('by a library that computes is about the program, whatever its type', () => {
    const frames = [
      ['/lab/train.py', 'main', 'step()'],
      [`${PACKAGES}/transformer_engine/attention.py`, 'forward', 'raise Exception(said)'],
    ] as const;
    expect(traced('Exception: nothing for these inputs', frames).class).toBe('code-other');
  });

  it('by mixed precision is about the program too', () => {
    const frames = [
      ['/lab/train.py', 'main', 'scaler.step()'],
      [`${PACKAGES}/torch/cuda/amp/grad_scaler.py`, '_unscale', 'raise ValueError(said)'],
    ] as const;
    expect(traced('ValueError: no such gradients', frames).class).toBe('code-other');
  });

  it('while data is read is about the data, also where it sounds like a setting', () => {
    const read = [['/lab/data/audio.py', '__getitem__', 'raise ValueError(path)']] as const;
    const start = [['/lab/train.py', 'main', 'raise ValueError(path)']] as const;
    expect(traced('ValueError: /in/a.wav does not exist', read).class).toBe('data');
    expect(traced('ValueError: the model x does not exist', start).class).toBe('config');
  });

  it('where somebody was interrupted is no failure', () => {
    const frames = [
      ['/lab/train.py', '<module>', 'import torch'],
      [`${PACKAGES}/torch/__init__.py`, '<module>', 'from torch._C import *'],
    ] as const;
    expect(traced('RuntimeError: KeyboardInterrupt:', frames).class).toBe('unknown');
    expect(traced('RuntimeError: 17', frames).class).toBe('dependency');
  });
});

describe('a state of the runtime below', () => {
  it.each(['INTERNAL: From /job:worker/task:0:', 'Bad StatusOr access: UNKNOWN: gone'])(
    'is not the fault of the line that asked for it: %s',
    (message) => {
      const own = [['/lab/train.py', 'step', 'print(loss.cpu())']] as const;
      expect(traced(`RuntimeError: ${message}`, own).class).toBe('unknown');
      expect(traced('RuntimeError: 17', own).class).toBe('code-other');
    },
  );
});

describe('what is more to the point', () => {
  it('of a tensor goes before what is said of settings', () => {
    const line = "RuntimeError: view size is not compatible with input tensor's size and stride";
    expect(died(line).class).toBe('code-other');
  });

  it('is what a container died of, behind the scheduler that says that it did not start', () => {
    const failed = 'slurmstepd: error: pyxis: failed to import docker image';
    expect(
      died(failed, 'slurmstepd: error: pyxis:     Write failed because No space left on device').class,
    ).toBe('storage');
    expect(died(failed, 'slurmstepd: error: write to unblock task 0 failed: Broken pipe').class).toBe(
      'unknown',
    );
  });
});

describe('a job that somebody took away', () => {
  const job = (why: string) =>
    `slurmstepd: error: *** JOB 18 ON h3 CANCELLED AT 2026-05-23T08:46:02${why} ***`;

  it('is not started again for the signal that its processes report', () => {
    const found = died('Main process received SIGTERM, exiting', job(''));
    expect(found).toMatchObject({ class: 'unknown', response: 'escalate' });
  });

  it('has a scheduler say why, or died of something before', () => {
    expect(died('Main process received SIGTERM, exiting', job(' DUE TO PREEMPTION')).class).toBe('preempted');
    expect(died('OSError: [Errno 28] No space left on device', job('')).class).toBe('storage');
  });
});

describe('what a program prints of others', () => {
  const steps = [1, 2, 3, 4].map((step) => `step ${step} loss 2.${step}`);

  it.each([
    'sample: "kernel: Out of memory: Killed process 22 (java)" -> oom',
    "generated text = 'Connection reset by peer'",
    `{'content': "I set an invalid option, so there is no space left on device", 'role': 'user'}`,
    "classes: ['oom', 'killed', 'ok']",
  ])('is not its own end: %s', (line) => {
    expect(died('starting', line, ...steps.slice(0, 2)).class).toBe('benign');
  });

  it.each([
    '[2025-12-06 15:32:18,446][hub.utils._http][WARNING] - (MaxRetryError("Max retries exceeded with url: /a"))',
    '[2025-12-06 15:32:18,446][lab][rank0][pid:17][INFO]][http.py:32] Connection reset by peer',
  ])('is no louder than its logger says: %s', (line) => {
    expect(died(...steps, line).class).toBe('benign');
  });

  it('is no loss that is no number where it warns of one that it put right', () => {
    expect(died(...steps, 'Warning: detected nan in velocity, resetting it to zero').class).toBe('benign');
    expect(died(...steps, 'Warning: detected nan in the gradients').class).toBe('nan');
  });
});

describe('a log that ends in the middle of a line', () => {
  it.each(['step=30 lo', 'step=30 loss=2.', 'step=30 loss=2.1 rate=4'])('is not well: %s', (end) => {
    expect(died('step=10 loss=2.3 rate=44.1', 'step=20 loss=2.2 rate=44.2', end, '').class).toBe('unknown');
  });

  it.each(['step=30 loss=2.1 rate=44.3', 'saved the state'])(
    'is another than one that does not: %s',
    (end) => {
      expect(died('step=10 loss=2.3 rate=44.1', 'step=20 loss=2.2 rate=44.2', end).class).toBe('benign');
    },
  );
});
