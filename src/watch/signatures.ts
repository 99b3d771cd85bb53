/** What a log line can say about a failure: strings of real runs, their class, and what follows from them. */

import { LOSS_NOT_FINITE } from '../domain/launch/spoilt.ts';

/** Classes of failure, after the monitoring loop's own division (small fix, complex, infrastructure). */
export type FailureClass =
  | 'accelerator-memory'
  | 'accelerator-node'
  | 'accelerator-fabric'
  | 'disk-full'
  | 'cluster'
  | 'coordination'
  | 'runtime-abort'
  | 'host-memory'
  | 'tracker-setup'
  | 'watchdog'
  | 'numerical'
  | 'small-fix'
  | 'capacity';

/**
 * What the policy asks for. `escalate`: complex, never fixed or repeated without a person. `retry-bounded`:
 * infrastructure, counts against the no-progress budget. `propose-node`: a replacement needs a person's
 * consent. `small-fix-once`: the allowed kind of fix, once; the same again escalates. `alert`: never
 * relaunched as if it were infrastructure. `wait`: not a failure.
 */
export type Advice = 'escalate' | 'retry-bounded' | 'propose-node' | 'small-fix-once' | 'alert' | 'wait';

/**
 * One row: a line that matches `pattern` is evidence for `class`. Patterns are linear in the line's length. `needles`:
 * a line that matches holds one of them, capitals or not; none where `opens`, its first character, is all there is.
 */
export type Signature = {
  readonly id: string;
  readonly class: FailureClass;
  readonly advice: Advice;
  readonly pattern: RegExp;
  readonly needles: readonly string[];
  readonly opens: string | null;
};

/**
 * Signatures of policy ML-20, ML-21 and ML-29, and of Marin's, JAX's, CUDA's and Ray's own messages. A
 * match is evidence and no verdict: the engine's terminal status comes first, tracebacks at shutdown are
 * noise, and the word "error" alone means nothing.
 */
export const SIGNATURES: readonly Signature[] = [
  row(
    'hbm-exhausted',
    'accelerator-memory',
    'escalate',
    /Ran out of memory in memory space hbm|CompileTimeHbmOom/,
    ['Ran out of memory in memory space hbm', 'CompileTimeHbmOom'],
  ),
  // These are failures although the word OOM is absent.
  // rule ML-20
  row('hbm-requirement', 'accelerator-memory', 'escalate', /Program hbm requirement \d/, [
    'Program hbm requirement ',
  ]),
  row('hbm-allocations', 'accelerator-memory', 'escalate', /Largest program allocations in hbm/, [
    'Largest program allocations in hbm',
  ]),
  row(
    'vmem-exhausted',
    'accelerator-memory',
    'escalate',
    /CompileTimeScopedVmemOom|Ran out of memory in memory space vmem/,
    ['CompileTimeScopedVmemOom', 'Ran out of memory in memory space vmem'],
  ),
  row('resource-exhausted', 'accelerator-memory', 'escalate', /RESOURCE_EXHAUSTED:/, ['RESOURCE_EXHAUSTED:']),
  // PyTorch's own exception, by its words: its name has moved, and Ray has one of the same name for the host.
  row(
    'cuda-out-of-memory',
    'accelerator-memory',
    'escalate',
    /\b(?:CUDA|HIP) (?:(?:driver )?error: )?out of memory|Triton Error \[CUDA\]: out of memory|CUDA_ERROR_OUT_OF_MEMORY|torch\.(?:cuda\.)?OutOfMemoryError: /,
    [
      'CUDA out of memory',
      'HIP out of memory',
      'error: out of memory',
      'Error [CUDA]: out of memory',
      'CUDA_ERROR_OUT_OF_MEMORY',
      'torch.OutOfMemoryError: ',
      'torch.cuda.OutOfMemoryError: ',
    ],
  ),
  row(
    'no-accelerator',
    'accelerator-node',
    'propose-node',
    /No accelerator found\. Please run on a TPU or GPU\./,
    ['No accelerator found.'],
  ),
  row(
    'driver-cleanup',
    'accelerator-node',
    'propose-node',
    /Failed to cleanup driver after error: INTERNAL: FAILED_PRECONDITION/,
    ['Failed to cleanup driver after error'],
  ),
  row('device-busy', 'accelerator-node', 'propose-node', /Device or resource busy/, [
    'Device or resource busy',
  ]),
  row('nvlink-uncorrectable', 'accelerator-fabric', 'retry-bounded', /CUDA_ERROR_NVLINK_UNCORRECTABLE/, [
    'CUDA_ERROR_NVLINK_UNCORRECTABLE',
  ]),
  row('cuda-contained', 'accelerator-fabric', 'retry-bounded', /CUDA_ERROR_CONTAINED/, [
    'CUDA_ERROR_CONTAINED',
  ]),
  row('cuda-illegal-instruction', 'accelerator-fabric', 'retry-bounded', /CUDA_ERROR_ILLEGAL_INSTRUCTION/, [
    'CUDA_ERROR_ILLEGAL_INSTRUCTION',
  ]),
  row('xid-link-down', 'accelerator-fabric', 'retry-bounded', /Xid (?:149 NETIR_LINK_DOWN|145\b)/, [
    'Xid 149',
    'Xid 145',
  ]),
  row('disk-full', 'disk-full', 'escalate', /\[Errno 28\] No space left on device/, [
    '[Errno 28] No space left',
  ]),
  // rule DF-28
  row('owner-died', 'cluster', 'escalate', /OwnerDiedError/, ['OwnerDiedError']),
  row(
    'node-lost',
    'cluster',
    'escalate',
    /dead node|node heartbeat loss|marked dead because the detector has missed/i,
    ['dead node', 'node heartbeat loss', 'marked dead because'],
  ),
  row('barrier-timeout', 'coordination', 'escalate', /DEADLINE_EXCEEDED: Barrier timed out/, [
    'DEADLINE_EXCEEDED: Barrier',
  ]),
  row('coordination-service', 'coordination', 'escalate', /tensorflow\.CoordinationService/, [
    'tensorflow.CoordinationService',
  ]),
  row('python-aborted', 'runtime-abort', 'escalate', /Fatal Python error: Aborted/, ['Fatal Python error']),
  // absl's LOG(FATAL) is known by its prefix; its words change from version to version.
  { ...row('absl-fatal', 'runtime-abort', 'escalate', /^F\d{8} \d\d:/, []), opens: 'F' },
  row('bad-alloc', 'host-memory', 'escalate', /std::bad_alloc/, ['std::bad_alloc']),
  row('length-error', 'runtime-abort', 'escalate', /std::length_error: basic_string::_M_create/, [
    'std::length_error',
  ]),
  row('wandb-no-key', 'tracker-setup', 'escalate', /No API key configured/, ['No API key configured']),
  row(
    'stalled-training',
    'watchdog',
    'retry-bounded',
    /No progress after [^N(]+ \(timeout [\d.]+\); terminating with exit code 124/,
    ['No progress after '],
  ),
  row(
    LOSS_NOT_FINITE,
    'numerical',
    'alert',
    /Progress on:train [^P]*\b[Ll]oss=[+-]?(?:[Nn][Aa][Nn]|[Ii]nf)/,
    ['Progress on:'],
  ),
  row('name-error', 'small-fix', 'small-fix-once', /^NameError: /, ['NameError: ']),
  row('import-error', 'small-fix', 'small-fix-once', /^(?:ImportError|ModuleNotFoundError): /, [
    'ImportError: ',
    'ModuleNotFoundError: ',
  ]),
  row('syntax-error', 'small-fix', 'small-fix-once', /^(?:SyntaxError|IndentationError): /, [
    'SyntaxError: ',
    'IndentationError: ',
  ]),
  row('key-error', 'small-fix', 'small-fix-once', /^KeyError: /, ['KeyError: ']),
  row(
    'autoscaler-demand',
    'capacity',
    'wait',
    /unsatisfied autoscaler demand|tier_blocked:|slice couldn't schedule/,
    ['unsatisfied autoscaler demand', 'tier_blocked:', "slice couldn't schedule"],
  ),
  // Google Cloud's own sentence. Waiting does not raise a quota: policy DF-28 wants people told.
  row('quota-exceeded', 'capacity', 'escalate', /\bQuota '[^']{1,200}' exceeded/, ["Quota '"]),
];

/** The rows that a line matches, in the table's order. */
export function signaturesOf(line: string): readonly Signature[] {
  return SIGNATURES.filter((signature) => signature.pattern.test(line));
}

/** The row with this id, or null: events carry ids, and an old event may carry one that is gone. */
export function signatureById(id: string): Signature | null {
  return SIGNATURES.find((signature) => signature.id === id) ?? null;
}

function row(
  id: string,
  kind: FailureClass,
  advice: Advice,
  pattern: RegExp,
  needles: readonly string[],
): Signature {
  return { id, class: kind, advice, pattern, needles, opens: null };
}
