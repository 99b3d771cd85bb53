/** Families of messages: what several programs say of one thing, and what looks like it and is not. */

import { describe, expect, it } from 'vitest';
import { diagnose } from '../../src/diagnosis/diagnose.ts';
import type { FailureClass } from '../../src/domain/failure-class.ts';

const died = (log: string) => diagnose(log.split('\n'), null);

const FAMILIES: readonly (readonly [FailureClass, string])[] = [
  ['oom-hbm', 'Resource exhausted: Attempting to allocate 12.00M. That was not possible.'],
  [
    'oom-hbm',
    'tensorflow.python.framework.errors_impl.ResourceExhaustedError: OOM when allocating tensor with shape[8,8]',
  ],
  [
    'oom-hbm',
    'RuntimeError: NPU out of memory. Tried to allocate 1.00 GiB (NPU 0; 60.97 GiB total capacity)',
  ],
  ['oom-hbm', 'RuntimeError: MPS backend out of memory (MPS allocated: 9.00 GB, max allowed: 9.07 GB).'],
  [
    'oom-host',
    '(raylet) node_manager.cc:3084: 2 Workers (tasks / actors) killed due to memory pressure (OOM), 0 Workers crashed',
  ],
  ['oom-host', 'pyarrow.lib.ArrowMemoryError: malloc of size 4096 failed'],
  ['bad-node', 'kernel: nvidia-nvswitch1: SXid (PCI:0000:c1:00.0): 12028, Fatal, Link 4 fault'],
  ['bad-node', 'kernel: NVRM: RmInitAdapter failed! (0x22:0x40:600)'],
  ['bad-node', 'ERROR  NRT:nrt_init  failed: NRT_FAILURE on neuron device 2'],
  ['bad-node', 'accelerator chip 0 reports an uncorrectable SRAM error'],
  ['bad-node', 'DCGM level 2 diagnostic on gpu 7 failed; draining node'],
  ['capacity', 'Pending Reason: Waiting for workers in scale group tpu_v5p to become ready'],
  ['capacity', "couldn't assign flavors to pod set main: insufficient unused quota for nvidia.com/gpu"],
  ['capacity', 'An error occurred (VcpuLimitExceeded) when calling RunInstances'],
  ['capacity', 'error 404: no_such_ask: the offer is gone'],
  ['preempted', 'metadata watcher: termination is imminent'],
  ['infra-cluster', 'docker: Error response from daemon: OCI runtime create failed: runc did not terminate'],
  ['stalled', 'ProcessGroupNCCL watchdog got stuck for 600 seconds without making progress'],
  ['stalled', 'monitor: no optimizer step was completed in 1800 s'],
  ['stalled', 'Timed out after 900 seconds waiting for other hosts to save'],
  ['oom-hbm', 'RuntimeError: [3] Failed to allocate 512 MiB on GPU: nothing is left'],
  ['oom-hbm', 'cudaMalloc failed: out of memory'],
  ['oom-host', 'a task was ended: memory limit exceeded'],
  ['bad-node', "nvidia-smi couldn't communicate with the NVIDIA driver"],
  ['bad-node', 'cudaErrorDevices: all CUDA-capable devices are busy or unavailable'],
  ['preempted', 'Job 12 was requeued due to preemption by job 13'],
  ['capacity', 'insufficient quota: asked for 64, 16 are left'],
  ['infra-cluster', 'TaintManagerEviction: marking pod train-1 for deletion'],
  ['stalled', 'Collective WorkNCCL(SeqNum=4, OpType=BROADCAST) timed out after 60000ms'],
  ['stalled', 'monitor: step 100, no change for 45 min'],
  ['capacity', 'srun: job 12 queued and waiting for resources'],
  ['stalled', 'rank 2 appears to be stuck in a barrier'],
  ['network', 'dial tcp 10.0.0.9:443: i/o timeout'],
  ['network', 'UCX  ERROR no path: destination is unreachable'],
  ['storage', 'write failed: disk quota exceeded'],
  ['storage', 'the corrupt checkpoint iter_400 has no bytes'],
  ['data', 'the dataset part-2 has 0 rows after the filter'],
  ['data', 'token id 50300 >= 50257 in document 4'],
  ['data', 'no such shard: part-31-of-64'],
  ['nan', 'grad_norm is inf, giving up'],
  ['nan', 'NaN encountered in the activations of layer 7'],
  ['config', "absl.flags._exceptions.UnrecognizedFlagError: Unknown command line flag 'lr2'"],
  ['config', "ValueError: Unknown scheduler 'cosin'"],
  ['config', 'ValueError: precision must be in [16, 32]'],
  ['auth', 'pull access denied for lab/train'],
  ['auth', 'the session has expired'],
  ['dependency', 'PJRT plugin version 0.54 does not match 0.68'],
  ['dependency', 'RuntimeError: NCCL 2.18 or newer is required'],
  ['stalled', 'watchdog: the last heartbeat came 47 minutes ago, the task is RUNNING'],
  ['network', 'wandb: ERROR Error communicating with wandb process'],
  ['network', "could not connect to 'https://huggingface.co' to load this file"],
  ['network', 'aiohttp.client_exceptions.ClientPayloadError: Response payload is not completed'],
  ['network', "store->get('0') got error: Timeout waiting for key: default_pg/0/0 after 600000 ms"],
  ['storage', 'DataLossError (see above for traceback): Checksum does not match: stored 1 vs. calculated 2'],
  ['storage', '_pickle.UnpicklingError: invalid load key, which is no pickle'],
  ['storage', 'checkpoint commit of step 400 failed on host 3'],
  [
    'storage',
    'botocore.exceptions.ClientError: An error occurred (503) when calling the UploadPart operation: try later',
  ],
  ['storage', 'Unexpected response code 410 when resuming upload gs://lab/run/model.data'],
  ['data', 'IndexKernel.cu:92: operator(): block: [0,0,0], thread: [1,0,0] Assertion `index < size` failed.'],
  ['data', "loader: records 7,8 of part-3 have no field 'text'"],
  ['data', 'IndexError: index out of range in self'],
  ['data', 'pandas.errors.ParserError: Expected 2 fields in line 7, saw 3'],
  ['data', 'Feature: labels (data type: int64) is required but could not be found.'],
  ['data', 'AssertionError: could not find any data under /corpus'],
  ['config', 'ValueError: `rope_scaling` must be one of linear, dynamic'],
  ['config', 'AssertionError: sequence parallelism can only be used with tensor parallelism'],
  ['config', 'sbatch: error: Batch job submission failed: Requested time limit is invalid'],
  ['auth', 'openai.AuthenticationError: Error code: 401 - who are you'],
  ['auth', 'Error from server (Forbidden): jobs.batch is forbidden'],
  ['dependency', 'bash: accelerate: command not found'],
  ['dependency', 'RuntimeError: operator torchvision::roi_align does not exist'],
  ['dependency', 'these packages were not found in your environment: einops'],
  [
    'dependency',
    "cannot import name 'Cache' from 'transformers' (/venv/lib/python3.11/site-packages/transformers/__init__.py)",
  ],
  ['code-other', 'RuntimeError: shapes (4, 8) and (4, 9) do not match'],
  ['code-other', 'RuntimeError: expected scalar type Half but found Float'],
  ['code-other', "TypeError: forward() got an unexpected keyword argument 'mask'"],
  ['oom-hbm', 'ValueError: Some modules are dispatched on the CPU or the disk.'],
  ['oom-hbm', 'make sure you have enough GPU RAM to fit the quantized model'],
  ['bad-node', 'the core halted at tag 4'],
  ['bad-node', 'Halt is unexpected, all pending programs will fail'],
  ['bad-node', "Couldn't open device: /dev/accel0 (Operation not permitted)"],
  ['bad-node', 'TPU: open(/dev/vfio/0) gave 16'],
  ['bad-node', 'RuntimeError: Found no NVIDIA driver on your system.'],
  ['infra-cluster', 'Job was active longer than specified deadline'],
  ['capacity', 'Failed to provision train-2 in us-central1-a'],
  ['capacity', 'Failed to acquire resources in all zones'],
  ['network', 'OP_REQUIRES: Unable to connect to endpoint'],
  ['network', 'grpc: status = StatusCode.DEADLINE_EXCEEDED'],
  ['network', 'transport/net_socket.cc:219 NCCL WARN NET/Socket : no progress'],
  ['storage', 'OP_REQUIRES failed at save_restore_v2_ops.cc:137'],
  ['storage', 'cat: write error: wrote 4 of 8'],
  ['storage', 'RuntimeError: write(): fd 29 failed with 5'],
  ['storage', 'RuntimeError: File out/checkpoint_0.pt cannot be opened.'],
  ['storage', 'save failed 3 times, exiting'],
  ['storage', "ValueError: Can't find a valid checkpoint at /out/step-4"],
  ['auth', 'It appears that you do not have permission to access the requested resource'],
  ['auth', 'Request had insufficient authentication scopes'],
  ['auth', 'Host key verification failed.'],
  ['dependency', 'train.sh: 1: srun: not found'],
  ['dependency', 'ncclGetUniqueId failed: Unable to load NCCL library'],
  ['dependency', 'MissingCUDAException: CUDA_HOME does not exist'],
  ['dependency', 'fatal error: pybind11/pybind11.h: No such file or directory'],
  ['dependency', 'Found CUDA version 12010, but JAX was built against CUDA version 12020'],
  ['dependency', 'RuntimeError: Failed to import transformers.models.siglip because of the following error'],
  ['config', 'RuntimeError: CUDA error: invalid device ordinal'],
  ['config', 'Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 10'],
  ['config', 'slurmstepd: error: execve(): /tmp/slurm_script: No such file or directory'],
  ['config', "python: can't open file '/lab/trian.py': [Errno 2] No such file or directory"],
  ['config', 'The server socket has failed to bind to 0.0.0.0:98 (errno: 13 - Permission denied).'],
  ['config', "Key 'period' not in 'ModelCheckpointConf'"],
  ['config', '    full_key: trainer.gpus'],
  ['config', 'ValueError: Target modules {q} not found in the base model'],
  ['config', 'ValueError: Asking to pad but the tokenizer does not have a padding token'],
  ['config', "KeyError: 'the checkpoint contains only the model'"],
  ['config', 'ncclInvalidUsage: This usually reflects invalid usage of NCCL library.'],
  ['data', "ValueError: didn't find ['y.txt'] in ['__key__', 'x.pyd']"],
  ['data', 'IndexError: Relative sample index 85 is not present in the file'],
  ['data', 'IndexError: nothing behind 85 in 17/shard.00085.mds'],
  ['nan', 'iteration 7/10 | number of nan iterations:   1 |'],
  ['code-other', 'RuntimeError: CUDA error: unspecified launch failure'],
  ['code-other', 'RuntimeError: cuDNN error: CUDNN_STATUS_EXECUTION_FAILED'],
  ['code-other', 'jaxlib.xla_extension.XlaRuntimeError: INTERNAL: 17'],
  [
    'code-other',
    'NCCL operation ncclAllReduce(comm, stream) failed: invalid argument (run with NCCL_DEBUG=WARN)',
  ],
  ['code-other', 'RuntimeError: CUDA error: misaligned address'],
  ['code-other', "thread '<unnamed>' panicked at src/lib.rs:10:5"],
];

describe('a family of messages', () => {
  it.each(FAMILIES)('is %s: %s', (kind, line) => {
    expect(died(line)).toMatchObject({ class: kind, evidence: [{ line: 1 }] });
  });

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
  ])('says nothing of a cause: %s', (line) => {
    expect(died(line)).toMatchObject({ class: 'unknown', evidence: [] });
  });
});

const traced = (error: string, frames: readonly (readonly [string, string])[]): string =>
  [
    'Traceback (most recent call last):',
    ...frames.map(([file, source]) => `  File "${file}", line 7, in step\n    ${source}`),
    error,
  ].join('\n');

describe('an exception whose words say nothing', () => {
  const own = ['/lab/train.py', 'run()'] as const;

  it.each([
    ['unknown', 'OSError: 17', '/venv/lib/python3.11/site-packages/gcsfs/core.py'],
    ['unknown', 'SomeError: 17', '/venv/lib/python3.11/site-packages/aiohttp/streams.py'],
    ['code-other', 'RuntimeError: 17', '/venv/lib/python3.11/site-packages/torch/nn/functional.py'],
    ['unknown', 'RuntimeError: 17', '/venv/lib/python3.11/site-packages/elsewhere/core.py'],
  ] as const)('is %s by the library that raises it: %s in %s', (kind, error, file) => {
    expect(died(traced(error, [own, [file, 'call()']])).class).toBe(kind);
  });

  it("is nobody's guess where the lab's code tells of something else, and its place is kept", () => {
    const found = died(traced('Exception: stage 2 gave up', [['/lab/stage.py', 'raise Exception(said)']]));
    expect(found).toMatchObject({
      class: 'unknown',
      response: 'escalate',
      traceback: { file: '/lab/stage.py', line: 7 },
    });
  });

  it("is the program's where the file that raises it has the class too", () => {
    const raised = [['/lab/moe/router.py', 'raise RoutingError(said)']] as const;
    expect(died(traced('moe.router.RoutingError: too many', raised)).class).toBe('code-other');
    expect(died(traced('moe.errors.RoutingError: too many', raised)).class).toBe('unknown');
  });

  it('does not hide a cause that is known, but one that is simply tried again', () => {
    const first = traced('lab.StageError: gave up', [['/lab/stage.py', 'raise StageError()']]);
    const memory = 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.00 GiB';
    expect(died(`${first}\n${memory}`).class).toBe('oom-hbm');
    expect(died(`${first}\nslurmstepd: error: JOB 1 CANCELLED DUE TO PREEMPTION`).class).toBe('unknown');
  });
});

describe('no small fix', () => {
  const mapping = '/venv/lib/python3.11/site-packages/transformers/configuration_auto.py';

  it("is what a library raises, although one file of the lab's called it", () => {
    const log = traced("KeyError: 'newest-model'", [
      ['/lab/train.py', 'load()'],
      [mapping, 'raise KeyError(key)'],
    ]);
    expect(died(log)).toMatchObject({ class: 'code-other', response: 'escalate' });
  });

  it('is a key that is written nowhere, because somebody gave it', () => {
    const asked = (source: string) => died(traced("KeyError: 'ocean'", [['/lab/train.py', source]]));
    expect(asked('model = models[args.arch]')).toMatchObject({ class: 'code-other', response: 'escalate' });
    expect(asked("model = models['ocean']").class).toBe('code-small');
  });

  it('is a variable that the environment lacks, in any Python', () => {
    const log = traced("KeyError: 'CKPT_BUCKET'", [
      ['/lab/train.py', 'os.environ["CKPT_BUCKET"]'],
      ['<frozen os>', 'raise KeyError(key) from None'],
    ]);
    expect(died(log).class).toBe('config');
  });

  it('is a package that fails while it is imported', () => {
    const log = traced("AttributeError: module 'other' has no attribute 'gone'", [
      ['/lab/train.py', 'import package'],
      ['/venv/lib/python3.11/site-packages/package/__init__.py', 'other.gone'],
    ]);
    expect(died(log).class).toBe('dependency');
  });
});

describe('an end', () => {
  const steps = [1, 2, 3, 4].map((step) => `step ${step} train_loss 2.${step}`).join('\n');

  it('in the middle of a traceback is not well', () => {
    expect(died(`${steps}\nTraceback (most recent call last):\n  File "/lab/tra`).class).toBe('unknown');
    expect(died(steps).class).toBe('benign');
  });

  it('by the hand of a monitor is not well', () => {
    expect(died(`${steps}\nmonitor: killing the job`).class).toBe('unknown');
  });

  it.each([
    'no training step completed in the last 1800s',
    'task 0: worker_failed exit=0 failures=1',
    'the job has not finished successfully',
    'srun: error: Timed out waiting for job step to complete',
  ])('is not well because of a word: %s', (line) => {
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
  ])('is well by %s', (_, line) => {
    expect(died(`${steps}\n${line}`)).toMatchObject({ class: 'benign', response: 'none' });
  });
});
