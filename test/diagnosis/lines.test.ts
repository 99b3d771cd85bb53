/** The table from log text to class, line by line: messages of real programs, and what is only alarming to look at. */

import { describe, expect, it } from 'vitest';
import { diagnose } from '../../src/diagnosis/diagnose.ts';
import type { FailureClass } from '../../src/domain/failure-class.ts';

const LINES: readonly (readonly [FailureClass, string])[] = [
  [
    'oom-hbm',
    'RESOURCE_EXHAUSTED: XLA:TPU compile permanent error. Ran out of memory in memory space hbm. Used 36.99G of 31.25G hbm.',
  ],
  ['oom-hbm', 'Program hbm requirement 55.24G:'],
  ['oom-hbm', 'F0807 10:00:00.000000 12 compiler_base.cc:2587] compilation failure'],
  [
    'oom-hbm',
    'jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 34359738368 bytes.',
  ],
  [
    'oom-hbm',
    'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB',
  ],
  ['oom-hbm', 'RuntimeError: CUDA driver error: out of memory'],
  ['oom-hbm', 'RuntimeError: Triton Error [CUDA]: out of memory'],
  ['bad-node', 'RuntimeError: CUDA driver error: unknown error'],
  [
    'dependency',
    'RuntimeError: Unexpected error from cudaGetDeviceCount(). Error 804: forward compatibility was attempted on non supported HW',
  ],
  ['oom-hbm', 'RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`'],
  [
    'oom-host',
    'slurmstepd: error: Detected 1 oom_kill event in StepId=11300781.0. Some of the step tasks have been OOM Killed.',
  ],
  ['oom-host', 'ray.exceptions.OutOfMemoryError: Task was killed due to the node running low on memory.'],
  ['oom-host', 'RuntimeError: DataLoader worker (pid 4541) is killed by signal: Killed.'],
  [
    'oom-host',
    'numpy.core._exceptions._ArrayMemoryError: Unable to allocate 14.9 GiB for an array with shape (2000000000,)',
  ],
  ['oom-host', 'terminate called after throwing an instance of std::bad_alloc'],
  ['oom-host', 'OSError: [Errno 12] Cannot allocate memory'],
  ['bad-node', 'RuntimeError: No accelerator found. Please run on a TPU or GPU.'],
  ['bad-node', 'NVRM: Xid (PCI:0000:8d:00): 79, pid=1234, GPU has fallen off the bus.'],
  ['bad-node', 'RuntimeError: CUDA error: uncorrectable ECC error encountered'],
  ['bad-node', 'CUDA_ERROR_CONTAINED: Invalid access of peer GPU memory over nvlink or a hardware error'],
  [
    'bad-node',
    "RuntimeError: Unable to initialize backend 'tpu': ABORTED: The TPU is already in use by process with pid 1234.",
  ],
  ['bad-node', 'Failed to initialize NVML: Driver/library version mismatch'],
  [
    'infra-cluster',
    'slurmstepd: error: *** JOB 123 ON node17 CANCELLED AT 2026-01-01T00:00:00 DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***',
  ],
  [
    'preempted',
    'slurmstepd: error: *** JOB 123 ON node17 CANCELLED AT 2026-01-01T00:00:00 DUE TO PREEMPTION ***',
  ],
  ['preempted', 'INFO: the worker v5p-0 was preempted'],
  ['capacity', "Quota 'TPUS_PER_PROJECT' exceeded. Limit: 32.0 in region us-central1."],
  ['capacity', 'InsufficientInstanceCapacity: We currently do not have sufficient p5.48xlarge capacity'],
  ['capacity', 'Error: No available node types can fulfill resource request {"TPU": 8.0}'],
  [
    'network',
    'NCCL WARN NET/IB : Got completion from peer 10.0.0.1<1234> with status=12 opcode=0 len=0 vendor err 129',
  ],
  ['network', 'urllib3.exceptions.NameResolutionError: Temporary failure in name resolution'],
  [
    'network',
    'torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:1970, unhandled system error, NCCL version 2.20.5',
  ],
  ['network', 'ConnectionResetError: [Errno 104] Connection reset by peer'],
  [
    'network',
    'RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed by peer [10.0.0.2]:41052',
  ],
  ['storage', 'OSError: [Errno 28] No space left on device'],
  [
    'storage',
    'RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory',
  ],
  ['storage', 'OSError: [Errno 122] Disk quota exceeded'],
  [
    'storage',
    'botocore.exceptions.ClientError: An error occurred (SlowDown) when calling the PutObject operation: Please reduce your request rate.',
  ],
  ['data', 'datasets.exceptions.DatasetGenerationError: An error occurred while generating the dataset'],
  [
    'data',
    'pyarrow.lib.ArrowInvalid: Parquet magic bytes not found in footer. Either the file is corrupted or this is not a parquet file.',
  ],
  ['data', 'json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)'],
  ['data', "UnicodeDecodeError: 'utf-8' codec can't decode byte 0x8b in position 1: invalid start byte"],
  ['nan', 'ValueError: The loss returned in training_step is nan.'],
  ['nan', 'Exception: Current loss scale already at minimum - cannot decrease scale anymore. Exiting run.'],
  ['nan', 'Rank 0: found NaN in local forward loss calculation. Device: 0, node: a'],
  ['nan', 'step 1200 | loss nan | grad_norm nan | lr 3e-4'],
  ['nan', "{'loss': nan, 'grad_norm': nan, 'learning_rate': 3e-05, 'epoch': 0.4}"],
  ['config', 'train.py: error: unrecognized arguments: --lerning-rate 3e-4'],
  ['config', "omegaconf.errors.ConfigAttributeError: Key 'optimzer' is not in struct"],
  [
    'config',
    'AssertionError: Check batch related parameters. train_batch_size is not equal to micro_batch_per_gpu * gradient_acc_step * world_size 16 != 8 * 1 * 4',
  ],
  ['config', 'RuntimeError: Error(s) in loading state_dict for LlamaForCausalLM:'],
  ['config', 'pydantic_core._pydantic_core.ValidationError: 1 validation error for TrainConfig'],
  ['auth', 'wandb: ERROR api_key not configured (no-tty). call wandb.login(key=[your_api_key])'],
  ['auth', 'huggingface_hub.errors.GatedRepoError: 401 Client Error. (Request ID: Root=1-2)'],
  ['auth', 'google.auth.exceptions.DefaultCredentialsError: Your default credentials were not found.'],
  [
    'auth',
    'google.api_core.exceptions.Forbidden: 403 GET https://storage.googleapis.com/b: sa@p.iam does not have storage.buckets.get access',
  ],
  ['dependency', 'ImportError: libcudnn.so.8: cannot open shared object file: No such file or directory'],
  [
    'dependency',
    'ERROR: Could not find a version that satisfies the requirement jax==9.9 (from versions: none)',
  ],
  ['dependency', 'RuntimeError: CUDA error: no kernel image is available for execution on the device'],
  ['dependency', "ImportError: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.32' not found"],
  ['infra-cluster', 'ray.exceptions.OwnerDiedError: Failed to retrieve object 00ff. The owner has died'],
  ['infra-cluster', 'slurm_load_jobs error: Unable to contact slurm controller (connect failure)'],
  ['unknown', 'ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.'],
  [
    'stalled',
    '[rank0]:[E321 02:07:08.408271257 ProcessGroupNCCL.cpp:607] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1580, OpType=ALLREDUCE, Timeout(ms)=600000) ran for 600060 milliseconds before timing out.',
  ],
  [
    'stalled',
    'CRITICAL No progress after step 12 for 1800.0 seconds (timeout 1800.0); terminating with exit code 124',
  ],
  ['oom-hbm', 'RuntimeError: CUDA Error: out of memory at /workspace/csrc/allocator.cpp:62'],
  ['nan', '[monitor] loss 10.8 > 2.0 x its mean for 30 steps: run diverged, stopping'],
  ['stalled', 'TimeoutError: rollout batch not finished after 2400 s (1021/1024 sequences done)'],
  [
    'stalled',
    'torch.distributed.DistStoreError: Timed out initializing process group in store based barrier',
  ],
  [
    'data',
    'ArrayRecordError: DATA_LOSS: Corrupted chunk at offset 65536 in shard c4-00411-of-01024.array_record',
  ],
  ['data', 'ValueError: buffer is smaller than requested size'],
  [
    'code-other',
    'RuntimeError: Predictions and targets are expected to have the same shape, but got [2, 1] and [2]',
  ],
  ['bad-node', 'preflight: h11: torch.cuda.device_count() = 7, expected 8'],
  ['bad-node', 'preflight: h11: no device at index 6; lspci shows 9a:00.0 (rev ff)'],
  [
    'network',
    "MlflowException: the request failed (Caused by ResponseError('too many 503 error responses'))",
  ],
  ['nan', 'RuntimeError: Train loss contains a NaN.'],
  ['stalled', 'RuntimeError: DataLoader timed out after 1800 seconds'],
  [
    'dependency',
    'ERROR NRT:nrt_init Unable to determine Neuron Driver version. Please check that it is installed.',
  ],
  ['bad-node', 'HW Exception by GPU node-3 (Agent handle: 0x5a5c587a51c0) reason :GPU Hang'],
  ['bad-node', 'amdgpu 0000:3d:00.0: amdgpu: uncorrectable hardware errors detected in UMC block'],
  ['bad-node', 'habanalabs 0000:1a:00.0: Failed to initialize hl2. Device is NOT usable !'],
  ['preempted', 'Runner interrupted due to worker preemption. Your Function will be restarted.'],
  ['capacity', 'ResourceExhausted: 429 The following quota metrics exceed quota limits: h100_gpus'],
  [
    'network',
    'HTTPError: 429 Client Error: Too Many Requests for url: https://huggingface.co/datasets/a/b/resolve/8d1f/data/train-00117-of-01024.parquet',
  ],
];

describe('a line alone', () => {
  it.each(LINES)('is %s: %s', (kind, line) => {
    expect(diagnose([line], null)).toMatchObject({ class: kind, evidence: [{ line: 1 }] });
  });

  it.each([
    '(TrainWorker pid=1234, ip=10.0.0.7) ',
    '[rank3]: ',
    '[default0]:',
    '2026-11-20T12:00:00.123456789Z stderr F ',
    '12: ',
    'worker-0: ',
    '[2026-11-20 12:00:00,123] [ERROR] [engine.py:42:step] ',
    '\u001B[36m(train_fn pid=7)\u001B[0m ',
    'ERROR:root:',
    '2026-11-20 12:00:00,123 - trainer - ERROR - ',
    '2026-11-20 12:00:00.123 | ERROR    | train:main:12 - ',
  ])('is found behind %j', (prefix) => {
    const line = `${prefix}torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.`;
    expect(diagnose([line], null).class).toBe('oom-hbm');
  });

  it.each([
    'eval/error_rate: 0.02',
    'NCCL INFO comm 0x55 rank 0 nranks 8 cudaDev 0 - Destroy COMPLETE',
    'UserWarning: The given NumPy array is not writable',
    'validation_error=0.31 test_error=0.33',
    'Saved checkpoint to gs://bucket/ckpt for step 1200',
    'inform the user that infinity is a class name',
    'INFO: gradient overflow is checked every step',
    'Using 8 nan-safe kernels',
  ])('says nothing: %s', (line) => {
    expect(diagnose([line], null)).toMatchObject({ class: 'unknown', evidence: [] });
  });
});

// rule ML-36
it("the compiler's place of failure alone is a want of memory", () => {
  const line = 'F0807 10:00:00.000000 12 compiler_base.cc:2587] compilation failure';
  expect(diagnose([line], 'FAILED')).toMatchObject({ class: 'oom-hbm', response: 'escalate' });
});
