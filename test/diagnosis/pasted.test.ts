/**
 * Logs as people paste them: only the end, without indentation, from a notebook, or with a bar in the
 * middle.
 */

import { describe, expect, it } from 'vitest';
import { diagnose } from '../../src/diagnosis/diagnose.ts';
import type { FailureClass } from '../../src/domain/failure-class.ts';

const died = (log: string) => diagnose(log.split('\n'), null);

describe('a traceback', () => {
  const frames = [
    '  File "/lab/train.py", line 12, in main',
    '    run(config)',
    '  File "/venv/lib/python3.11/site-packages/datasets/arrow_dataset.py", line 700, in map',
    '    raise IndexError(key)',
  ];
  const error = 'IndexError: 17';

  it('is read without its header', () => {
    expect(died([...frames, error].join('\n'))).toMatchObject({
      class: 'data',
      traceback: { file: '/lab/train.py', line: 12 },
    });
  });

  it('is read without its indentation', () => {
    const flat = [...frames, error].map((line) => `[rank9]: ${line.trim()}`);
    expect(died(flat.join('\n'))).toMatchObject({ class: 'data', traceback: { file: '/lab/train.py' } });
  });

  it('is not read from a faulthandler dump of all threads', () => {
    const dump = 'Current thread 0x1 (most recent call first):\n  File "/lab/train.py", line 3 in main';
    expect(died(`${dump}\nNameError: name 'x' is not defined`).traceback).toBeNull();
  });

  it("of a file that cannot be parsed is read after a launcher's prefix", () => {
    const log = ['  File "/lab/train.py", line 9', '    if x', "SyntaxError: expected ':'"];
    expect(died(log.map((line) => `[default0]:${line}`).join('\n'))).toMatchObject({ class: 'code-small' });
  });
});

describe('a notebook', () => {
  it('has no file that a fix could change', () => {
    const log = `NameError                                 Traceback (most recent call last)
Cell In[2], line 1
----> 1 fit(trainr)

NameError: name 'trainr' is not defined`;
    expect(died(log)).toMatchObject({ class: 'code-other', response: 'escalate' });
  });

  it.each([
    'File ~/env/lib/python3.10/site-packages/orbax/checkpoint/handlers.py:136, in restore(self, path)',
    '~/env/lib/python3.10/site-packages/orbax/checkpoint/handlers.py in restore(self, path)',
    '[/usr/lib/python3/dist-packages/orbax/checkpoint/handlers.py](https://localhost:8080/#) in restore(self, path)',
  ])('yields the line of the frame: %s', (frame) => {
    const log = `ValueError                                Traceback (most recent call last)
<ipython-input-57-176d6124ae02> in <module>()
      5 
----> 6 restore(path)

${frame}
    134   a = 1
--> 136   raise ValueError(shape)

ValueError: (2,) is not (64,)`;
    expect(died(log)).toMatchObject({ class: 'storage', traceback: { line: 136 } });
  });

  it('yields no line if none is shown', () => {
    const log = `ValueError                                Traceback (most recent call last)
~/env/lib/python3.10/site-packages/orbax/checkpoint/handlers.py in restore(self, path)
ValueError: (2,) is not (64,)`;
    expect(died(log)).toMatchObject({ class: 'storage', traceback: null });
  });

  it('that was cut starts at a file', () => {
    const log = `File ~/env/lib/python3.10/site-packages/orbax/checkpoint/handlers.py:9, in restore(self, path)
      8   a = 1
----> 9   raise ValueError(shape)

ValueError: (2,) is not (64,)`;
    expect(died(log)).toMatchObject({ class: 'storage', traceback: { line: 9 } });
  });
});

describe('a progress bar', () => {
  const bar = ' 12%|█▏        | 12/100 [00:40<04:40,  3.30s/it]';

  it.each([
    ['bad-node', 'F0000 00:00:1717141650.890307 92 client.cc:487] INTERNAL: Core halted unexpectedly'],
    ['oom-hbm', 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.'],
  ])('does not hide class %s printed after it: %s', (kind, line) => {
    expect(died(bar + line)).toMatchObject({ class: kind });
  });

  it.each(['Segmentation fault (core dumped)', 'Bus error (core dumped)'])(
    'does not make a crash benign: %s',
    (line) => {
      expect(died(bar + line)).toMatchObject({ response: 'escalate' });
    },
  );

  it.each(['', ', loss=2.3', ' loss: 2.3', ': 1.0'])('is benign with its own numbers: %j', (rest) => {
    expect(died(bar + rest)).toMatchObject({ class: 'benign' });
  });
});

describe('an exception line without a traceback', () => {
  it.each<readonly [FailureClass, string]>([
    ['code-other', "NameError: name 'foo' is not defined"],
    ['code-other', "UnboundLocalError: local variable 'x' referenced before assignment"],
    ['code-other', "AttributeError: 'TrainerState' object has no attribute 'last'"],
    ['code-other', 'TypeError: expected str, bytes or os.PathLike object, not NoneType'],
    ['dependency', "ModuleNotFoundError: No module named 'apex'"],
    ['dependency', "ImportError: cannot import name 'Cache' from 'transformers'"],
    ['dependency', "AttributeError: module 'numpy' has no attribute 'float'"],
  ])('is %s, and not a small fix: %s', (kind, line) => {
    expect(died(line)).toMatchObject({ class: kind, confidence: 'low', response: 'escalate' });
  });

  it('is overruled by a cause, prevents a restart, and is unknown next to an unknown exception', () => {
    const bare = "AttributeError: 'Batch' object has no attribute 'ids'";
    expect(died(`${bare}\nOSError: [Errno 28] No space left on device`).class).toBe('storage');
    expect(died(`${bare}\nConnection reset by peer`)).toMatchObject({ class: 'unknown' });
    expect(died(`${bare}\nKeyError: 7`).class).toBe('unknown');
  });
});

const traced = (error: string, frames: readonly (readonly [string, string, string])[]): string =>
  [
    'Traceback (most recent call last):',
    ...frames.map(([file, name, source]) => `  File "${file}", line 7, in ${name}\n    ${source}`),
    error,
  ].join('\n');

describe('a checkpoint with missing content', () => {
  it.each([
    ['load_checkpoint', "iteration = state_dict['iteration']"],
    ['main', "optimizer.load_state_dict(saved_state_dict['optimizer'])"],
    ['main', "step = ckpt['step']"],
    ['resume', 'step = found[name]'],
  ])('is class storage: in %s, %s', (name, source) => {
    const log = traced("KeyError: 'iteration'", [['/lab/train.py', name, source]]);
    expect(died(log)).toMatchObject({ class: 'storage', response: 'escalate' });
  });

  it('is recognized by an assertion in the code that reads it', () => {
    const log = traced('AssertionError', [
      ['/lab/train.py', 'main', 'engine.load_checkpoint(path)'],
      ['/venv/lib/python3.11/site-packages/other/engine.py', '_load_checkpoint', 'self.check(files)'],
      ['/venv/lib/python3.11/site-packages/other/files.py', 'check', 'assert len(files) > 0'],
    ]);
    expect(died(log).class).toBe('storage');
  });

  it('is not confused with recomputed activations', () => {
    const log = traced("KeyError: 'hidden'", [
      ['/lab/model.py', 'forward', 'return checkpoint(layer, x)'],
      ['/lab/model.py', 'layer', "return self.parts['hidden']"],
    ]);
    expect(died(log).class).toBe('code-small');
  });
});

describe('a training library', () => {
  it.each([
    ['config', 'accelerate/utils/dataclasses.py', 'set_policy', 'Exception: no such layer'],
    ['config', 'transformers/training_args.py', '__post_init__', 'ValueError: no such thing'],
    ['config', 'deepspeed/runtime/engine.py', '_configure_optimizer', 'AssertionError: 17'],
    ['code-other', 'lightning/pytorch/loops/fit_loop.py', 'advance', 'RuntimeError: 17'],
    ['code-other', 'trl/trainer/grpo_trainer.py', 'compute_loss', 'ValueError: 17'],
    ['unknown', 'elsewhere/trainer.py', 'advance', 'RuntimeError: 17'],
  ] as const)('that rejects its input is class %s: %s, %s', (kind, file, name, error) => {
    const log = traced(error, [
      ['/lab/train.py', 'main', 'trainer.fit()'],
      [`/venv/lib/python3.11/site-packages/${file}`, name, 'raise wrong'],
    ]);
    expect(died(log)).toMatchObject({ class: kind, response: 'escalate' });
  });
});

it('a crashed process is not restarted because other ranks lost their connection', () => {
  const log = 'Fatal Python error: Segmentation fault\n[rank1]: Connection reset by peer';
  expect(died(log)).toMatchObject({ class: 'unknown', response: 'escalate' });
});

it('an internal error of a runtime is overruled by a more specific message', () => {
  const log =
    'XlaRuntimeError: INTERNAL: run time error\nncclGetUniqueId failed: Unable to load NCCL library.';
  expect(died(log).class).toBe('dependency');
});
