/** Families of messages of what starts, holds and serves a job, and of libraries that no row knows. */

import { describe, expect, it } from 'vitest';
import { diagnose } from '../../src/diagnosis/diagnose.ts';
import { namedClassOf } from '../../src/diagnosis/rows.ts';
import type { FailureClass } from '../../src/domain/failure-class.ts';

const died = (...log: readonly string[]) => diagnose(log, null);

const FAMILIES: readonly (readonly [FailureClass, string])[] = [
  // What starts containers, and what gives out nodes.
  ['infra-cluster', 'slurmstepd: error: Plugin initialization failed'],
  ['infra-cluster', 'slurmstepd: error: plugin stack initialization failed'],
  ['infra-cluster', 'The autoscaler had an error: Too many errors in a row'],
  ['infra-cluster', 'slurmd: error: Job credential expired'],
  ['infra-cluster', 'srun: error: task 3 launch: Communication connection failure'],
  ['infra-cluster', 'Pod lab-0 was active on the node longer than the specified deadline'],
  ['infra-cluster', 'wait: duration exceeded timeout of 3 h'],
  ['infra-cluster', 'SecondaryStatus: MaxRuntimeExceeded'],
  ['infra-cluster', 'Error: failed to create containerd task: shim is gone'],
  ['infra-cluster', "sky.exceptions.ClusterNotUpError: cluster 'lab' is INIT"],
  [
    'infra-cluster',
    "slurmstepd: error: pyxis:     mkdir: cannot create directory '/run/enroot': Permission denied",
  ],
  ['infra-cluster', 'FATAL   [U=8,P=5]  Master()   container creation failed: mount hook function failure'],
  [
    'infra-cluster',
    'srun: error: Unable to confirm allocation for job 19: Socket timed out on send/recv operation',
  ],
  ['infra-cluster', 'sbatch: error: Munge encode failed: Failed to access "/run/munge.socket.2"'],
  ['infra-cluster', 'ERROR leader election lost'],
  ['capacity', 'Run failed with error code FAILED_TO_START_DUE_TO_NO_CAPACITY.'],
  ['capacity', "Quota 'TPUV4sPreemptiblePod' exhausted. Limit 20800 in region us-central2"],
  ['capacity', 'Recent failures: tpu_v5p_64: InsufficientCapacity (latest_attempt: 08:03:12)'],
  ['stalled', 'supervisor: no new step for 1800 s'],
  ['stalled', 'Timeout (0:30:00)!'],
  ['stalled', 'HangDetector: last step 18230 finished 3601 s ago'],
  [
    'bad-node',
    'E0807 05:17:42.8 20 a.cc:410] Megascale detects a hang that is likely caused by bad TPU chips',
  ],
  ['bad-node', 'stderr: nvidia-container-cli.real: initialization error: driver error: failed'],
  [
    'dependency',
    "RuntimeError: Unable to initialize backend 'tpu': INVALID_ARGUMENT: Mismatched PJRT plugin PJRT API version (0.47)",
  ],
  [
    'dependency',
    "RuntimeError: Unable to initialize backend 'tpu': INTERNAL: Failed to open libtpu.so: cannot open shared object file",
  ],
  ['dependency', '/usr/bin/ld: cannot find -lcuda: No such file or directory'],
  [
    'config',
    'ValueError: Size mismatch between saved torch.Size([2, 8]) and current: torch.Size([4, 8]) for model.embed',
  ],
  ['network', "ConnectionError: Couldn't reach 'lab/sft-mix-v4' on the Hub (LocalEntryNotFoundError)"],
  [
    'network',
    'botocore.exceptions.EndpointConnectionError: Could not connect to the endpoint URL: "https://c.s3.amazonaws.com/shard.04471.mds"',
  ],
  [
    'network',
    'botocore.exceptions.ConnectTimeoutError: Connect timeout on endpoint URL: "https://c.s3.amazonaws.com/w.warc.gz"',
  ],
  ['config', 'Invalid bucket name "s3:": Bucket name must match the regex'],
  [
    'infra-cluster',
    'RuntimeError: Request failed with status code 500: No available agent to submit job, please try again later..',
  ],
  [
    'preempted',
    '(autoscaler +3h12m9s) Draining node 6f3c1d22: the instance was preempted (spot reclamation notice received).',
  ],
  ['stalled', '[heartbeat 18:02] pid 411 alive; last step 4110, 41400 s ago'],
  [
    'code-other',
    'RuntimeError: invalid argument 0: Sizes of tensors must match except in dimension 1. Got 4 and 5',
  ],
  [
    'code-other',
    'INTERNAL: Core halted unexpectedly: INTERNAL: Accelerator device halted prematurely, perhaps due to an on-device check-failure. Node 0',
  ],
  ['bad-node', 'INTERNAL: Core halted unexpectedly'],
  [
    'oom-host',
    'E cuda_driver.cc:796] failed to alloc 17179869184 bytes on host: CUDA_ERROR_OUT_OF_MEMORY: out of memory',
  ],
  [
    'storage',
    'ValueError: UNAVAILABLE: Error writing "ocdbt.process_0/d/0f3e" in GCS bucket lab: All 32 retry attempts failed',
  ],
  ['infra-cluster', 'srun: error: Node failure on hgx-071'],
  ['config', 'sbatch: error: Batch job submission failed: Requested node configuration is not available'],
  ['capacity', 'Recent failures: NodeLaunchException: no more capacity in zone us-east5-a (code 8)'],
  ['nan', 'step: 2150  loss:      nan  grad_norm:     nan'],
  ['nan', 'NanInfException: 506021888 / 506021888 = 100.00% NaN pseudo-gradient values'],
  ['preempted', 'Instance i-1: Host EC2 (instance id: i-1) terminated'],
  ['preempted', 'event: Preempted in order to admit lab-1'],
  ['preempted', 'Pod was terminated in response to imminent node shutdown.'],
  ['capacity', 'autoscaler: could not find a node type for {"TPU": 8}'],
  // Memory.
  ['oom-host', 'The node had condition: [MemoryPressure].'],
  ['oom-host', 'The job ran out-of-memory and exited.'],
  ['oom-host', 'Memory on h3 was 0.987, which exceeds the memory usage threshold of 0.95'],
  // Accelerators.
  ['bad-node', 'worker 3: all pending programs will fail'],
  ['bad-node', 'E0101 FATAL ERROR !!! for [/dev/accel0]'],
  ['bad-node', 'I0101 Error Interrupt! fatal: true'],
  ['bad-node', 'pynvml.NVMLError_Unknown: Unknown Error'],
  ['bad-node', "NCCL WARN Cuda failure 999 'unknown error'"],
  ['bad-node', "NCCL WARN Cuda failure 'initialization error'"],
  ['bad-node', 'could not select device driver "" with capabilities: [[gpu]]'],
  ['bad-node', 'AssertionError: torch.cuda.is_available() is False'],
  // Storage.
  ['storage', 'write: no space left on device'],
  ['storage', 'The node had condition: [DiskPressure].'],
  ['storage', 'Evicted: The node was low on resource: nodefs.'],
  ['storage', 'Evicted: The node was low on resource: imagefs.'],
  ['storage', 'Failed to download s3://lab/a'],
  ['storage', 'The index took too long to download'],
  ['storage', 'Error executing an HTTP request: HTTP response code 503'],
  // Who may.
  ['auth', 'huggingface_hub.errors.LocalTokenNotFoundError: none is stored'],
  ['auth', 'Error reading gs://lab/a: HTTP response code: 403'],
  ['auth', 'HTTP response code 401 for s3://lab/a'],
  // What was asked for.
  ['config', 'OSError: [Errno 24] /lab/a'],
  ['config', 'RuntimeError: received 0 items of ancdata'],
  ['config', "RuntimeError: can't start new thread"],
  ['config', 'libgomp: Thread creation failed: Resource temporarily unavailable'],
  ['config', 'OpenBLAS blas_thread_init: pthread_create failed for thread 9 of 64'],
  ['config', 'wandb: ERROR run lab was previously created and deleted'],
  ['config', 'huggingface_hub.errors.OfflineModeIsEnabled: no call is made'],
  ['config', 'sbatch: error: Unable to open file a.sh'],
  ['config', 'srun: fatal: --tasks is not a count'],
  ['config', 'ValueError: FSDP is not compatible with this optimizer'],
  ['config', 'AssertionError: both flags cannot be used at once'],
  ['config', 'NotImplementedError: this engine does not support pipelines'],
  ['config', 'RuntimeError: You must give a mesh'],
  ['config', 'IsADirectoryError: /lab/a.yaml'],
  ['config', 'NotADirectoryError: /lab/a.yaml'],
  // What is installed.
  ['dependency', 'standard_init_linux.go:228: exec user process caused: exec format error'],
  ['dependency', 'Could not create cudnn handle: CUDNN_STATUS_INTERNAL_ERROR'],
  ['dependency', 'No registered implementation for ffi custom call to a for CUDA'],
  ['dependency', 'Failed to load PTX text as a module'],
  ['dependency', 'RuntimeError: CUDA error: invalid device function'],
  ['dependency', 'RuntimeError: HIP error: hipErrorNoBinaryForGpu'],
  ['dependency', "ValueError: Couldn't instantiate the backend tokenizer"],
  ['dependency', 'RuntimeError: Dataset scripts are no longer supported, but found a.py'],
  ['dependency', '_pickle.UnpicklingError: Weights only load failed.'],
  ['dependency', 'libtpu and the client: a version mismatch'],
  // Data.
  ['data', 'RuntimeError: each element in list of batch should be of equal size'],
  ['data', 'Failed to load the dataset /lab/a'],
  ['data', 'Unable to read training data'],
  ['data', 'IndexError: Target 40 is out of bounds.'],
  ['data', 'ValueError: Expected more than 1 value per channel when training'],
  ['data', 'RuntimeError: Found 0 images in /lab/a'],
  ['data', "ValueError: Columns ['a'] not in the dataset"],
  // Numbers.
  ['nan', 'Gradient overflow. Skipping step, loss scale: 1, reducing to 1'],
  ['nan', 'WARNING: overflow detected, setting loss scale to: 0.0001220703125'],
  ['nan', 'FloatingPointError: Minimum loss.'],
  ['nan', 'Your loss is probably exploding.'],
  // Connections.
  ['network', 'mesh group: operation timed out'],
  ['network', 'what():  [enforce fail at a.cc:9] gloo::IoException'],
  ['network', 'HCCL function call: Timed out'],
  // Programs.
  ['code-other', "AssertionError: sync_global_devices name mismatch ('saved')"],
  ['code-other', 'ValueError: cannot reshape array of size 2 into shape (1,64)'],
  ['code-other', 'Function was expected to generate shape f32[8]'],
  ['code-other', "ValueError: Using a target size (8) that is different to the input's"],
  ['code-other', 'Non-OK-status: run() status: INVALID_ARGUMENT: operand 3'],
  ['code-other', 'Check failed: run() Unimplemented: operand 3'],
  ['code-other', 'RuntimeError: Default process group has not been initialized'],
  ['code-other', 'Detected mismatch between collectives on ranks'],
  ['code-other', 'RuntimeError: Tensors must be CUDA and dense'],
  ['code-other', 'The expanded size of the tensor (8) is not 9'],
  ['code-other', 'Boolean value of Tensor with more than one value is ambiguous'],
  ['code-other', 'only one element tensors can be converted to scalars'],
  ['code-other', "output with shape [8] doesn't match the broadcast shape [8, 8]"],
  ['code-other', 'Given groups=1, weight of size [8, 3, 7, 7]'],
  ['code-other', 'index 9 is out of bounds for dimension 0 with size 9'],
  ['code-other', 'Cannot re-initialize CUDA in forked subprocess'],
  ['code-other', 'Expected to mark a variable ready only once'],
  ['code-other', 'grad can be implicitly created only for scalar outputs'],
];

describe('families of messages of platforms', () => {
  it.each(FAMILIES)('says %s of %s', (what, line) => {
    expect(died(line).class).toBe(what);
  });

  it.each([
    'Process received signal ***',
    'double free or corruption (out)',
    '*** stack smashing detected ***: terminated',
    'free(): invalid pointer',
    'malloc(): corrupted top size',
  ])(
    'has a human look at a process that died of itself, whatever connections the others lost: %s',
    (line) => {
      const found = died('NCCL WARN Connection reset by peer', `[h3:77] ${line}`);
      expect(found).toMatchObject({ class: 'unknown', response: 'escalate' });
    },
  );

  it('believes what Ray says of a dead node as a warning, and anything worse rather', () => {
    const lost = 'WARNING worker.py:2074 -- The node with node id: 3fa9 is marked dead because it is silent';
    expect(died(lost)).toMatchObject({ class: 'unknown', evidence: [{ text: lost }] });
    expect(died(lost, 'OSError: [Errno 28] /lab/a').class).toBe('storage');
  });

  it('calls a connection that a worker of a loader lost no damage of the data', () => {
    expect(died('Caught ConnectTimeout in DataLoader worker process 3.').class).not.toBe('data');
    expect(died('Caught DecodeError in DataLoader worker process 3.').class).toBe('data');
  });

  it('blames the network below a service that is not there', () => {
    const line = 'Check failed: s UNAVAILABLE: failed to connect to all addresses';
    expect(died(line).class).not.toBe('infra-cluster');
  });

  it('lets a cause have its say where a cloud has none', () => {
    expect(died('an internal error. Please try again', 'a: Disk quota exceeded').class).toBe('storage');
  });
});

describe('what the name of an exception says', () => {
  it.each([
    ['storage', 'a.CheckpointException'],
    ['data', 'a.DecodingProblem'],
    ['data', 'a.CorruptShard'],
    ['auth', 'a.CredentialProblem'],
    ['dependency', 'a.VersionProblem'],
    ['code-other', 'a.ShapeError'],
    ['code-other', 'a.ShardingProblem'],
    ['config', 'a.UsageProblem'],
    [null, 'a.Error'],
    [null, 'a.TimeoutException'],
  ])('says %s of %s', (what, type) => {
    expect(namedClassOf(type)).toBe(what);
  });

  it('is asked last, and is no reason to try again', () => {
    const raised = (end: string) =>
      died(
        'Traceback (most recent call last):',
        '  File "/usr/lib/python3.12/site-packages/a/b.py", line 9, in c',
        '    d()',
        end,
      );
    expect(raised('a.b.CheckpointException: 40')).toMatchObject({ class: 'unknown', confidence: 'low' });
    expect(raised('a.b.ConfigException: 40')).toMatchObject({ class: 'config', confidence: 'low' });
    expect(raised('a.b.CheckpointException: No space left on device').class).toBe('storage');
    expect(raised('a.b.StrangeError: 40')).toMatchObject({ class: 'unknown', response: 'escalate' });
  });
});
