/**
 * Families of final messages: which line decides, which only accompanies it, and what a program prints about
 * others.
 */

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
  ])('does not match a less specific line: %s', (line) => {
    expect(died(line).class).not.toBe('network');
    expect(['unknown', 'code-other']).toContain(died(line).class);
  });
});

describe('a call with wrong arguments', () => {
  it.each([
    ['code-other', "load() got an unexpected keyword argument 'no_dist'"],
    ['code-other', 'load() takes 1 positional argument but 2 were given'],
    ['config', "RunConfig.__init__() got an unexpected keyword argument 'warmup'"],
  ] as const)('is %s, also while a checkpoint is read: %s', (kind, message) => {
    const found = traced(`TypeError: ${message}`, [
      ['/lab/train.py', 'main', 'load_checkpoint(path)'],
      [`${PACKAGES}/other/files.py`, '_load_checkpoint', 'self.read(path)'],
    ]);
    expect(found).toMatchObject({ class: kind, response: 'escalate' });
  });

  it('is class config while settings are read', () => {
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

  it('about the hosts is not a failure of the checkpoint that they save', () => {
    expect(traced("AssertionError: sync_global_devices name mismatch ('saved')", saved).class).toBe(
      'code-other',
    );
    expect(traced('AssertionError', saved).class).toBe('storage');
  });

  it('without a message is not class config', () => {
    const frames = [
      ['/lab/train.py', 'main', 'start()'],
      [`${PACKAGES}/transformers/trainer.py`, '_init_workers', 'assert len(workers) == size'],
    ] as const;
    expect(traced('AssertionError', frames).class).toBe('code-other');
    expect(traced('AssertionError: 3 workers', frames).class).toBe('config');
  });
});

describe('an exception', () => {
  it('from a library that computes is class code-other, for any type', () => {
    const frames = [
      ['/lab/train.py', 'main', 'step()'],
      [`${PACKAGES}/transformer_engine/attention.py`, 'forward', 'raise Exception(said)'],
    ] as const;
    expect(traced('Exception: nothing for these inputs', frames).class).toBe('code-other');
  });

  it('from mixed precision is class code-other', () => {
    const frames = [
      ['/lab/train.py', 'main', 'scaler.step()'],
      [`${PACKAGES}/torch/cuda/amp/grad_scaler.py`, '_unscale', 'raise ValueError(said)'],
    ] as const;
    expect(traced('ValueError: no such gradients', frames).class).toBe('code-other');
  });

  it('while data is read is class data, even if it mentions a setting', () => {
    const read = [['/lab/data/audio.py', '__getitem__', 'raise ValueError(path)']] as const;
    const start = [['/lab/train.py', 'main', 'raise ValueError(path)']] as const;
    expect(traced('ValueError: /in/a.wav does not exist', read).class).toBe('data');
    expect(traced('ValueError: the model x does not exist', start).class).toBe('config');
  });

  it('after an interrupt is unknown', () => {
    const frames = [
      ['/lab/train.py', '<module>', 'import torch'],
      [`${PACKAGES}/torch/__init__.py`, '<module>', 'from torch._C import *'],
    ] as const;
    expect(traced('RuntimeError: KeyboardInterrupt:', frames).class).toBe('unknown');
    expect(traced('RuntimeError: 17', frames).class).toBe('dependency');
  });
});

describe('an internal error of the runtime', () => {
  it.each(['INTERNAL: From /job:worker/task:0:', 'Bad StatusOr access: UNKNOWN: gone'])(
    'is not blamed on the line that called it: %s',
    (message) => {
      const own = [['/lab/train.py', 'step', 'print(loss.cpu())']] as const;
      expect(traced(`RuntimeError: ${message}`, own).class).toBe('unknown');
      expect(traced('RuntimeError: 17', own).class).toBe('code-other');
    },
  );
});

describe('a more specific message', () => {
  it('about a tensor takes precedence over settings', () => {
    const line = "RuntimeError: view size is not compatible with input tensor's size and stride";
    expect(died(line).class).toBe('code-other');
  });

  it("about the container takes precedence over a scheduler's report that it did not start", () => {
    const failed = 'slurmstepd: error: pyxis: failed to import docker image';
    expect(
      died(failed, 'slurmstepd: error: pyxis:     Write failed because No space left on device').class,
    ).toBe('storage');
    expect(died(failed, 'slurmstepd: error: write to unblock task 0 failed: Broken pipe').class).toBe(
      'unknown',
    );
  });
});

describe('a job that was cancelled', () => {
  const job = (why: string) =>
    `slurmstepd: error: *** JOB 18 ON h3 CANCELLED AT 2026-05-23T08:46:02${why} ***`;

  it('is not restarted because its processes report a signal', () => {
    const found = died('Main process received SIGTERM, exiting', job(''));
    expect(found).toMatchObject({ class: 'unknown', response: 'escalate' });
  });

  it('is preempted if the scheduler gives that reason, or keeps an earlier cause', () => {
    expect(died('Main process received SIGTERM, exiting', job(' DUE TO PREEMPTION')).class).toBe('preempted');
    expect(died('OSError: [Errno 28] No space left on device', job('')).class).toBe('storage');
  });
});

describe('output about other programs', () => {
  const steps = [1, 2, 3, 4].map((step) => `step ${step} loss 2.${step}`);

  it.each([
    'sample: "kernel: Out of memory: Killed process 22 (java)" -> oom',
    "generated text = 'Connection reset by peer'",
    `{'content': "I set an invalid option, so there is no space left on device", 'role': 'user'}`,
    "classes: ['oom', 'killed', 'ok']",
  ])("is not read as the job's own end: %s", (line) => {
    expect(died('starting', line, ...steps.slice(0, 2)).class).toBe('benign');
  });

  it.each([
    '[2025-12-06 15:32:18,446][hub.utils._http][WARNING] - (MaxRetryError("Max retries exceeded with url: /a"))',
    '[2025-12-06 15:32:18,446][lab][rank0][pid:17][INFO]][http.py:32] Connection reset by peer',
  ])('is not taken as more severe than its log level: %s', (line) => {
    expect(died(...steps, line).class).toBe('benign');
  });

  it('is not a NaN loss if the program reports that it repaired the value', () => {
    expect(died(...steps, 'Warning: detected nan in velocity, resetting it to zero').class).toBe('benign');
    expect(died(...steps, 'Warning: detected nan in the gradients').class).toBe('nan');
  });
});

describe('a log that ends in the middle of a line', () => {
  it.each(['step=30 lo', 'step=30 loss=2.', 'step=30 loss=2.1 rate=4'])('is unknown: %s', (end) => {
    expect(died('step=10 loss=2.3 rate=44.1', 'step=20 loss=2.2 rate=44.2', end, '').class).toBe('unknown');
  });

  it.each(['step=30 loss=2.1 rate=44.3', 'saved the state'])(
    'is not assumed for a complete last line: %s',
    (end) => {
      expect(died('step=10 loss=2.3 rate=44.1', 'step=20 loss=2.2 rate=44.2', end).class).toBe('benign');
    },
  );
});
