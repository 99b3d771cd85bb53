/**
 * An unknown message may be the cause of a known failure: then the job is neither restarted nor called
 * healthy.
 */

import { describe, expect, it } from 'vitest';
import { diagnose } from '../../src/diagnosis/diagnose.ts';

const steps = ['step 10 loss 2.31', 'step 20 loss 2.22'];
const died = (...log: readonly string[]) => diagnose([...steps, ...log], null);

/** Messages that follow nearly every failure and would cause a restart or another machine. */
const FOLLOWS = [
  '[E ProcessGroupNCCL.cpp:607] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=12) ran for 600010 milliseconds before timing out.',
  'RuntimeError: [gloo/transport/tcp/pair.cc:534] Connection closed by peer [10.0.0.2]:4711',
  'Main process received SIGTERM, exiting',
  'monitor: no progress for 30 min, killing the job',
  'Network is unreachable',
  'CUDA error: no CUDA-capable device is detected',
] as const;

describe('an unknown failure', () => {
  it.each([
    'it 812 | ce 2.1 | aux nan',
    'lab.TrainingError: rank 3 saw other gradients',
    'RuntimeError: boom',
    'gzip: unexpected end of file',
    'record 17 failed schema validation',
    'expected 2048 tokens but got 1200 in record 17',
    'thread main panicked, see above',
    'Illegal instruction',
    'XLA allocator: failed to allocate 2.0G',
    'GPU memory exhausted',
    'process used 241 GiB of 200 GiB',
    'yaml: line 12: mapping values are not allowed here',
    'unknown key "lr_shedule"',
    'gcloud: credentials have expired',
    'ERROR trainer: gave up',
  ])('is not hidden by a message that follows from it: %s', (line) => {
    for (const follows of FOLLOWS)
      expect(died(line, follows), follows).toMatchObject({ class: 'unknown', response: 'escalate' });
    expect(died(line).class).toBe('unknown');
  });

  it('counts after a follow-up message of another rank, but not after a message that is itself a cause', () => {
    expect(died(FOLLOWS[0], 'RuntimeError: boom').class).toBe('unknown');
    expect(died(FOLLOWS[4], 'RuntimeError: boom').class).toBe('network');
  });

  it('no longer counts once training continued', () => {
    expect(died('RuntimeError: boom', ...steps, 'step 30 loss 2.2', FOLLOWS[0]).class).toBe('stalled');
  });

  it.each([
    'WARNING trainer: invalid entry, read again',
    'check_for_nan_in_loss_and_grad ........ True',
    'number of nan iterations:   0 |',
    'torch.distributed.elastic.multiprocessing.errors.ChildFailedError:',
    "terminate called after throwing an instance of 'c10::DistBackendError'",
    '[rank1]:[E624 04:14:29.224103812 ProcessGroupNCCL.cpp:684] [PG ID 0 Rank 1] failure detected by watchdog at work sequence id: 7',
  ])('is not assumed for a line that only resembles a failure: %s', (line) => {
    expect(died(line, FOLLOWS[0]).class).toBe('stalled');
  });
});

describe('a weak sign', () => {
  it('is not ignored in favour of a failure that would be restarted', () => {
    expect(died('Killed', FOLLOWS[0]).class).toBe('unknown');
    expect(died('exit code 137').class).toBe('oom-host');
    expect(died('Killed').class).toBe('unknown');
    expect(died('503 PUT https://storage.googleapis.com/b: retrying', FOLLOWS[4]).class).toBe('network');
  });
});

describe('a loss that is not a number', () => {
  it.each([
    'train Epoch 2: 21%|##1   | 161543/770000 [29:39:25<397:31:10, 2.35s/ba, loss/train/total=nan]',
    'train_loss_step=nan',
    'policy_loss=nan',
    'Loss went to NaN at step 812',
    'losses are not finite, aborting',
    'RuntimeError: NaN in logits at layer 3',
  ])('is detected under any name of the loss: %s', (line) => {
    expect(died(line, FOLLOWS[0])).toMatchObject({ class: 'nan', response: 'escalate' });
  });

  it('is not detected in a validation loss', () => {
    expect(died('val_loss=nan').class).not.toBe('nan');
  });
});

describe('a driver report', () => {
  const xid = (code: number) => `NVRM: Xid (PCI:0000:9b:00): ${code}, pid=22331, name=python`;

  it('blames the program for an illegal access, and the machine otherwise', () => {
    expect(died('RuntimeError: CUDA error: misaligned address', xid(31)).class).toBe('code-other');
    expect(died(xid(13))).toMatchObject({ class: 'code-other', response: 'escalate' });
    const halted =
      'F tpu_program_inflight.cc:511] TPU core halted: halted prematurely, perhaps due to an on-device check-failure';
    expect(died(halted, 'E chip_health.cc:88] HBM uncorrectable ECC error count=1').class).toBe('bad-node');
    expect(died(xid(79))).toMatchObject({ class: 'bad-node', response: 'propose-node' });
  });
});

describe('further final messages', () => {
  it.each([
    ['storage', 'ValueError: NOT_FOUND: Error writing "params/c/0" in OCDBT database at local file "/out/0"'],
    ['data', "ValueError: ('Error reading sample from part', 'zlib error -3 incorrect header check')"],
    ['config', `ValueError: ${'half precision '.repeat(12)} can only be used on CUDA devices`],
    ['code-other', 'triton.compiler.errors.CompilationError: at 41:12:'],
  ])('are classified as %s, also next to a closed connection: %s', (kind, line) => {
    expect(died(line, "AssertionError('same dtype')", FOLLOWS[1]).class).toBe(kind);
  });

  it('are benign if a step follows a retry', () => {
    const again =
      'E0812 10:14:30.001 tensorstore/internal/http/curl: retrying transient error UNAVAILABLE (attempt 1)';
    expect(died(again, 'step 30 loss 2.2').class).toBe('benign');
    expect(died(again).class).toBe('unknown');
    expect(died(again, 'step 30 loss 2.2', 'job failed').class).toBe('unknown');
    expect(died(again.replace('retrying', 'retry attempts failed:')).class).toBe('storage');
  });

  it('include a summary that shows that training completed', () => {
    expect(died('  train_runtime            = 1:02:11.33', 'synced').class).toBe('benign');
  });
});
