/** One row of the table that maps log text to a failure class. */

import type { Confidence, FailureClass } from '../domain/failure-class.ts';

/**
 * A line that matches `pattern` is evidence for `class`. `weight`: a `cause` starts a failure. An `effect` is what other processes print
 * after one died, such as a closed connection or a barrier timeout; it counts only without a cause. A `hint` counts only without causes and
 * effects. Patterns run in time linear in the line's length.
 */
export type Row = {
  readonly class: FailureClass;
  readonly weight: 'cause' | 'effect' | 'hint';
  readonly confidence: Confidence;
  readonly pattern: RegExp;
  /** The name under which the watch reports such a line while the job runs; null: the line counts only in the diagnosis. */
  readonly signature: string | null;
};

type Named = { readonly signature: string; readonly pattern: RegExp };

/** A pattern that the watch reports while the job runs. */
export function named(signature: string, pattern: RegExp): Named {
  return { signature, pattern };
}

/** One row per pattern, in the given order. */
export function buildRows(
  weight: Row['weight'],
  kind: FailureClass,
  confidence: Confidence,
  patterns: readonly (RegExp | Named)[],
): readonly Row[] {
  return patterns.map((one) => ({
    class: kind,
    weight,
    confidence,
    ...(one instanceof RegExp ? { pattern: one, signature: null } : one),
  }));
}

/** Messages of XLA, JAX, CUDA, PyTorch, DeepSpeed, Ray, Slurm, Kubernetes and the kernel. */
export const MEMORY_ROWS: readonly Row[] = [
  ...buildRows('cause', 'oom-host', 'high', [
    // The driver uses this code for host memory too.
    /\bbytes on host: CUDA_ERROR_OUT_OF_MEMORY|\bpinned host memory\b.{0,40}(?:fail|size)/,
    /fork: Cannot allocate memory|java\.lang\.OutOfMemoryError|\b[Mm]emory limit exceeded|killed by the OOM killer|\bearlyoom: sending SIG/,
    // The lookarounds exclude lines that report a count of zero.
    /(?<!\b0 )oom[-_]kill(?!\w{0,9}['"]?[ :=]{1,3}0\b)|OOM[- ]?[Kk]illed|[Oo]ut of memory: Kill(?:ed)? process/,
    /Detected [1-9]\d{0,6} oom[-_]kill event|OUT_OF_MEMORY\b|Some of (?:the step|your processes)[^.]{0,60} killed by the cgroup out-of-memory handler/,
    /^srun: error: \S{1,80}: tasks? [\d,-]{1,40}: Out Of Memory|Exceeded (?:job |step )?memory limit|Job exceeded (?:its )?(?:requested )?memory/i,
    /ray\.exceptions\.OutOfMemoryError|\b[1-9]\d{0,6} Workers? (?:\([^)]{0,40}\) )?killed due to memory pressure|killed due to (?:the )?node running low on memory|exceeds the memory usage threshold|memory (?:usage )?threshold.{0,80}prevent (?:the )?OOM/i,
    named('bad-alloc', /std::bad_alloc/),
    /^(?:[\w.]{0,120}\.)?_?(?:Array|Arrow)?MemoryError\b|\bmalloc of size \d{1,20} failed/,
    /Unable to allocate [\d.]+ [KMGTP]iB for an array/,
    /\[Errno 12\] Cannot allocate memory|DefaultCPUAllocator: (?:can't|not enough memory)/,
    /CUDA error: OS call failed.{0,40}memory|cudaHostAlloc.{0,60}out of memory|HostAllocator.{0,40}out of memory/i,
    /DataLoader worker \(pid\(?s?\)? ?[\d, ]{1,80}\) (?:is killed by signal: (?:Killed|Bus error)|exited unexpectedly with exit code -?9)/,
    /insufficient shared memory \(shm\)|unable to (?:mmap|open shared memory object).{0,120}(?:No space left|Cannot allocate)/i,
    /unable to write to file <\/torch_|NCCL WARN .{0,60}(?:shared memory segment|failed to extend \/dev\/shm)|\bObjectStoreFullError\b/,
    /The node was low on resource: memory|Container .{0,100} was using .{0,40}, which exceeds its request/,
    /had condition: \[MemoryPressure/,
    /\bran out[- ]of[- ]memory and exited\b/,
  ]),
  ...buildRows('cause', 'oom-hbm', 'high', [
    /(?:[Ff]ailed to allocate|\b(?:hbm|HBM) allocation failed).{0,80}\b(?:GPU|TPU|HBM|XPU)|cudaMalloc(?:Async)? failed: out of memory|cupy\.cuda\.memory\.OutOfMemoryError|\bnot fit (?:in|into|on) .{0,20}(?:GPU|HBM|TPU|device)/,
    /Failed to alloc DEVICE memory|PT_DEVMEM Allocation failed|RESOURCE_EXHAUSTED: nrt_/,
    named('hbm-exhausted', /Ran out of memory in memory space hbm|CompileTimeHbmOom/),
    named('vmem-exhausted', /CompileTimeScopedVmemOom|Ran out of memory in memory space vmem/),
    /Ran out of memory in memory space smem/,
    /enough GPU (?:RAM|memory) to fit|dispatched on the CPU or the disk/,
    // These lines report a failure without the word OOM.
    // rule ML-20
    named('hbm-requirement', /Program hbm requirement \d/),
    named('hbm-allocations', /Largest program allocations in hbm/),
    /Total hbm usage >=/,
    // rule ML-36
    /Exceeded hbm capacity by|compiler_base\.cc:2587/,
    /(?:RESOURCE_EXHAUSTED|[Rr]esource ?[Ee]xhausted(?:Error)?): .{0,300}(?:[Oo]ut of memory|OOM when allocating|[Rr]an out of memory|hbm|vmem|Attempting to (?:allocate|reserve)|[Ff]ailed to allocate)/,
    /(?:Attempting to reserve|failed to allocate) [\d.]+ ?[KMGT]i?B? .{0,80}(?:bottom of memory|device)/i,
    // Match PyTorch's exception by its message: its class has moved, and Ray has a class of the same name for host memory.
    named(
      'cuda-out-of-memory',
      /\b(?:CUDA|HIP) (?:(?:driver )?error: )?out of memory|Triton Error \[CUDA\]: out of memory|CUDA_ERROR_OUT_OF_MEMORY|torch\.(?:cuda\.)?OutOfMemoryError: /,
    ),
    /(?:CUDA|HIP|XPU|NPU|MPS|HPU|MLU)(?: backend)? (?:(?:driver )?[Ee]rror: )?out of memory/,
    /^OutOfMemoryError: (?:CUDA|HIP|Allocation on device)/,
    /cudaErrorMemoryAllocation|hipErrorOutOfMemory/,
    /CUBLAS_STATUS_ALLOC_FAILED|CUDNN_STATUS_ALLOC_FAILED|CUSPARSE_STATUS_ALLOC_FAILED/,
    /Failed to (?:CUDA calloc|cuda malloc)(?: async)? \d+ bytes|Cuda failure (?:\d+ )?'out of memory'/i,
    /Allocator (?!\(\w{0,20}cpu).{0,40}\bran out of memory/,
    /No available memory for the cache blocks/,
    /\bNRT_RESOURCE|nrt_.{0,40}out of (?:device )?memory/i,
  ]),
  ...buildRows('effect', 'oom-host', 'medium', [
    /\b(?:exit(?:ed|s)?(?: with)?|return)[ _]?(?:return )?(?:code|status)?[ :=]{0,3}137\b/i,
  ]),
  ...buildRows('effect', 'oom-host', 'low', [
    // The kernel (out of memory), a scheduler or a person can send SIGKILL.
    /\b(?:exit(?:ed|s)?(?: with)?|return)[ _]?(?:return )?(?:code|status)?[ :=]{0,3}-9\b|exitcode ?: ?-9\b|died with <Signals\.SIGKILL|\bSIGKILL\(-9\)|Signal 9 \(SIGKILL\)|killed \(SIGKILL\)|(?:killed|terminated|exited|died) (?:by|on|with) signal (?:9|SIGKILL)\b/i,
    // From a pool of worker processes that load and prepare data.
    /subprocess(?:es)? ha(?:s|ve) abruptly died|process pool was terminated abruptly/,
    // Something ended the worker; this line does not name what or why.
    /DataLoader worker \(pid\(?s?\)? ?[\d, ]{1,80}\) exited unexpectedly(?! with exit code [1-9])/,
  ]),
  ...buildRows('hint', 'oom-host', 'low', [
    // Usually the container has too little shared memory.
    /\bBus error\b|\bSIGBUS\b|return code = -7\b|exitcode ?: ?-7\b/,
    /^Killed$|\b[Kk]illed\s{2,}\S|: line \d+: +\d+ Killed\b/,
  ]),
];

/** Messages of Ray, Slurm, Kubernetes, Iris, JAX's coordination service, PyTorch's elastic agent and the clouds. */
export const CLUSTER_ROWS: readonly Row[] = [
  ...buildRows('cause', 'capacity', 'high', [
    // The scheduler may still grant the resources later in the log.
    /\bexceeds? quota limits?\b/,
    /\bno available nodes\b.{0,60} satisfy|\binsufficient quota\b|no node type can (?:satisfy|fulfill)|\bPENDING \((?:Priority|Resources)|Requested (?!node )\w{1,20} configuration (?:is )?not available/,
    /\bCapacityError\b|\b(?:Vcpu|Instance|SpotInstanceCount|Resource)Limit(?:Is)?Exceeded|MaxSpotInstanceCountExceeded|\bno_such_ask\b|\b(?:[Ii]nstance|[Oo]ffer|[Mm]achine)s?\b.{0,40} (?:no longer|not) available|no longer any instances available|couldn'{1,2}t assign flavors|insufficient unused quota|Unable to provision|not have sufficient capacity|Resources are insufficient|AllocationFailed|OverconstrainedAllocation|Waiting for workers in scale group|Quota limit '[^']{1,200}' has been exceeded/,
    /\bOutOf(?:cpu|memory|pods|nvidia|google)\b|didn't have enough resource|not have enough resources available/,
    /before the request could be allocated|never became ACTIVE|WAITING_FOR_RESOURCES|(?<!confirm )(?:allocation|reservation|queued resource)\b.{0,60}(?:timed out|expired)/,
    // Google Cloud's message.
    named('quota-exceeded', /\bQuota '[^']{1,200}' exceeded/),
    /\bQuota '[^']{1,200}' exhausted|\bNO_CAPACITY\b|_NO_CAPACITY\b|\bno offers left\b|QUOTA_EXCEEDED|quota_exceeded|quotaExceeded|Insufficient quota/,
    /ZONE_RESOURCE_POOL_EXHAUSTED|InsufficientInstanceCapacity|no more capacity in (?:the )?zone|There is not enough capacity|stockout|InsufficientCapacity\b|Insufficient (?:capacity|(?:cpu|memory|nvidia\.com\/gpu|google\.com\/tpu))|OutOfCapacity|SkuNotAvailable|ResourcesUnavailableError/i,
    named('autoscaler-demand', /unsatisfied autoscaler demand|tier_blocked:|slice couldn't schedule/),
    /No available node types can fulfill|cannot be scheduled right now|The following resource request cannot be scheduled|\d{1,6}\/\d{1,6} nodes are available/,
    /violates accounting\/QOS policy|QOSMax|QOSGrp|AssocGrp|AssocMax|ReqNodeNotAvail|\(Resources\)$/,
  ]),
  ...buildRows('cause', 'preempted', 'high', [
    /\b(?:because of|due to|after) (?:a )?preemption\b|instance-terminated-no-capacity|Spot request interrupted|\bevicted\b.{0,40}higher priority/,
    /\bPREEMPTION\b/,
    /\b(?:interrupted|terminated|stopped|killed) (?:due to|by) (?:\w{1,20} )?preemption\b/,
    /\bpreempted (?:VM|instance|node|worker|TPU|slice|at|by)\b|\binstance preempted\b|instance\/preempted\b.{0,40}TRUE|\bpreempted to\b|higher priority workload|Interrupted - Training job|Insufficient Spot capacity|MaxWaitTimeExceeded|Spot ITN|spot reclaim/i,
    /DUE TO PREEMPTION|\bPREEMPTED\b|\b[Tt]ermination is imminent\b|(?<!failed, )(?:was|been|being|is|got) (?:pre-?empted(?! or failed(?! \(status: STOPPED))|evicted by (?:a )?higher)|[Pp]re-?emption (?:notice|signal|event|detected|warning)|reached preemption sync point|\bsignall?ed (?:a )?pre-?emption|[Ss]pot interruption (?:in|at)\b/,
    /[Ss]pot (?:instance|VM|interruption).{0,60}(?:interrupt|terminat|reclaim|notice)|instance-action.{0,40}(?:terminate|stop)|TERMINATE_ON_HOST_MAINTENANCE|maintenance event|instance is being (?:preempted|terminated)|compute\.instances\.preempted/,
  ]),
  ...buildRows('cause', 'infra-cluster', 'high', [
    /TPU initialization failed: .{0,200}(?:waiting for \d|SliceBuilder|\bgrpc\b)|[Uu]nable to contact slurmctld|Cannot connect to the Docker daemon|failed to start container\b/,
    /OCI runtime (?:create|exec) failed|The connection to the server \S{1,120} was refused|TaintManagerEviction|\bNodeNotReady\b/,
    // Slurm lost the node and repairs it itself.
    /DUE TO NODE FAILURE|Node failure on|\bNODE_FAIL\b/,
    /\bpyxis: {1,12}mkdir: cannot create directory|\bcontainer creation failed: mount\b/,
    // From Kubernetes, Ray, and the launcher of a job's processes.
    /\b(?:FailedAttachVolume|FailedMapVolume|NetworkNotReady|NodeLost)\b|node timed out during startup/,
    named('owner-died', /OwnerDiedError/),
    named('node-lost', /dead node|node heartbeat loss|marked dead because the detector has missed/i),
    /NodeDiedError|(?<!because its )owner.{0,20}has died|its node has died|node has died|marked dead because|missed too many heartbeats|[Ww]orker \S{1,80} failed: heartbeat|TASK_STATE_WORKER_FAILED/,
    /Failed to connect to (?:the )?GCS|GCS (?!bucket)(?:server|service)?.{0,40}(?:fail|unavailable|died|restart|not reachable|is down)|gcs_rpc_client.{0,80}(?:fail|exceed)|Unable to connect to (?:the )?Ray|Could not (?:find|connect to) any running Ray|head node.{0,40}(?:died|unreachable|lost)|raylet (?:crash|died|process.{0,20}(?:died|exited))|[Rr]aylet.{0,40}(?:marked this node|is dead)/i,
    /slurm_load_\w{1,40} error|Unable to contact slurm controller|Munge (?:en|de)code failed|Protocol authentication error|Socket timed out on send\/recv operation|slurmctld.{0,60}(?:down|fail|not respond)|slurmstepd: error: (?:Failed to|couldn't|Unable (?!to destroy cgroup))|srun: error: (?:Unable to (?:create|confirm)|Task launch)|Prolog (?:error|hung)|PROLOG.{0,20}(?:fail|error)/i,
    /etcdserver: |an error on the server .{0,40} has prevented|\bleader election lost\b|\bNo available agent to submit job\b|apiserver.{0,60}(?:refused|unavailable)|FailedCreatePodSandBox|ImagePullBackOff|ErrImagePull|CreateContainer(?:Config)?Error|FailedMount/,
  ]),
  ...buildRows('cause', 'stalled', 'high', [
    /\bappears? to be (?:hung|stuck)|\b[Dd]eadlock detected|\bstuck (?:at|on|in) step \d|\bno change for \d|\b[Kk]illing (?:the )?(?:job|run)\b.{0,20}\bstalled\b/,
    /\blast (?:log line|output|step|progress|heartbeat|message)\b.{0,20} \d{1,4} ?(?:h|min|m\b|hours?|minutes?).{0,20}\bago\b/i,
    /\b0 steps in the last\b|\bno-progress\b|\bhas not (?:entered|reached|completed|finished|logged|reported) .{0,40} (?:after|in|for|since) \d|detects? a hang|No step progress/i,
    /\bno (?:new )?(?:step|steps|progress|output|log lines?|heartbeat|iterations?) (?:for|in|since) \d|\bstep \d{1,12},? (?:finished |completed |ended )?\d{3,7}(?:\.\d{1,6})? ?s(?:econds)? ago|\b(?:step|iteration) has not (?:increment|advanc|chang)ed (?:in|for|since)\b|hang[-_ ]detector|Termination timeout for .{0,160} exceeded|\bmay be stuck\b/i,
    named('stalled-training', /No progress after [^N(]+ \(timeout [\d.]+\); terminating with exit code 124/),
    /No progress (?:after|for|in) |terminating with exit code 124|exit(?:ed with)?[ _]?(?:code|status)?[ :=]{0,3}124\b|[Dd]ead ?man|stalled training|training (?:has )?(?:stalled|hung|(?:appears|seems) (?:to be )?(?:stuck|hung))|\bno (?:training |optimizer |new )?steps? (?:(?:was|were|has|have|been) ){0,3}(?:completed|finished|made) (?:in|for|since) |hang detected|no heartbeat (?:for|in)/i,
  ]),
  ...buildRows('cause', 'stalled', 'medium', [/\bDataLoader timed out after \d/]),
  ...buildRows('cause', 'infra-cluster', 'medium', [
    /[Pp]lugin (?:stack )?initialization failed|[Aa]utoscaler\b.{0,40}[Tt]oo many errors|[Jj]ob credential expired|Communication connection failure/,
    /active (?:on the node )?longer than (?:the )?specified deadline|\bduration exceeded timeout|MaxRuntimeExceeded|failed to create containerd task|\bClusterNotUpError\b/,
    /DUE TO TIME LIMIT|\bTIMEOUT\b.{0,40}(?:job|step)|wall ?(?:clock )?time (?:limit )?exceeded/i,
  ]),
  ...buildRows('cause', 'preempted', 'medium', [
    /\bHost EC2 .{0,60}terminated|\bPreempted in order to\b|imminent node shutdown/,
  ]),
  ...buildRows('cause', 'capacity', 'medium', [
    /[Ff]ailed (?:to provision|provisioning)\b|[Ff]ailed to acquire (?:resources|instances|nodes)|could not find a node type|new workers to be provisioned/,
  ]),
  ...buildRows('cause', 'unknown', 'low', [
    // Someone cancelled the job; a scheduler that cancels one prints the reason.
    /\*\*\* JOB \d{1,12} ON \S{1,80} CANCELLED AT \S{1,40} \*\*\*/,
  ]),
  ...buildRows('effect', 'capacity', 'medium', [/\bqueued and waiting for resources\b/]),
  ...buildRows('effect', 'infra-cluster', 'medium', [
    /CoordinationService\/\w/,
    /ORTE (?:was unable|has lost)|error dialing backend/,
    /\blame workers? found|tried to connect with a different incarnation|\bc10d\b.{0,200}waitForInput|\bpoolFD failed\b/,
    // From a scheduler that starts containers. The cause of the failure may follow in later lines.
    /\bpyxis: (?:couldn't|container start failed|failed)|\benroot-\w{1,20}: failed|\bspank: required plugin/,
    /\b(?:Non-OK-status|Check failed): .{0,400}\bunavailable: (?!.{0,200}(?:transport|socket|connect))/i,
    /^(?:tensorflow\.[\w.]{1,80}\.)?(?:Unavailable|Aborted)Error: /,
    /\bray\.exceptions\.(?:GetTimeout|ObjectFetchTimedOut|ObjectReconstructionFailed|ObjectFreed)\w{0,20}Error|\bmpi\/pmix\w{0,4}: .{0,160}(?:timeout|error|abort)/,
    // The events below this line name the cause.
    /\bRunContainerError\b/,
    /\bping threshold\b|\bevent=worker_fail/,
    /(?:Xla|Jax)RuntimeError: (?:DEADLINE_EXCEEDED|UNAVAILABLE|ABORTED)\b/,
    /ActorUnavailableError|The actor is unavailable|LocalRayletDiedError|ObjectLostError|ReferenceCountingAssertionError|RaySystemError/,
    named('barrier-timeout', /DEADLINE_EXCEEDED: Barrier timed out/),
    named('coordination-service', /tensorflow\.CoordinationService/),
    /Barrier timed out|[Cc]oordination ?[Ss]ervice.{0,80}(?:error|unavailable|died|shut|fail|heartbeat)|coordination service agent|JAX distributed service.{0,60}(?:detected|fatal|fail)|Terminating process because the (?:JAX|coordinator)/,
    /[Cc]oscheduled sibling\b.{0,120}\bfailed|COSCHED_FAILED|\bworker_failed\b/,
    /unresponsive (?:workers?|hosts?|tasks?|slices?|nodes?)\b/i,
    /RendezvousTimeoutError|RendezvousClosedError|[Rr]endezvous.{0,60}(?:timed? ?out|closed|fail)/,
  ]),
  ...buildRows('effect', 'stalled', 'medium', [
    /waiting for remainder of ranks|[Tt]imed out .{0,60}waiting for (?:all|other) (?:workers|ranks|hosts|processes|tasks)|[Tt]imed out .{0,60}\bstore based barrier\b|\bnot (?:finished|done|completed?) (?:after|within|in) \d{3,6} ?s/,
    // Printed by Python's `faulthandler` if the program asked for it.
    /^Timeout \(\d{1,4}:\d\d:\d\d(?:\.\d{1,6})?\)!$/,
    /[Ww]atchdog caught collective operation timeout|[Ww]atchdog got stuck for \d|without making progress in monitoring|collective operation timeout|ran for \d{1,12} milliseconds before timing out|\bCollective \w{1,40}\(.{1,200} timed out after|heartbeat monitor timed out|taking the entire process down|Some NCCL operations have failed or timed out|failed to pass monitoredBarrier|monitoredBarrier.{0,100}(?:timeout|failed to pass)|Timed out waiting \d+ ?ms for (?:recv|send)|Timeout(?:Error)?\b.{0,60}(?:all_?reduce|all_?gather|barrier|broadcast|collective)|Stop_waiting response is expected/i,
  ]),
  ...buildRows('effect', 'stalled', 'low', [/\bwaiting for \w{0,20} ?barrier\b/]),
  ...buildRows('effect', 'preempted', 'medium', [
    // The write is incomplete because the grace period ended.
    /\bgrace (?:period|time) (?:is )?(?:over|expired|exceeded|elapsed)\b/,
  ]),
  ...buildRows('effect', 'unknown', 'low', [
    // Someone ended the process; the log does not name who.
    /\bexit(?:ed)?(?: with)?[ _]?(?:code|status)?[ :=]{0,3}143\b/,
    /[Rr]eceived (?:a )?(?:signal )?(?:SIGTERM|signal 15|SIGUSR1)|[Cc]aught signal (?:15|SIGTERM)|Signal 15 \(SIGTERM\)|SignalException: Process \d+ got signal: 15/,
    // The process that waited for the dead one reports this, with a list of possible causes.
    /RayActorError|ActorDiedError|WorkerCrashedError|The actor (?:died|is dead)/,
  ]),
  ...buildRows('hint', 'stalled', 'low', [/\b(?:last_)?step_age(?:_s)?['"]?[=:] ?\d{4,7}s?\b/]),
  ...buildRows('hint', 'infra-cluster', 'low', [
    /\bMPI_ERRORS_ARE_FATAL\b|abort before MPI_INIT/,
    // Generic cloud errors without details.
    /internal error\. Please try again|[Pp]lease try again,? or contact (?:\w{1,20} )?support/i,
    /JOB_ENTRYPOINT_COMMAND_START_ERROR|Job supervisor actor (?:died|failed)|Unexpected error occurred: The actor died/,
  ]),
];

/** Messages of the Hugging Face hub, W&B, the clouds, pip, uv, conda, the dynamic linker, argparse, Hydra, DeepSpeed and Megatron. */
export const SETUP_ROWS: readonly Row[] = [
  ...buildRows('cause', 'dependency', 'high', [
    /TPU initialization failed: .{0,200}\b(?:version|too old)\b|\b[Uu]nable to determine .{0,40}[Vv]ersion\b|\bnvcc\b.{0,20}not found|\bor newer is required\b/,
    // Code compiled during training, with the image's toolchain.
    /\bcannot find -l\w|\bcollect2: error: ld returned|\bMismatched PJRT plugin\b|\bNo execution plans support the graph\b|CalledProcessError: Command '\['\/\S{1,120}\/(?:gcc|g\+\+|cc|c\+\+|clang|nvcc)'/,
    // A shell that cannot find a program.
    /^\S{1,160}: \d{1,6}: \S{1,80}: not found$/,
    /undefined symbol|cannot open shared object file|version `?(?:GLIBC|GLIBCXX|CXXABI)_[\d.]{1,12}'? not found|symbol lookup error|DLL load failed|invalid ELF header|libcud\w{1,20}\.so[.\d]{0,8}/,
    /No matching distribution found|Could not find a version that satisfies|ResolutionImpossible|No solution found when resolving|Could not build wheels|Failed to build (?:installable wheels|[`'"]?[\w.-]{1,60}==)|Failed building wheel|metadata-generation-failed|ResolvePackageNotFound|UnsatisfiableError|subprocess-exited-with-error|PackagesNotFoundError/,
    /ContextualVersionConflict|DistributionNotFound|VersionConflict|PackageNotFoundError|requires a different Python|is required for a normal functioning of this module|not found in your environment|operator \w{1,80}::\w{1,80} does not exist|but you have [\w.-]{1,60} [\d.]{1,20} which is incompatible|Using .{0,60} requires .{0,60}(?:to be installed|>=)|[Pp]lease (?:pip )?install|not installed.{0,40}pip install/,
    /cannot import name '\w{1,80}' from '[\w.]{1,120}' \([^)]{1,300}(?:site|dist)-packages\/(?!.{0,200}Did you mean)/,
    /: command not found$|\bversion \d[\w.]{0,20} does not match\b|\bversion mismatch: |installing the runtime_env|^\/usr\/bin\/env: .{1,80}: No such file|Descriptors cannot (?:not )?be created directly|is required to load C\+\+ extensions/,
    /\bnvcc fatal\b|Error building extension '|Error compiling objects for extension/,
    /module compiled against (?:API|ABI) version|compiled using NumPy 1\.x|numpy\.dtype size changed|numpy\.core\.multiarray failed to import|binary incompatibility/,
    /no kernel image is available for execution|driver version is insufficient for CUDA runtime|forward compatibility was attempted on non supported HW|NVIDIA driver on your system is too old|cudaError(?:NoKernelImageForDevice|InsufficientDriver|InvalidPtx|UnsupportedPtxVersion|SystemDriverMismatch|InvalidKernelImage|InvalidDeviceFunction)\b|CUDA_ERROR_(?:SYSTEM_DRIVER_MISMATCH|NO_BINARY_FOR_GPU|UNSUPPORTED_PTX_VERSION|COMPAT_NOT_SUPPORTED)|CUDA version .{0,60}(?:mismatch|does not match)|The detected CUDA version \(|Torch not compiled with CUDA enabled|PTX was compiled with an unsupported toolchain|FlashAttention (?:only supports|requires)|CUDNN_STATUS_\w{0,40}VERSION_MISMATCH|jaxlib version .{0,60}(?:incompatible|newer|older)/i,
  ]),
  ...buildRows('cause', 'config', 'high', [
    /TPU initialization failed: .{0,200}(?:[Ii]nvalid|INVALID_ARGUMENT|[Ee]xpected \d)|[Rr]equest ?[Ee]ntity ?[Tt]oo ?[Ll]arge|Maximum request body size|missing in config\b|[Cc]onfig validation error|\bUnknown (?:scheduler|optimizer|model|activation|loss|attention|precision|strategy|backend)\b|error: one of the arguments .{0,80} is required/,
    // Parser errors for command-line overrides.
    /\b(?:mismatched|extraneous) input '.{1,80}' expecting|^missing \w{1,40} at '|override_grammar|^You must specify '\w{1,80}', e\.g/,
    /Key '[^']{1,80}' not in '\w{1,80}'|^\s{0,12}full_key: \S/,
    /\b(?:InvalidImageName|ErrImageNeverPull)\b|\bhas runAsNonRoot\b/,
    /container creation failed|mount source .{0,120} doesn't exist|invalid mount config/,
    /error: (?:unrecognized arguments|the following arguments are required|argument \S{1,80}: |invalid choice|ambiguous option)|(?:No such option|Missing option|Missing argument|Got unexpected extra argument|Invalid value for ['"])/i,
    /omegaconf\.errors|UnrecognizedFlagError|Unknown command line flag|Unable to find configurable|No configurable matching|ConfigAttributeError|ConfigKeyError|MissingMandatoryValue|MissingConfigException|Could not (?:override|find|load) ['"]|hydra\.errors|Error merging override|Key '[^']{1,80}' is not in struct/,
    /draccus\.utils\.(?:DecodingError|ParsingError)|DecodingError|jsonargparse|validation errors? for \w|pydantic(?:_core)?\.[\w.]{0,60}ValidationError|yaml\.(?:scanner|parser|constructor)\.|ScannerError|TOMLDecodeError|tyro\b.{0,40}(?:error|invalid)/,
    /train_batch_size is not equal|Check batch related parameters|DeepSpeedConfigError|DeepSpeed.{0,40}config.{0,40}(?:error|invalid|conflict)|values that are inconsistent with DeepSpeed|Please correct the following DeepSpeed config/i,
    /(?:not|is not|must be|should be|isn't) (?:evenly )?divisible by|must (?:evenly )?divide|world[_ ]size.{0,60}(?:must|not|expected|does not)|number of devices .{0,60}(?:must|not)|tensor[- _](?:model[- _])?parallel.{0,60}(?:must|not)/i,
    /size mismatch for [\w.]{1,160}|Size mismatch between saved |\bParamValidationError\b|\bInvalid bucket name\b|Error\(s\) in loading state_dict|Missing key\(s\) in state_dict|Unexpected key\(s\) in state_dict|copying a param with shape|[Cc]heckpoint.{0,80}(?:shape|structure|tree).{0,40}(?:mismatch|does not match|differ)|(?:tree|pytree|structure)s? .{0,60}do(?:es)? not match/,
    /(?<!(?:failed|error): |\] |')(?:[Ii]nvalid|[Uu]nknown|[Uu]nsupported|[Uu]nrecognized|[Mm]issing|[Cc]onflicting|[Bb]ad) (?:config(?:uration)?|setting|option|argument(?!(?: \d)?: )|flag|hyper-?parameter|parameter value|value for)|[Cc]onfig(?:uration)? (?:is invalid|not found|file .{0,100}(?:not found|does not exist|invalid))|ConfigError\b|ConfigurationError\b|MisconfigurationException|environment variable .{0,60}(?:not set|is required|missing)|must (?:be )?set .{0,60}(?:env|flag|option)/,
    /\bno socket interface found\b/i,
    /Requested node configuration is not available|sbatch: error: .{0,80}Requested .{0,60}(?:is invalid|not available|exceeds)|sbatch: error: (?:Invalid|invalid|Batch job submission failed: Invalid)|srun: error: (?:Invalid|invalid)|qos.{0,20}invalid|Invalid (?:partition|account|qos)/i,
  ]),
  ...buildRows('cause', 'auth', 'high', [
    /\bdo(?:es)? not have (?:\w{1,20} ){0,2}permissions?\b|[Ii]nsufficient (?:\w{1,20} )?(?:scopes?|permissions?|privileges?)\b|Host key verification failed|\bLocalTokenNotFoundError\b|[Rr]esponse code:? 40[13]\b|\bnot authorized to\b|\bPERMISSION_ERROR\b/,
    /\bapi[_ ]key\b.{0,60}\bmust be set\b|\b[A-Z]{2,40}_API_KEY\b.{0,40}\bnot set\b/,
    /session has expired|\blog ?in again\b/,
    /\bForbidden: |\bHttpError 403|\(Forbidden\)|could not read Username for|pull access denied|certificate signed by unknown authority|\bcannot (?:create|get|list|delete|patch) resource "/,
    /\b(?:AuthenticationError|UnauthorizedError|PermissionDeniedError|InvalidTokenError)\b|[Ee]rror code: 40[13]\b|\binvalid_api_key\b|[Ii]ncorrect API key/,
    named('wandb-no-key', /No API key configured/),
    /api_key not configured|user is not logged in|Invalid API key|API key (?:is )?(?:invalid|missing|not (?:set|found|valid))|permission denied to access wandb|PermissionError: .{0,60}(?:wandb|entity)/i,
    /\b401\b.{0,40}(?:Client Error|Unauthorized|Invalid)|\b403\b.{0,40}(?:Client Error|Forbidden|Permission|does not have)|<Response \[40[13]\]>|(?:HTTP|status(?:[_ ]code)?)[ :=]{1,3}40[13]\b|HTTPError: (?:HTTP Error )?40[13]\b/i,
    /GatedRepoError|Access to model .{0,120} is restricted|Cannot access gated repo|Invalid (?:user|username or) (?:token|password)|You (?:must|need to) (?:be authenticated|have access|login)|make sure you are authenticated|Invalid credentials/i,
    /DefaultCredentialsError|Could not automatically determine credentials|default credentials were not found|RefreshError|invalid_grant|Reauthentication is needed|NoCredentialsError|Unable to locate credentials|PartialCredentialsError/,
    /AccessDenied\b|Access Denied|AccessDeniedException|InvalidAccessKeyId|SignatureDoesNotMatch|ExpiredToken|InvalidClientTokenId|UnauthorizedOperation|AuthorizationFailure|AuthenticationFailed/,
    /PERMISSION_DENIED|PermissionDenied|does not have [\w.]{1,80} access|[Pp]ermission .{0,80}denied on (?:resource|project)|Permission denied \(publickey|Authentication (?:failed|required)|UNAUTHENTICATED|authentication token (?:is )?(?:invalid|missing|expired)|token (?:has|is) expired|denied: requested access/,
  ]),
  ...buildRows('cause', 'dependency', 'medium', [
    /Unable to load (?:the )?\S{1,40} library|CUDA_HOME\b.{0,60}(?:not exist|not set)|CUDAMismatchException|MissingCUDAException|Unable to JIT load|fatal error: \S{1,160}: No such file|ninja: build stopped|error: command '\S{1,160}' failed|\bwas built against\b.{0,20}version|No PTX compilation provider|libdevice not found|compiled without (?:GPU|CUDA) support|CUDA Setup failed|working triton installation|device kernel image is invalid|Failed to import \S{1,160} because of the following error|DNN library initialization failed/,
    /exec format error|[Cc]ould not create (?:cudnn|cublas) handle|No registered implementation for|Failed to load PTX|invalid device function|hipErrorNoBinaryForGpu|instantiate the backend tokenizer|Dataset scripts are no longer supported|Weights only load failed|\b(?:libtpu|NCCL|CUDA|cuDNN)\b.{0,60} version mismatch/,
    // An API that a newer version removed.
    /^(?:[\w.]{0,120}\.)?\w{0,60}Error: .{0,200}\b(?:was removed in|has been removed|is now removed|deprecated since version|no longer (?:exists|available|supported) (?:in|since|from))\b/,
    /Failed to (?:set ?up|install|create) (?:the )?runtime env|RuntimeEnvSetupError|runtime_env .{0,60}fail/i,
  ]),
  ...buildRows('cause', 'config', 'medium', [
    /invalid device ordinal|Duplicate GPU detected|peer access is not supported|execve\(\): .{1,300}: No such file|can't open file '.{1,300}': \[Errno 2\]|server socket has failed to (?:listen|bind)/,
    // System limits, and a tracker's refusal to reuse a deleted run.
    /Too many open files|\[Errno 24\]|received 0 items of ancdata|can't start new thread|Thread creation failed|pthread_create failed|previously created and deleted|\bOfflineModeIsEnabled\b|sbatch: error: Unable to open|\bsrun: fatal: /,
    /\b(?:layer|module)s? .{0,120}(?:to wrap|not found) in the (?:base )?model|value from checkpoint .{0,80}not equal|checkpoint ?value .{0,120} do(?:es)? not match|Unrecognized (?:model in|configuration class)|(?:option|argument|set|pass|use) [`'"]?trust_remote_code=True|does not support Flash|conditioned on metric .{0,120}not available|not compatible with the stored shape|checkpoint contains only the model|Asking to pad but the tokenizer/,
    /address already in use|\bEADDRINUSE\b|\[Errno 98\]/i,
    /is not a valid (?:model identifier|JSON file|choice|value)|(?:does not appear to have a file named|is not a local folder)|Can't load (?:the )?(?:config|tokenizer|model) for|\b(?:RepositoryNotFoundError|EntryNotFoundError|RevisionNotFoundError)\b/,
  ]),
  ...buildRows('cause', 'config', 'low', [
    // The tracker has no such object, or hides it from this account.
    /CommError: .{0,200}(?:[Nn]ot find|not found|\b404\b)/,
  ]),
  ...buildRows('cause', 'auth', 'medium', [/\[Errno 13\] Permission denied|: Permission denied$/]),
  ...buildRows('effect', 'config', 'low', [/\bncclInvalidUsage\b/]),
  ...buildRows('hint', 'config', 'low', [
    /^(?:[\w.]{0,120}\.)?(?:argparse\.ArgumentError|ArgumentTypeError|UsageError)\b/,
  ]),
];

/** A program's message about a setting that it checks. These rows come after all more specific ones. */
export const SETTING_ROWS: readonly Row[] = [
  ...buildRows('cause', 'config', 'medium', [
    /^(?:[\w.]{0,120}\.)?(?:ValueError|AssertionError|NotImplementedError|RuntimeError|\w{0,60}ConfigError): .{0,240}(?:\b(?:must|should) be (?:one of|set|specified|provided|positive|greater|at least|between|a (?:vector|power|multiple|list)|in [[({])|can only be (?:used|enabled|set) (?:with|when|if|on)|mutually exclusive|[Pp]lease (?:set|specify|provide|use|check|install|make sure)|(?:only|not) supported (?:with|when|for|by|in)|requires? (?:a GPU|compute capability|`?\w{1,60}`? (?:to be )?set))/,
  ]),
  ...buildRows('cause', 'config', 'low', [
    /^(?:Value|Assertion|NotImplemented|Runtime)Error: .{0,160}\b(?:(?:not |in)compatible with\b|is not set\b|not (?:been )?(?:specified|provided)\b|does not (?:exist|recognize)\b|[Cc]ould not (?:be found|find)\b.{0,80} in the model\b|can(?:not|'t) be (?:used|combined|specified|enabled)\b|(?:doesn't|do not|does not|don't|not yet) support\b|[Yy]ou (?:must|need to|have to|passed|specified|can't|cannot)\b)/,
  ]),
];
