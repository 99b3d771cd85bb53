/** What a watch reads from a log: each line once, however the log is cut into pieces. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findSignature, SIGNATURES } from '../../src/diagnosis/rows.ts';
import { limits } from '../../src/domain/limits.ts';
import { finishLog, NO_LOG_FACTS } from '../../src/watch/log-facts.ts';
import { measureCpuMs } from '../support/cpu-ms.ts';
import { readLogText } from '../support/log-text.ts';

const read = (...pieces: readonly string[]) => finishLog(pieces.reduce(readLogText, NO_LOG_FACTS));

const healthy = `I20261121 03:00:00 1 levanter.checkpoint Loading checkpoint from gs://b/run/step-400
wandb: ð\u009f\u009a\u0080 View run ferry at: https://wandb.ai/lab/ferries/runs/ferry_daily_125m_2026-11-21
I20261121 03:00:00 1 tqdm Progress on:train -/5155 rate:- remaining:? elapsed:00:00 postfix:-
I20261121 03:00:00 1 trainer First batch loaded in 1.0s, starting first train step (includes JIT compilation)...
I20261121 03:05:00 1 trainer First train step completed in 300.0s.
I20261121 03:10:00 1 tqdm Progress on:train 1.00kit/5.16kit rate:1.9it/s remaining:36:00 elapsed:09:00 postfix:loss=3.47
I20261121 03:10:00 1 tqdm Progress on:eval -/3 rate:- remaining:? elapsed:00:00 postfix:-
I20261121 03:10:09 1 tqdm Progress on:eval 3.00it/3.00it rate:23.1it/s remaining:00:00 elapsed:00:09 postfix:loss=2.82
I20261121 03:10:09 1 tqdm Progress on:eval 3.00it/3.00it rate:23.1it/s remaining:00:00 elapsed:00:09 postfix:loss=2.82
I20261121 03:10:10 1 trainer Evaluated step 1000: eval/loss=3.46797 eval/paloma/c4_en/bpb=1.12509
I20261121 03:10:10 1 levanter.checkpoint Saved checkpoint to gs://b/run/step-1000 for step 1000
wandb: View run ferry at: https://wandb.ai/lab/ferries/runs/ferry_daily_125m_2026-11-21
`;

describe('a healthy log', () => {
  it('yields progress with the exact total, tracker, eval, checkpoint and no failure', () => {
    expect(read(healthy)).toMatchObject({
      lines: 12,
      step: { value: 1000, exact: false },
      exactTotal: 5155,
      loss: '3.47',
      firstStepCompleted: true,
      evalRunning: false,
      evals: { 'eval/loss': '3.46797', 'eval/paloma/c4_en/bpb': '1.12509' },
      trackers: [{ id: 'ferry_daily_125m_2026-11-21' }],
      checkpointStep: 1000,
      checkpointPath: 'gs://b/run/step-1000',
      resumedFrom: 'gs://b/run/step-400',
      failures: [],
    });
  });

  // rules HR-48, ML-15
  it('never takes the rounded total for the exact one', () => {
    const later = 'Progress on:train 1.00kit/5.16kit rate:1.9it/s remaining:36:00 elapsed:09:00 postfix:loss=3.47\n';
    expect(read(later).exactTotal).toBeNull();
    expect(read(healthy, 'Progress on:train -/9999 rate:-\n').exactTotal).toBe(5155);
  });

  it('does not report the first step as completed while it compiles', () => {
    const compiling = healthy.split('\n').slice(0, 4).join('\n');
    expect(read(compiling)).toMatchObject({ firstStepCompleted: false, step: null, exactTotal: 5155 });
  });

  it('reports no failure for the word error alone', () => {
    expect(read('NCCL INFO error count 0\ntrain/error_rate=0.1\nERROR summary: none\n').failures).toEqual([]);
  });
});

describe('reading in pieces', () => {
  const noisy = `${healthy}KeyError: 'x'\r\nü€😀\ufeff F20260807 03:14:15\nF20260807 03:14:15.9 4242 a.cc:1] x\nKeyError: '\ufeffx'`;

  it('yields the same facts as reading the whole log, for any cuts', () => {
    const cuts = fc.array(fc.nat(noisy.length), { maxLength: 12 });
    fc.assert(
      fc.property(cuts, (at) => {
        const points = [0, ...at.toSorted((a, b) => a - b), noisy.length];
        const pieces = points.slice(1).map((end, index) => noisy.slice(points[index], end));
        expect(read(...pieces)).toEqual(read(noisy));
      }),
    );
  });

  it('survives an endless line, and reads the line after it', () => {
    const flood = 'x'.repeat(limits.logLineCharsMax * 3);
    const whole = read(`${flood}\nKeyError: 'y'\n`);
    expect(read(flood.slice(0, 20_000), flood.slice(20_000), `\nKeyError: 'y'\n`)).toEqual(whole);
    expect(whole).toMatchObject({ lines: 2, carry: '', failures: [{ line: "KeyError: 'y'" }] });
  });

  it('reports an old error once, not in every observation', () => {
    const first = readLogText(NO_LOG_FACTS, 'OwnerDiedError: gone\n');
    const second = readLogText(first, 'Progress on:train 5.00it/9.00it rate:1.0it/s\n');
    expect(second.failures).toEqual([
      { id: 'owner-died', line: 'OwnerDiedError: gone', lastLineNumber: 1, workers: [] },
    ]);
  });
});

it('values in the fields beside a message of JSON are read', () => {
  const line = '{"event": "step", "step": 890, "loss": 2.11, "level": "info", "logger": "train"}';
  expect(read(`${line}\n`)).toMatchObject({ step: { value: 890 }, loss: '2.11' });
});

describe('failure signatures', () => {
  // rule ML-20
  it.each([
    [
      'hbm-exhausted',
      'RESOURCE_EXHAUSTED: XLA:TPU compile permanent error. Ran out of memory in memory space hbm. Used 36.99G of 31.25G hbm.',
    ],
    ['hbm-requirement', 'Program hbm requirement 55.24G:'],
    ['hbm-allocations', 'Largest program allocations in hbm:'],
    ['vmem-exhausted', 'RESOURCE_EXHAUSTED: E1001: CompileTimeScopedVmemOom: Ran out of memory in memory space vmem'],
    ['resource-exhausted', 'jax: RESOURCE_EXHAUSTED: Out of memory while trying to allocate'],
    ['cuda-out-of-memory', 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.'],
    ['cuda-out-of-memory', 'RuntimeError: CUDA error: out of memory'],
    ['cuda-out-of-memory', 'RuntimeError: CUDA driver error: out of memory'],
    ['cuda-out-of-memory', 'RuntimeError: Triton Error [CUDA]: out of memory'],
    ['no-accelerator', 'RuntimeError: No accelerator found. Please run on a TPU or GPU.'],
    ['driver-cleanup', 'Failed to cleanup driver after error: INTERNAL: FAILED_PRECONDITION'],
    ['device-busy', "OSError: [Errno 16] Device or resource busy: '/dev/accel0'"],
    ['nvlink-uncorrectable', 'CUDA_ERROR_NVLINK_UNCORRECTABLE: uncorrectable NVLink error detected'],
    ['cuda-contained', 'CUDA_ERROR_CONTAINED: Invalid access of peer GPU memory over nvlink or a hardware error'],
    ['cuda-illegal-instruction', 'CUDA_ERROR_ILLEGAL_INSTRUCTION'],
    ['xid-link-down', 'NVRM: Xid 149 NETIR_LINK_DOWN'],
    ['disk-full', 'OSError: [Errno 28] No space left on device'],
    ['owner-died', 'ray.exceptions.OwnerDiedError: Failed to retrieve object'],
    ['node-lost', 'raylet: node heartbeat loss'],
    [
      'barrier-timeout',
      'DEADLINE_EXCEEDED: Barrier timed out. Id: Shutdown::1::0. # of tasks that reached the barrier: 1/8.',
    ],
    ['coordination-service', 'RPC: /tensorflow.CoordinationService/RegisterTask'],
    ['python-aborted', 'Fatal Python error: Aborted'],
    ['absl-fatal', 'F20260807 03:14:15.926535 4242 run_handler.cc:119] Check failed'],
    ['bad-alloc', "terminate called after throwing an instance of 'std::bad_alloc'"],
    ['length-error', 'std::length_error: basic_string::_M_create'],
    ['wandb-no-key', 'wandb.errors.UsageError: No API key configured. Use `wandb login` to log in.'],
    [
      'stalled-training',
      'C20261121 03:00:00 1 x No progress after train step for 903.1 seconds (timeout 900.0); terminating with exit code 124',
    ],
    [
      'loss-not-finite',
      'I20261121 1 tqdm Progress on:train 6.00it/10.0it rate:1.0it/s remaining:? elapsed:00:01 postfix:loss=nan',
    ],
    ['name-error', "NameError: name 'foo' is not defined"],
    ['import-error', "ImportError: cannot import name 'bar' from 'x'"],
    ['syntax-error', 'SyntaxError: invalid syntax'],
    ['key-error', "KeyError: 'learning_rate'"],
    ['quota-exceeded', "Quota 'TPUV5sPodPerProjectPerZoneForTPUAPI' exceeded. Limit: 8 in zone us-east5-a."],
    ['autoscaler-demand', 'unsatisfied autoscaler demand: tier_blocked: v5p-8'],
  ])('finds %s', (id, line) => {
    expect(read(`${healthy}${line}\n`).failures.map((failure) => failure.id)).toContain(id);
  });

  it.each([
    ['torchrun', "[rank0]: NameError: name 'foo' is not defined"],
    ['Ray', "(train_fn pid=911, ip=10.0.0.9) NameError: name 'foo' is not defined"],
    ['Kubernetes', "2026-11-19T17:24:59.460666947Z stderr F NameError: name 'foo' is not defined"],
    ['a collector of JSON', '{"level":"error","message":"Traceback:\\nNameError: name \'foo\' is not defined"}'],
  ])('are found behind the prefixes of %s, as the diagnosis finds them', (_from, line) => {
    expect(read(`${line}\n`)).toMatchObject({ lines: 1, failures: [{ id: 'name-error', line }] });
  });

  it('have unique ids, and each is tested above', () => {
    expect(new Set(SIGNATURES.map(({ signature }) => signature)).size).toBe(SIGNATURES.length);
    expect(SIGNATURES).toHaveLength(31);
    expect(findSignature('vmem-exhausted')).toMatchObject({ class: 'oom-hbm' });
    expect(findSignature('of-an-older-version')).toBeNull();
  });

  it('take little time on a hostile line', () => {
    const hostile = `eval/${'a/'.repeat(8000)} Progress on:${'train '.repeat(2000)} No progress after ${'x'.repeat(9000)}\n`;
    expect(measureCpuMs(() => read(hostile.repeat(20)))).toBeLessThan(2_000);
  });
});
