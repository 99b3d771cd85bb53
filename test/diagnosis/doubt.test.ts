/**
 * Vague messages about machines, about lost peers, and next to an unknown failure are classified as unknown,
 * with their lines.
 */

import { describe, expect, it } from 'vitest';
import { diagnose } from '../../src/diagnosis/diagnose.ts';

const died = (...lines: readonly string[]) => diagnose(lines, null);
const steps = [1, 2, 3, 4].map((step) => `step ${step} loss 2.${step}`);

/** The cause of each line may be a machine, a person or a program. */
const LITTLE: readonly string[] = [
  'srun: error: h3: task 3: exited on signal 9',
  'worker 3 died with signal SIGKILL',
  'BrokenExecutor: the workers ended with {SIGKILL(-9)}',
  '[2023-04-14 13:11:27,885] [ERROR] [launch.py:434:sigkill_handler] [...] exits with return code = -9',
  '*** MPI_ERRORS_ARE_FATAL (processes in this communicator will now abort)',
  '[h1:22] Local abort before MPI_INIT completed',
  'State: Waiting, Reason: RunContainerError',
  'ray.exceptions.GetTimeoutError: Get timed out',
  'slurmstepd: error:  mpi/pmix_v4: ring.c:742: collective timeout seq=2',
  "slurmstepd: error: pyxis: couldn't start container",
  'slurmstepd: error: pyxis: container start failed with error code: 1',
  'srun: pyxis: failed to import the image',
  'slurmstepd: error: enroot-nsenter: failed on h3',
  'error: spank: required plugin x.so',
  'F0101 00:00:00.0 7 a.cc:9] Check failed: status is UNAVAILABLE: task 3 left',
  'tensorflow.python.framework.errors_impl.UnavailableError: task 3 left',
  'AbortedError: task 3 left',
  'Code 13: an internal error. Please try again later',
  'The job failed. Please try again, or contact customer support.',
  'ranks 3 over ping threshold',
  'tracker event=worker_fail rank=3',
  'jax.errors.JaxRuntimeError: ABORTED: task 3 left',
  'Task 3: exit status 0 (Coscheduled sibling /lab/train/0 failed)',
  'ShutdownHook: lame workers found: HeartbeatManager(task 0)',
  'task 1 unexpectedly tried to connect with a different incarnation',
  'F0101 00:00:00.0 7 a.cc:9] Non-OK-status: agent->Shutdown() status: UNAVAILABLE: a peer is gone',
  'DEADLINE_EXCEEDED: Barrier timed out. Id: Shutdown::1::0. # of tasks that reached the barrier: 1/8.',
  '[1]    41022 killed     python train.py',
  'RuntimeError: One of the subprocesses has abruptly died during map operation.',
  'A process in the process pool was terminated abruptly while it was running',
  'loader: Bus error',
  '[launch.py:321:sigkill_handler] main.py exits with return code = -7',
  'RuntimeError: CUDA error: an illegal instruction was encountered',
  'lmdb.LockError: mdb_txn_begin: 11',
  'fsspec.exceptions.BlocksizeMismatchError: 17 is not 18',
  'FileNotFoundError: /lab/checkpoints/step-40',
  'waiting for commit barrier of step 25000: 14/16 hosts',
  'step=411 step_age=5340s',
];

describe('a vague message about machines', () => {
  it.each(LITTLE)('is unknown and shown as evidence: %s', (line) => {
    const found = died('starting', line);
    expect(found).toMatchObject({ class: 'unknown', confidence: 'low', response: 'escalate' });
    expect(found.evidence).toEqual([{ line: 2, text: line }]);
  });

  it('is classified if it concerns the program or its settings, because a person must act anyway', () => {
    expect(died("NameError: name 'foo' is not defined").class).toBe('code-other');
    expect(died('ValueError: the rate has not been specified').class).toBe('config');
  });
});

describe('a class with medium confidence', () => {
  const medium = 'RuntimeError: CUDA error: invalid device ordinal';

  it('is reported when no other line contradicts it', () => {
    expect(died(medium).class).toBe('config');
  });

  it('is not reported after an unknown failure', () => {
    const said = '[14:03:28.104] ERROR preflight: node h11 has 7 devices, and 8 belong to it';
    expect(died(said, medium)).toMatchObject({ class: 'unknown', evidence: [{ line: 2 }] });
    expect(died(medium, said).class).toBe('config');
  });

  it('is not reported when other classes match as well', () => {
    const others = ['OSError: [Errno 28] No space left on device', 'Connection reset by peer'];
    expect(died(medium, ...others).class).toBe('unknown');
    expect(died('torch.OutOfMemoryError: CUDA out of memory.', ...others, medium).class).toBe('oom-hbm');
  });
});

describe('a preemption message', () => {
  const rows = Array.from(
    { length: 12 },
    (_, at) => `  ${42_180 + at * 10} nll=2.2${at} wall=${43_024 + at}s`,
  );
  const taken = '[init] resuming from /ckpt/a13 (requeue count 3, last reason: PREEMPTED)';

  it('is ignored when the log continues with training rows in any format', () => {
    expect(died(taken, ...rows)).toMatchObject({ class: 'unknown', evidence: [{ text: taken }] });
    expect(died(...rows, taken).class).toBe('preempted');
    expect(died(taken, ...rows.slice(0, 8)).class).toBe('preempted');
    const lost = Array.from({ length: 12 }, (_, rank) => `[rank${rank}]: Connection reset by peer`);
    expect(died(taken, ...lost).class).toBe('preempted');
  });
});

describe('an end in the middle of work', () => {
  it('is benign after a step, and after messages that belong to the steps', () => {
    expect(died(...steps).class).toBe('benign');
    expect(died('cache 3 of 9', ...steps, 'cache 4 of 9').class).toBe('benign');
    expect(died(...steps, 'eval: perplexity 9.1', 'checkpoint written: /ckpt/4').class).toBe('benign');
  });

  it('is benign after an exception that the interpreter ignored, with and without frames', () => {
    const ignored = ['Exception ignored in: <function _ConnectionBase.__del__ at 0x7f4a10b2c310>'];
    const done = [...steps, 'Training completed. Do not forget to share your model', ...ignored];
    expect(died(...done, 'OSError: [Errno 9] Bad file descriptor').class).toBe('benign');
    expect(died(...steps, 'OSError: [Errno 9] Bad file descriptor').class).toBe('unknown');
    const pipe = 'BrokenPipeError: [Errno 32] Broken pipe';
    expect(died('starting', ...ignored, pipe).class).toBe('unknown');
    expect(died('starting', pipe).class).toBe('network');
  });

  it('is benign when the job was recovered on another machine and completed', () => {
    const recovered = ['Cluster is preempted or failed (status: STOPPED). Recovering...', 'Job recovered'];
    const rows = ['  4200 | 1.2113 | 3.31 it/s', '  4300 | 1.1902 | 3.37 it/s'];
    expect(died(...recovered, ...rows, 'Job 4 succeeded. Cleaning up').class).toBe('benign');
    expect(died(...recovered, ...rows).class).toBe('preempted');
  });

  it('is a failure when the program fails after its success, but not when a thread does', () => {
    const ends = (first: string) => [
      ...steps,
      "{'train_runtime': 4411.2}",
      'Traceback (most recent call last):',
      `  File "/lab/sft.py", line 141, in ${first}`,
      '    trainer.push_to_hub()',
      'huggingface_hub.errors.HfHubHTTPError: 403 Forbidden: no rights to create a model',
    ];
    expect(died(...ends('<module>')).class).toBe('auth');
    expect(died(...ends('_shutdown')).class).toBe('benign');
  });

  it('is benign when a completed bar is printed once more', () => {
    const bar = '100%|####| 9/9 [1:13:31<00:00,  4.41s/it]';
    expect(died(...steps, "{'train_runtime': 4411.2}", bar, 'closing the pool').class).toBe('benign');
    expect(died(...steps, "{'train_runtime': 4411.2}", bar, bar, 'closing the pool').class).toBe('unknown');
  });

  it.each(['2026-04-02T03:56:02Z stop container', 'supervisor: giving up', 'lost 3 of 16'])(
    'is unknown after a line that never occurred before: %s',
    (line) => {
      expect(died('starting', ...steps, line)).toMatchObject({ class: 'unknown', response: 'escalate' });
    },
  );
});

describe('a permission error', () => {
  it('decides over a line that only reports the failure', () => {
    const forbidden = 'google.api_core.exceptions.Forbidden: 403 POST https://storage.example/b/proj-ckpt';
    expect(died('save failed 3 times, exiting').class).toBe('storage');
    expect(died('save failed 3 times, exiting', forbidden).class).toBe('auth');
  });

  it('in a storage library is class auth, not storage', () => {
    const line =
      'E0501 10:22:01 tensorstore/kvstore/gcs_http: PERMISSION_DENIED: Error writing gs://lab/run/params/.zarray';
    expect(died(line).class).toBe('auth');
    expect(died(line.replace('PERMISSION_DENIED', 'DATA_LOSS')).class).toBe('storage');
  });
});
