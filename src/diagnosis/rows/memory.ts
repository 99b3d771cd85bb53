/** Memory that ran out: of the accelerator, and of the host. */

import { named, type Row, rows } from '../row.ts';

/** Messages of XLA, JAX, CUDA, PyTorch, DeepSpeed, Ray, Slurm, Kubernetes and the kernel. */
export const MEMORY_ROWS: readonly Row[] = [
  ...rows('cause', 'oom-host', 'high', [
    // The driver's own word for both.
    /\bbytes on host: CUDA_ERROR_OUT_OF_MEMORY|\bpinned host memory\b.{0,40}(?:fail|size)/,
    /fork: Cannot allocate memory|java\.lang\.OutOfMemoryError|\b[Mm]emory limit exceeded|killed by the OOM killer|\bearlyoom: sending SIG/,
    // A count of nothing is told as well.
    /(?<!\b0 )oom[-_]kill(?!\w{0,9}['"]?[ :=]{1,3}0\b)|OOM[- ]?[Kk]illed|[Oo]ut of memory: Kill(?:ed)? process/,
    /Detected [1-9]\d{0,6} oom[-_]kill event|OUT_OF_MEMORY\b|Some of (?:the step|your processes)[^.]{0,60} killed by the cgroup out-of-memory handler/,
    /Exceeded (?:job |step )?memory limit|Job exceeded (?:its )?(?:requested )?memory/i,
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
  ...rows('cause', 'oom-hbm', 'high', [
    /(?:[Ff]ailed to allocate|\b(?:hbm|HBM) allocation failed).{0,80}\b(?:GPU|TPU|HBM|XPU)|cudaMalloc(?:Async)? failed: out of memory|cupy\.cuda\.memory\.OutOfMemoryError|\bnot fit (?:in|into|on) .{0,20}(?:GPU|HBM|TPU|device)/,
    /Failed to alloc DEVICE memory|PT_DEVMEM Allocation failed|RESOURCE_EXHAUSTED: nrt_/,
    named('hbm-exhausted', /Ran out of memory in memory space hbm|CompileTimeHbmOom/),
    named('vmem-exhausted', /CompileTimeScopedVmemOom|Ran out of memory in memory space vmem/),
    /Ran out of memory in memory space smem/,
    /enough GPU (?:RAM|memory) to fit|dispatched on the CPU or the disk/,
    // These are failures although the word OOM is absent.
    // rule ML-20
    named('hbm-requirement', /Program hbm requirement \d/),
    named('hbm-allocations', /Largest program allocations in hbm/),
    /Total hbm usage >=/,
    // rule ML-36
    /Exceeded hbm capacity by|compiler_base\.cc:2587/,
    /(?:RESOURCE_EXHAUSTED|[Rr]esource ?[Ee]xhausted(?:Error)?): .{0,300}(?:[Oo]ut of memory|OOM when allocating|[Rr]an out of memory|hbm|vmem|Attempting to (?:allocate|reserve)|[Ff]ailed to allocate)/,
    /(?:Attempting to reserve|failed to allocate) [\d.]+ ?[KMGT]i?B? .{0,80}(?:bottom of memory|device)/i,
    // PyTorch's own exception, by its words: its name has moved, and Ray has one of the same name for the host.
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
  ...rows('effect', 'oom-host', 'medium', [
    /\b(?:exit(?:ed|s)?(?: with)?|return)[ _]?(?:return )?(?:code|status)?[ :=]{0,3}137\b/i,
  ]),
  ...rows('effect', 'oom-host', 'low', [
    // Whoever may send it: the kernel for want of memory, a scheduler, a person.
    /\b(?:exit(?:ed|s)?(?: with)?|return)[ _]?(?:return )?(?:code|status)?[ :=]{0,3}-9\b|exitcode ?: ?-9\b|died with <Signals\.SIGKILL|\bSIGKILL\(-9\)|Signal 9 \(SIGKILL\)|killed \(SIGKILL\)|(?:killed|terminated|exited|died) (?:by|on|with) signal (?:9|SIGKILL)\b/i,
    // Of a pool of processes that read and prepare.
    /subprocess(?:es)? ha(?:s|ve) abruptly died|process pool was terminated abruptly/,
    // Somebody ended it; who and why is told elsewhere or nowhere.
    /DataLoader worker \(pid\(?s?\)? ?[\d, ]{1,80}\) exited unexpectedly(?! with exit code [1-9])/,
  ]),
  ...rows('hint', 'oom-host', 'low', [
    // Most often it is the shared memory of a container that is too small.
    /\bBus error\b|\bSIGBUS\b|return code = -7\b|exitcode ?: ?-7\b/,
    /^Killed$|\b[Kk]illed\s{2,}\S|: line \d+: +\d+ Killed\b/,
  ]),
];
