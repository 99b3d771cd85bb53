/** What only whoever wrote the program can mend: the words of Python, PyTorch, JAX and their compilers. */

import { named, type Row, rows } from '../row.ts';

/** Also for a log that was cut, where the exception stands without its traceback. */
export const CODE_ROWS: readonly Row[] = [
  ...rows('cause', 'code-other', 'medium', [
    // Shapes.
    /Error: .{0,200}(?:[Ii]ncompatible shapes|Dimension out of range|dot_general requires|einsum subscripts|is invalid for input of size|view size is not compatible|expected to have (?:the )?same (?:shape|size|dtype|device)|could not be broadcast together|present in both specs with different sizes|Sizes of tensors must match)/,
    /\bshapes? .{0,80}(?:cannot be multiplied|mismatch|incompatible|must match|do(?:es)? not match|cannot be broadcast)|\bThe size of tensor \w{1,20} \(\d{1,12}\) must match/,
    /\bexpected to generate shape|halted prematurely, perhaps due to an on-device check-failure|Received incompatible devices for jitted|got mixed torch\.Tensor and DTensor|sync_global_devices name mismatch|cannot reshape array of size|[Tt]arget size .{0,80}(?:input size|different)|\b(?:Non-OK-status|Check failed): .{0,400}\b(?:INVALID_ARGUMENT|UNIMPLEMENTED|Invalid argument|Unimplemented): |[Dd]efault process group has not been initialized|mismatch between collectives|Tensors must be (?:CUDA|contiguous)|expanded size of the tensor|Boolean value of Tensor|one element tensors can be converted|match the broadcast shape|Given groups=\d|out of bounds for (?:dimension|axis)|re-initialize CUDA in forked subprocess/,
    // Gradients.
    /modified by an inplace operation|leaf Variable that requires grad|does not require grad and does not have a grad_fn|backward through the graph a second time|finished reduction in the prior iteration|marked (?:as )?ready twice|mark a variable ready only once|implicitly created only for scalar outputs/,
    // Devices and types of numbers.
    /Expected all tensors to be on the same device|expected scalar type \w{1,20} but (?:found|got)|Input type \(.{1,80}\) and (?:weight|bias) type|must have the same dtype|Error: "\w{1,80}" not implemented for '/,
    // What cannot be traced or compiled.
    /\b(?:TracerBoolConversionError|TracerArrayConversionError|TracerIntegerConversionError|ConcretizationTypeError|UnexpectedTracerError|NonConcreteBooleanIndexError)\b|not a valid JAX type|\btorch\._(?:dynamo|inductor)\.exc\.|(?:Xla|Jax)RuntimeError: (?:UNIMPLEMENTED|INVALID_ARGUMENT): |Mosaic failed to compile|\btriton\.compiler\.errors\.\w{1,40}Error/,
    // Calls and values.
    /^(?:TypeError|ValueError|AttributeError|ZeroDivisionError|RecursionError|_?pickle\.PicklingError): .{0,160}(?:got an unexpected keyword argument|missing \d{1,2} required (?:positional|keyword-only) argument|positional arguments? but \d|got multiple values for|object is not (?:callable|subscriptable|iterable)|unsupported operand type|unhashable type|not enough values to unpack|too many values to unpack|[Cc]an(?:no|')t pickle|maximum recursion depth|division by zero)/,
    // Activations that are computed again, which are called checkpoints too.
    /\btorch\.utils\.checkpoint(?::|\.Checkpoint)/,
    /Cuda failure (?:\d{1,4} )?'(?:an illegal memory access|misaligned address|device-side assert)/,
    /\b_?LinAlgError: /,
    // Kernels.
    /\bpanicked at .{1,200}\.rs:\d|CUDA error: (?:an illegal memory access|misaligned address|device-side assert)|CUDA_ERROR_(?:ILLEGAL_ADDRESS|MISALIGNED_ADDRESS|ASSERT)|cudaError(?:IllegalAddress|MisalignedAddress|InvalidPc|Assert|InvalidValue|InvalidConfiguration|InvalidResourceHandle|LaunchOutOfResources)\b|out of resource: shared memory|Triton Error \[CUDA\]/,
  ]),
  ...rows('cause', 'code-other', 'low', [
    // What the driver tells of a program that reads where it may not: the machine is well.
    /\bXid ?\(?[^)\n]{0,40}\)?:? ?(?:13|31|43)\b/,
    /\bCUDA (?:driver )?error: (?:invalid (?:configuration argument|argument|value|resource handle|device pointer|device context|pitch|address space|program counter|memcpy direction)|named symbol not found|too many resources requested|operation (?:not permitted when stream is capturing|would make the)|the requested functionality)|unspecified launch failure|cudaErrorLaunchFailure|CUDA_ERROR_LAUNCH_FAILED|hipErrorLaunchFailure|(?:CUBLAS|CUDNN|CUSPARSE|CUSOLVER|CUFFT)_STATUS_(?:EXECUTION_FAILED|INTERNAL_ERROR|MAPPING_ERROR|INVALID_VALUE|BAD_PARAM|NOT_SUPPORTED|ARCH_MISMATCH)|the GPU program failed to execute/,
  ]),
  ...rows('cause', 'unknown', 'low', [
    // A process that died of itself, and not of the connections that the others lost; nobody can say of what.
    /[Ss]egmentation fault|\bSIGSEGV\b|exitcode ?: ?-11\b|return code = -11\b|Process received signal \*|double free or corruption|stack smashing detected|\b(?:free|malloc)\(\): (?:invalid|corrupted)|exit(?:ed)?(?: with)? code 139\b/,
  ]),
  ...rows('hint', 'code-other', 'low', [
    // Whatever goes wrong below the runtime is told so.
    /(?:Xla|Jax)RuntimeError: INTERNAL: |\bNCCL operation .{1,400} failed: invalid (?:usage|argument)/,
    // A program that compares what it computed itself.
    /\bCheck failed: .{1,300} \(.{1,80} vs\. .{1,80}\)/,
  ]),
];

/** Of a line that no other row knows and no traceback holds: the name of an exception alone, so nobody can say where it stands. */
export const BARE_ROWS: readonly Row[] = [
  ...rows('hint', 'code-other', 'low', [
    /^(?:Runtime|Value|Type|Index|Assertion|NotImplemented)Error: .{0,200}\b(?:[Tt]ensors?|dtypes?|strides?|broadcast\w{0,4}|matmul|autograd)\b/,
    /^(?:NameError|UnboundLocalError|SyntaxError|IndentationError): \S|^AttributeError: '\w{1,80}' object has no attribute |^TypeError: \S/,
  ]),
  ...rows('hint', 'dependency', 'low', [
    /^(?:ModuleNotFoundError: No module named |ImportError: cannot import name |AttributeError: module '[\w.]{1,120}' has no attribute )/,
  ]),
  ...rows('hint', 'storage', 'low', [/^FileNotFoundError: .{0,200}(?:checkpoint|ckpt)/]),
  ...rows('hint', 'config', 'low', [/^(?:FileNotFoundError|NotADirectoryError|IsADirectoryError): \S/]),
];

/**
 * Lines that the watch reports while the job runs. The diagnosis does not ask these rows: it reads the traceback around such
 * a line, or what stands before it.
 */
export const REPORTED_ROWS: readonly Row[] = [
  ...rows('hint', 'oom-hbm', 'low', [named('resource-exhausted', /RESOURCE_EXHAUSTED:/)]),
  ...rows('hint', 'unknown', 'low', [
    named('python-aborted', /Fatal Python error: Aborted/),
    // absl's LOG(FATAL) is known by its prefix; its words change from version to version.
    named('absl-fatal', /^F20\d{6} \d\d:/),
    named('length-error', /std::length_error: basic_string::_M_create/),
  ]),
  ...rows('hint', 'code-other', 'low', [
    named('name-error', /^NameError: /),
    named('import-error', /^(?:ImportError|ModuleNotFoundError): /),
    named('syntax-error', /^(?:SyntaxError|IndentationError): /),
    named('key-error', /^KeyError: /),
  ]),
];
