/** The complete table that maps log text to a failure class, in order of precedence. */

import type { FailureClass } from '../domain/failure-class.ts';
import { LOSS_NOT_FINITE } from '../domain/failure-class.ts';
import type { PlainLine } from './line-prefixes.ts';
import { buildRows, CLUSTER_ROWS, MEMORY_ROWS, named, type Row, SETTING_ROWS, SETUP_ROWS } from './row.ts';

/** These rows also match a truncated log, where the exception appears without its traceback. */
const CODE_ROWS: readonly Row[] = [
  ...buildRows('cause', 'code-other', 'medium', [
    // Shapes.
    /Error: .{0,200}(?:[Ii]ncompatible shapes|Dimension out of range|dot_general requires|einsum subscripts|is invalid for input of size|view size is not compatible|expected to have (?:the )?same (?:shape|size|dtype|device)|could not be broadcast together|present in both specs with different sizes|Sizes of tensors must match)/,
    /\bshapes? .{0,80}(?:cannot be multiplied|mismatch|incompatible|must match|do(?:es)? not match|cannot be broadcast)|\bThe size of tensor \w{1,20} \(\d{1,12}\) must match/,
    /\bexpected to generate shape|halted prematurely, perhaps due to an on-device check-failure|Received incompatible devices for jitted|got mixed torch\.Tensor and DTensor|sync_global_devices name mismatch|cannot reshape array of size|[Tt]arget size .{0,80}(?:input size|different)|\b(?:Non-OK-status|Check failed): .{0,400}\b(?:INVALID_ARGUMENT|UNIMPLEMENTED|Invalid argument|Unimplemented): |[Dd]efault process group has not been initialized|mismatch between collectives|Tensors must be (?:CUDA|contiguous)|expanded size of the tensor|Boolean value of Tensor|one element tensors can be converted|match the broadcast shape|Given groups=\d|out of bounds for (?:dimension|axis)|re-initialize CUDA in forked subprocess/,
    // Gradients.
    /modified by an inplace operation|leaf Variable that requires grad|does not require grad and does not have a grad_fn|backward through the graph a second time|finished reduction in the prior iteration|marked (?:as )?ready twice|mark a variable ready only once|implicitly created only for scalar outputs/,
    // Devices and dtypes.
    /Expected all tensors to be on the same device|expected scalar type \w{1,20} but (?:found|got)|Input type \(.{1,80}\) and (?:weight|bias) type|must have the same dtype|Error: "\w{1,80}" not implemented for '/,
    // Code that cannot be traced or compiled.
    /\b(?:TracerBoolConversionError|TracerArrayConversionError|TracerIntegerConversionError|ConcretizationTypeError|UnexpectedTracerError|NonConcreteBooleanIndexError)\b|not a valid JAX type|\btorch\._(?:dynamo|inductor)\.exc\.|(?:Xla|Jax)RuntimeError: (?:UNIMPLEMENTED|INVALID_ARGUMENT): |Mosaic failed to compile|\btriton\.compiler\.errors\.\w{1,40}Error/,
    // Calls and values.
    /^(?:TypeError|ValueError|AttributeError|ZeroDivisionError|RecursionError|_?pickle\.PicklingError): .{0,160}(?:got an unexpected keyword argument|missing \d{1,2} required (?:positional|keyword-only) argument|positional arguments? but \d|got multiple values for|object is not (?:callable|subscriptable|iterable)|unsupported operand type|unhashable type|not enough values to unpack|too many values to unpack|[Cc]an(?:no|')t pickle|maximum recursion depth|division by zero)/,
    // Activation recomputation, which PyTorch also calls checkpointing.
    /\btorch\.utils\.checkpoint(?::|\.Checkpoint)/,
    /Cuda failure (?:\d{1,4} )?'(?:an illegal memory access|misaligned address|device-side assert)/,
    /\b_?LinAlgError: /,
    // Kernels.
    /\bpanicked at .{1,200}\.rs:\d|CUDA error: (?:an illegal memory access|misaligned address|device-side assert)|CUDA_ERROR_(?:ILLEGAL_ADDRESS|MISALIGNED_ADDRESS|ASSERT)|cudaError(?:IllegalAddress|MisalignedAddress|InvalidPc|Assert|InvalidValue|InvalidConfiguration|InvalidResourceHandle|LaunchOutOfResources)\b|out of resource: shared memory|Triton Error \[CUDA\]/,
  ]),
  ...buildRows('cause', 'code-other', 'low', [
    // The driver reports an illegal access by the program. The hardware is healthy.
    /\bXid ?\(?[^)\n]{0,40}\)?:? ?(?:13|31|43)\b/,
    /\bCUDA (?:driver )?error: (?:invalid (?:configuration argument|argument|value|resource handle|device pointer|device context|pitch|address space|program counter|memcpy direction)|named symbol not found|too many resources requested|operation (?:not permitted when stream is capturing|would make the)|the requested functionality)|unspecified launch failure|cudaErrorLaunchFailure|CUDA_ERROR_LAUNCH_FAILED|hipErrorLaunchFailure|(?:CUBLAS|CUDNN|CUSPARSE|CUSOLVER|CUFFT)_STATUS_(?:EXECUTION_FAILED|INTERNAL_ERROR|MAPPING_ERROR|INVALID_VALUE|BAD_PARAM|NOT_SUPPORTED|ARCH_MISMATCH)|the GPU program failed to execute/,
  ]),
  ...buildRows('cause', 'unknown', 'low', [
    // The process crashed by itself, before the others lost their connections. The log does not show why.
    /[Ss]egmentation fault|\bSIGSEGV\b|exitcode ?: ?-11\b|return code = -11\b|Process received signal \*|double free or corruption|stack smashing detected|\b(?:free|malloc)\(\): (?:invalid|corrupted)|exit(?:ed)?(?: with)? code 139\b/,
  ]),
  ...buildRows('hint', 'code-other', 'low', [
    // The runtime reports any failure below it this way.
    /(?:Xla|Jax)RuntimeError: INTERNAL: |\bNCCL operation .{1,400} failed: invalid (?:usage|argument)/,
    // The program compared its own results.
    /\bCheck failed: .{1,300} \(.{1,80} vs\. .{1,80}\)/,
  ]),
];

/** For lines that no other row matches and no traceback contains. Only the exception's name is known, not where it was raised. */
const BARE_ROWS: readonly Row[] = [
  ...buildRows('hint', 'code-other', 'low', [
    /^(?:Runtime|Value|Type|Index|Assertion|NotImplemented)Error: .{0,200}\b(?:[Tt]ensors?|dtypes?|strides?|broadcast\w{0,4}|matmul|autograd)\b/,
    /^(?:NameError|UnboundLocalError|SyntaxError|IndentationError): \S|^AttributeError: '\w{1,80}' object has no attribute |^TypeError: \S/,
  ]),
  ...buildRows('hint', 'dependency', 'low', [
    /^(?:ModuleNotFoundError: No module named |ImportError: cannot import name |AttributeError: module '[\w.]{1,120}' has no attribute )/,
  ]),
  ...buildRows('hint', 'storage', 'low', [/^FileNotFoundError: .{0,200}(?:checkpoint|ckpt)/]),
  ...buildRows('hint', 'config', 'low', [/^(?:FileNotFoundError|NotADirectoryError|IsADirectoryError): \S/]),
];

/**
 * Lines that the watch reports while the job runs. The diagnosis skips these rows: it reads the traceback around such a line, or the lines
 * before it.
 */
const REPORTED_ROWS: readonly Row[] = [
  ...buildRows('hint', 'oom-hbm', 'low', [named('resource-exhausted', /RESOURCE_EXHAUSTED:/)]),
  ...buildRows('hint', 'unknown', 'low', [
    named('python-aborted', /Fatal Python error: Aborted/),
    // Match absl's LOG(FATAL) by its prefix; its wording changes between versions.
    named('absl-fatal', /^F20\d{6} \d\d:/),
    named('length-error', /std::length_error: basic_string::_M_create/),
  ]),
  ...buildRows('hint', 'code-other', 'low', [
    named('name-error', /^NameError: /),
    named('import-error', /^(?:ImportError|ModuleNotFoundError): /),
    named('syntax-error', /^(?:SyntaxError|IndentationError): /),
    named('key-error', /^KeyError: /),
  ]),
];

/** Messages of the NVIDIA driver (Xid), CUDA, NVML, NCCL, libtpu, AMD and JAX. */
const NODE_ROWS: readonly Row[] = [
  ...buildRows('cause', 'bad-node', 'high', [
    /Critical Xid|couldn't communicate with the NVIDIA driver|\bNVLink error\b|\bAER: Uncorrected \(Fatal\)/,
    /\bNRT_(?:EXEC_HW_ERR|FAILURE|HW_ERROR|UNINITIALIZED)|nrt_init.{0,40}(?:fail|[Uu]nable)(?!.{0,60}[Vv]ersion)|SLICE_FAILURE_\w|[Uu]ncorrectable (?:HBM|SRAM|DRAM|memory)|(?:HBM|SRAM|DRAM) uncorrectable/,
    /\bICI (?:link|network).{0,60}(?:fault|down|error|fail)|hosts? (?:is |are )?unhealthy/i,
    // A coordinator that checks all hosts names the bad one.
    /\blikely caused by (?:a |the )?bad (?:TPU|GPU|chip|host|node)/,
    named('no-accelerator', /No accelerator found\. Please run on a TPU or GPU/),
    named('driver-cleanup', /Failed to cleanup driver after error: INTERNAL: FAILED_PRECONDITION/),
    // Any file or mount can be busy; only an accelerator, or a line without a file, points to the node.
    named(
      'device-busy',
      /(?:\/dev\/(?:vfio|accel|nvidia|kfd)|iommu|TPU|nvidia|CUDA|GPU).{0,200}Device or resource busy|Device or resource busy.{0,200}(?:\/dev\/(?:vfio|accel|nvidia|kfd)|iommu|TPU|nvidia|CUDA|GPU)|^[^/']{0,400}Device or resource busy(?: \[repeated .{1,60}\])?$/,
    ),
    /The TPU is already in use by (?:another )?process/,
    /^(?!.*(?:invalid\b|expected \d|\bversion\b|too old|waiting for|SliceBuilder|\bgrpc\b|unable to (?:load|find)|not (?:found|in the list)|NOT_FOUND|mismatched|cannot open shared object)).*(?:Unable to initialize backend '(?:tpu|cuda|rocm)'|TPU initialization failed)/i,
    /TPU (?:driver .{0,40}(?:fail|crash)|.{0,40}is (?:unhealthy|in a bad state))|Failed to (?:get global|initialize) TPU/i,
    named('xid-link-down', /Xid (?:149 NETIR_LINK_DOWN|145\b)/),
    /\bNVRM: Xid(?! \([^)]{0,40}\): (?:13|31|43|45)\b)|\bSXid\b.{0,80}[Ff]atal|\bXid ?\(?[^)\n]{0,40}\)?:? ?(?:48|61|62|63|64|74|79|92|94|95|119|120|145|149|154)\b/,
    /RmInitAdapter failed|rm_init_adapter failed|nvidia-container-cli(?:\.real)?: .{0,60}(?:nvml|driver|device)\b.{0,12} (?:error|not)|NVRM: .{0,80}probe routine failed/,
    /GPU (?:has fallen off the bus|is lost|requires? (?:a )?reset)|fallen off the bus/i,
    named('nvlink-uncorrectable', /CUDA_ERROR_NVLINK_UNCORRECTABLE/),
    named('cuda-contained', /CUDA_ERROR_CONTAINED/),
    named('cuda-illegal-instruction', /CUDA_ERROR_ILLEGAL_INSTRUCTION/),
    /uncorrectable (?:ECC|NVLink)|CUDA_ERROR_(?:ECC_UNCORRECTABLE|HARDWARE_STACK_ERROR|UNCORRECTABLE)|double[- ]bit ECC/i,
    /CUDA_ERROR_(?:NOT_INITIALIZED|NO_DEVICE|DEVICE_UNAVAILABLE|SYSTEM_NOT_READY|UNKNOWN)\b|cudaError(?:DevicesUnavailable|ECCUncorrectable|NvlinkUncorrectable|HardwareStackError|IllegalInstruction|Contained|SystemNotReady)\b/,
    /CUDA-capable devices?(?:\(s\))? (?:is\/are|are) busy or unavailable|no CUDA-capable device is detected/i,
    /CUDA unknown error - this may be due to an incorrectly set up environment/,
    /Failed to initialize NVML|Driver\/library version mismatch|Unable to determine the device handle for (?:gpu|GPU)/,
    /system not yet initialized|fabric ?manager.{0,60}(?:not running|fail|error)|NVSwitch.{0,60}(?:error|fail)/i,
    /(?:hardware|GPU|device|accelerator|node) health ?check (?:has )?failed|\bDCGM\b.{0,60}\bfailed|pending page retirements?|\bdraining node\b(?!.{0,120}(?:preempt|spot\b))|node (?:is )?(?:drained|marked (?:bad|unhealthy))/i,
    // From AMD and Habana.
    /\bHW Exception by GPU\b|[Uu]ncorrectable hardware errors?\b|\bDevice is NOT usable\b/,
    // Fewer devices than the machine should have.
    /\bdevice_count\(\) ?={1,2} ?\d{1,3}, (?:but )?expected \d|\blspci .{0,60}\(?rev ff\b/,
    /\bno healthy devices|cannot allocate unhealthy devices/,
    /Machine ?Check ?Exception|mce: \[Hardware Error\]|Hardware Error\]/,
  ]),
  ...buildRows('cause', 'bad-node', 'medium', [
    // Our engine writes this about its wrapper: the wrapper's last line is missing only if the whole container was killed.
    /^the container of instance \d{1,12} ended without the wrapper's last word/,
    /No CUDA GPUs are available|No HIP GPUs are available|CUDA (?:driver )?error: (?:initialization error|unknown error|hardware)/,
    /row[- ]remapp(?:ing|er).{0,40}(?:fail|pending)|Thermal(?: slowdown|Throttle)|HW (?:Thermal )?Slowdown/i,
    /amdgpu.{0,80}(?:ring .{0,40}timeout|GPU reset|hang)|HSA_STATUS_ERROR_(?:OUT_OF_RESOURCES|EXCEPTION|INVALID_AGENT)|Memory access fault by GPU node/i,
    /all pending programs will fail|FATAL ERROR !{1,8} for \[\/dev\/|Error Interrupt! fatal: true|(?:[Cc]ouldn't|[Cc]ould not|[Uu]nable to|[Ff]ailed to|[Cc]annot) open (?:device|\/dev\/)|\bopen\(\/dev\/(?:accel|vfio|nvidia)/,
    // Excludes halts that may come from a check in the program itself.
    /^(?!.*\bon-device check-failure\b).*(?:\b[Cc]ore halted\b|\b[Hh]alt is unexpected|\bhalted (?:prematurely|unexpectedly))/,
    /\bNVMLError|Cuda failure (?:\d{1,4} )?'(?:unknown|initialization) error'/,
    /could not select device driver|torch\.cuda\.is_available\(\) is False|Found no NVIDIA driver on your system|No supported gpu backend found/,
  ]),
  ...buildRows('cause', 'bad-node', 'low', [/CUDA error: an illegal instruction was encountered/]),
];

/** Messages of POSIX, gcsfuse, Lustre, S3, GCS, tensorstore, Orbax and PyTorch's files. */
const STORAGE_ROWS: readonly Row[] = [
  ...buildRows('cause', 'storage', 'high', [
    /\bdisk quota exceeded|\[Errno 27\]|HDF5ExtError/,
    named('disk-full', /\[Errno 28\] No space left on device/),
    /[Nn]o space left on device|had condition: \[DiskPressure|Disk quota exceeded|\[Errno (?:28|122)\]|\bENOSPC\b|\bEDQUOT\b/,
    /Stale (?:NFS )?file handle|No locks available|Structure needs cleaning|Remote I\/O error|Input\/output error|Read-only file system|Directory not empty|\[Errno (?:5|30|37|39|74|107|108|116|117|121)\]|\bEIO\b/,
    // Mounts and sockets both report this error; lines with NCCL are about a socket.
    /^(?!.*\bNCCL\b).*\bTransport endpoint is not connected/,
    /\bOutOfDiskError\b/,
    /The node was low on resource: (?:ephemeral-storage|nodefs|imagefs)|disk (?:is )?full|over disk quota/i,
    /PytorchStream(?:Reader|Writer) failed|failed finding central directory|file in archive is not in a subdirectory|unexpected (?:pos|EOF),? .{0,40}(?:expected|corrupt)|inline_container\.cc/,
    /DataLossError\b.{0,60}: Checksum does not match|RestoreV2\b.{0,200}(?:Checksum|checksum)/,
    /SafetensorError|(?:HeaderTooLarge|InvalidHeaderDeserialization|MetadataIncompleteBuffer)\b/,
    /[Cc]heckpoint\b(?!.{0,60}\bgrace (?:period|time)).{0,100}(?:corrupt|incomplete|truncated|damaged|checksum|partially written|could not be (?:read|written|saved))/,
    /An error occurred \((?:5\d\d|InternalError|ServiceUnavailable|RequestTimeout|Throttling\w{0,20})\) when calling|Request failed with status code', 5\d\d|Slow ?Down\b|Please reduce your request rate|RequestTimeTooSkewed|InternalError.{0,40}(?:S3|GCS|storage)|rateLimitExceeded.{0,60}(?:object|storage)|The rate of change requests to the object/,
    /(?:storage\.googleapis\.com|\.s3[.-][\w.-]{0,60}amazonaws\.com|blob\.core\.windows\.net|gs:\/\/|s3:\/\/).{0,200}\b(?:500|502|503|504|429|[Rr]esponse code:? (?!40[13])\d{3}|ServiceUnavailable|Service Unavailable|InternalError|timed? ?out|Deadline Exceeded)\b/i,
    /\b(?:429|50\d) (?:GET|PUT|POST|HEAD|PATCH|DELETE) https?:\/\/storage\.googleapis\b/,
    /[Rr]esponse code:? (?:4(?!0[13])\d\d|5\d\d)\b.{0,120}\b(?:gs|s3|gcs|az|r2):\/\//,
    /NoSuchBucket|The specified bucket does not exist|BlobNotFound|NoSuchKey|No such object: |\b404 (?:GET|POST) https:\/\/storage\.googleapis/,
    /tensorstore.{0,160}(?:DATA_LOSS|Error (?:reading|writing)|UNAVAILABLE|ABORTED)|DATA_LOSS: (?!.{0,80}\b(?:record|shard)s?\b)|Error (?:reading|writing) .{1,300}\b(?:OCDBT|tensorstore|GCS bucket)\b|Error (?:opening|reading|writing) "(?:[^"]{1,200})?(?:zarr|ocdbt|\.zarray|manifest)/,
  ]),
  ...buildRows('cause', 'storage', 'medium', [
    /(?:gcsfuse|s3fs|goofys|lustre|beegfs|weka|ceph)[^\n]{0,100}(?:error|fail|not mounted|timed? ?out|evict)/i,
    /pickle data was truncated|UnpicklingError: (?:invalid load key|unpickling stack underflow)|EOFError: Ran out of input/,
    /[Cc]orrupt(?:ed)? checkpoint\b|[Cc]heckpoint (?:save|saving|write|writing|upload|restore|load|loading|commit)\b.{0,20} failed|(?:[Ff]ailed|[Ee]rror|[Uu]nable) (?:to |while |when )?(?:sav|writ|upload|restor|load|read|download)(?:e|ing)? .{0,60}checkpoint/,
    /\b[Ff]ailed to download \w{1,8}:\/\/|\btook too long to download\b|Error executing an HTTP request: HTTP response code 5\d\d/,
    // An incomplete write of a file.
    /\bOP_REQUIRES failed at (?:save|restore)|\bwrite error\b|\bshort write\b|\bwrote \d{1,20} .{0,20}instead of \d|\bwrite\(\): fd \d{1,9} failed|file write failed|^RuntimeError: File \S{1,300} cannot be opened|\b(?:save|saving|upload|write) failed \d{1,4} times/,
    /^(?:[\w.]{0,120}\.)?\w{0,60}(?:Error|Exception): .{0,80}(?:\bfind (?:a |any |the )?(?:\w{1,20} )?checkpoint|\b[Nn]o (?:\w{1,20} )?checkpoints? (?:was |were |is |are |has been )?(?:found|exists?|present|available|in\b))/,
    // TensorFlow's op names for writing and reading checkpoints.
    /\bnode \S{0,80}(?:SaveV2|RestoreV2|MergeV2Checkpoints)/,
    /\bOSError: .{0,80}(?:while (?:reading|writing)|failed to (?:write|flush|fsync))/i,
  ]),
  ...buildRows('effect', 'storage', 'medium', [/(?:[Ff]ailed to|[Cc]annot|could not) (?:mount|unmount) /]),
  ...buildRows('effect', 'storage', 'low', [
    // Exceptions of the storage client libraries, with any message.
    /\b(?:azure\.(?:core|storage)|google\.(?:cloud\.storage|resumable_media)|botocore(?!\.exceptions\.(?:Connect|Endpoint|Read|HTTPClient))|s3fs|gcsfs)\.[\w.]{0,60}(?:Error|Exception|InvalidResponse)\b|ResumableUpload\w{0,20}Exception/,
  ]),
];

/** Messages of NCCL, Gloo, MPI, gRPC, HTTP clients and sockets. */
const TRANSPORT_ROWS: readonly Row[] = [
  ...buildRows('cause', 'network', 'high', [
    /EndpointConnectionError|Could not connect to the endpoint|(?:Connect|Read) timeout on endpoint|\bCouldn't reach '?[\w./-]{1,120}'? on the Hub|NameResolutionError/,
    /Temporary failure in name resolution|Name or service not known|getaddrinfo failed|nodename nor servname provided|Could not resolve host/,
    /\bUCX +ERROR\b|[Dd]estination is unreachable|Unreachable remote/,
    /Network is (?:unreachable|down)|No route to host|Host is down|\[Errno (?:100|101|102|112|113)\]/,
    /Got async event ?: ?(?:port|link|device) error|\bIB\b.{0,60}(?:Got completion .{0,60}error|link (?:is )?down)|ibv_(?:poll_cq|modify_qp|create_qp|reg_mr)\b.{0,80}(?:fail|error)|Got completion from peer .{0,80}(?:status|error)/i,
    /socket(?:Start|Poll|Final)?Connect(?:Check)?:? ?.{0,20}(?:Connect to|connect to|exceeded|failed)/,
    // The service kept answering with 5xx.
    /\btoo many 5\d\d error responses\b/,
  ]),
  ...buildRows('cause', 'network', 'medium', [
    /\b429\b.{0,40}(?:Too Many|Client Error)|(?:had to|we|being) rate[- ]?limit/i,
    /NET\/(?:IB|OFI|Socket).{0,80}(?:fail|error|timed? ?out|unable)|\b(?:libfabric|EFA)\b.{0,60}(?:error|fail)/i,
  ]),
  ...buildRows('effect', 'network', 'medium', [
    /\bdial tcp\b.{0,80}(?:timeout|refused|no route|reset|misbehaving|no such host)|ibv_poll_cq returned status|NCCL WARN Timeout waiting|SocketException: Connection reset|\bhandshake failure\b/,
    /Unable to connect to endpoint|\boperation timed out\b|\bgloo::\w{1,40}|\bHCCL\b.{0,80}(?:[Tt]imed? ?out|fail)|Curl returned error code|StatusCode\.DEADLINE_EXCEEDED|Deadline of [\d.]{1,12}s exceeded while calling|NCCL WARN .{0,60}\b[Ss]ocket\b/,
    /[Cc]ould(?: not|n't) communicate with|[Ee]rror communicating with|Run initialization has timed out|CommError: .{0,200}(?:[Tt]imed? ?out|\b50\d\b|[Nn]etwork|[Cc]onnect)|Network error \(|NCCL communicator (?:was|is) aborted/,
    /\b[Ss]ocket [Tt]imeout\b|The client socket has timed out after|client socket has failed to connect|failed to connect to \(?\[?[\w.:-]{1,120}/i,
    /ncclRemoteError|ncclSystemError|ncclInternalError|NCCL error.{0,160}(?:unhandled system|remote|network|system error)|NCCL WARN .{0,60}(?:Call to (?:connect|recv|send|bind)|Connect(?:ion)? .{0,40}(?:fail|refused|closed|reset))/i,
    /remote process exited or there was a network error|Connection closed by (?:remote )?peer|Connection closed by \[|Connection reset by peer|\bECONNRESET\b/i,
    /[Cc]ould(?: not|n't) connect to '?https?:|[Cc]heck (?:your|the) (?:internet |network )?connection|[Cc]heckout your internet connection|[Ss]erver [Dd]isconnected/,
    /botocore\.exceptions\.(?:Connect|Endpoint|Read|HTTPClient)\w{0,40}Error|RendezvousConnectionError|[Cc]onnection to the C10d store has failed/,
    // Exception classes of aiohttp, httpx, requests and fsspec.
    /^(?:[\w.]{0,120}\.)?(?:FSTimeoutError|ServerTimeoutError|SocketTimeoutError|ConnectionTimeoutError|ClientPayloadError|ClientOSError|ClientConnectionError|ClientConnectorDNSError|ConnectError|WriteTimeout|PoolTimeout|RemoteProtocolError|ChunkedEncodingError|LocalEntryNotFoundError)\b/,
    /^(?:[\w.]{0,120}\.)?(?:ConnectionResetError|ConnectionRefusedError|ConnectionAbortedError|BrokenPipeError|ConnectTimeout|ReadTimeout|ConnectionError|NewConnectionError|MaxRetryError|ClientConnectorError|ServerDisconnectedError|IncompleteRead|ProtocolError|RemoteDisconnected|SSLError|SSLEOFError|ProxyError)\b/,
    /Connection refused|\bECONNREFUSED\b|Connection timed out|\bETIMEDOUT\b|Read timed out|Max retries exceeded with url|EOF occurred in violation of protocol|Remote end closed connection/,
    /failed to connect to all addresses|(?:StatusCode|status)[.: =]{0,3}UNAVAILABLE|UNAVAILABLE: (?:Connection|connection|Socket|recvmsg|Broken|failed to connect|ipv[46])|too_many_pings|GOAWAY/,
    /TCPStore.{0,60}(?:recvValue|timed? ?out|fail)|store->(?:get|set|wait|add)\b.{0,60}error|Timeout waiting for key|\bwait timeout after \d|recvValue failed|sendBytes failed|Broken pipe|DistNetworkError|DistStoreError|c10d::DistBackendError/i,
    /(?:HTTP(?:Error|StatusError)?|status(?: code)?|Server Error|error)[: =]{0,3}(?:502|503|504)\b|\b500 Server Error: |(?:502 Bad Gateway|503 Service Unavailable|504 Gateway Time-?out)/i,
  ]),
  ...buildRows('hint', 'network', 'low', [
    /\bMPI_ABORT was invoked|ORTE has lost communication|btl_tcp|\bgloo\b.{0,80}(?:error|timed? ?out)/i,
  ]),
];

/** A job may keep printing a NaN loss as progress; frameworks that check the loss stop. */
const NUMBER_ROWS: readonly Row[] = [
  ...buildRows('cause', 'nan', 'high', [
    named(LOSS_NOT_FINITE, /Progress on:train [^P]*\b[Ll]oss=[+-]?(?:[Nn][Aa][Nn]|[Ii]nf)/),
    /(?:grad(?:ient)?[ _]?norm is (?:nan|inf)|\b(?:nan|inf)s? (?:encountered|detected|found) (?:in|at)\b|\bdetected (?:nan|inf)s? (?:in|at)\b)(?!.{0,60}(?:skip|ignor))/i,
    /\bloss +(?:nan|-?inf)\b/i,
    /\b(?:train[_/ ]?|lm[_/ ]?|total[_/ ]?|step[_/ ]?)?loss['"]?(?: value)?\s{0,3}[:=|]\s{0,12}(?:tensor\()?['"]?[-+]?(?:nan|inf(?:inity)?)\b/i,
    // Names of one loss among several, but not of a validation loss or a stored best value.
    /(?:\b|(?<!best|min|lowest|val|valid|eval|test)_)loss(?:\/[a-z]{1,12}\/[a-z]{1,12}|\/[a-z]{1,12}|_(?:step|epoch|total|mean|avg))?['"]?\s{0,3}[:=|(]\s{0,3}(?:tensor\()?['"]?nan\b/i,
    /\bloss(?:es)? (?:went|go|turned|goes|are|tensor\() ?(?:to )?(?:nan|not finite|non-?finite)\b/i,
    /^(?:[\w.]{0,60}\.)?(?:Assertion|Runtime|Value)Error: .{0,20}\bNaNs?\b(?: in\b|!|$)/,
    /\bloss (?:is|was|became|of|contains|returned .{0,60}is) (?:an? )?(?:nan|inf(?:inite)?|not finite|non-?finite)\b/i,
    /(?:[Nn]on-?finite|NaN(?:s)?|NaN or Inf|inf or nan|nan\/inf) (?:loss|losses|grad(?:ient)?s?(?: norm)?|parameters?|weights?|values?)\b(?!.{0,60}(?:skip|ignor))/,
    /found (?:NaN|Inf)s? in (?:local )?(?:forward|grad|loss|param|activation)/i,
    /FloatingPointError: invalid value \((?:nan|inf)\)|FloatingPointError: .{0,60}(?:nan|overflow|invalid)/i,
    // The loss scale is at its minimum.
    /\bloss scale: [01](?:\.\d{1,6})?, reducing to\b|\boverflow detected, setting loss scale to: 0\.000/,
    /\bNanInfException\b|\b100(?:\.0{1,3})?% NaN\b/i,
    /number of nan iterations: {1,6}[1-9]/,
    /\bcannot convert float (?:NaN|infinity) to\b/,
    /Function '\w{1,80}' returned nan values/,
    /The loss returned in `?training_step`? is (?:nan|inf)/i,
    /Current loss scale already at minimum|Minimum loss scale reached|loss scale (?:has )?(?:reached|below) .{0,20}minimum/i,
    /(?:[Ll]oss|[Tt]raining|[Rr]un|[Mm]odel) (?:has )?(?:diverged|exploded|blew up)|[Dd]ivergence detected/,
    /(?:detected|encountered|contains?|got|produced) (?:a |an )?(?:nan|inf(?:inite)?|non-?finite)s?\b.{0,60}(?:loss|grad|activation|logit|weight|param|tensor|stop|abort|halt)/i,
    /(?:Probability|probability) tensor contains either `?inf`?, `?nan`?/,
    /to satisfy the constraint .{0,200}but found invalid values/,
  ]),
  ...buildRows('cause', 'nan', 'medium', [
    /FloatingPointError: |\bloss is probably exploding\b/,
    /jax_debug_nans|de-optimized function did not produce NaNs/,
    /grad(?:ient)?[_ /-]?norm['"]?\s{0,3}[:=|]\s{0,12}['"]?nan\b/i,
  ]),
];

/** Messages of the Hugging Face datasets library, Arrow, WebDataset, Mosaic's streaming, PIL, and codecs. */
const DATA_ROWS: readonly Row[] = [
  ...buildRows('cause', 'data', 'high', [
    // A corrupt record file, on any storage.
    /DATA_LOSS: .{0,80}\b(?:record|shard)s?\b|\bbuffer is smaller than requested size\b/,
    /pandas\.errors\.(?:ParserError|EmptyDataError)|Error tokenizing data|LZMAError|\b[Tt]oken id \d{1,12} (?:>|is (?:out|beyond|larger))|\b(?:dataset|corpus|split)\b.{0,100} (?:has|have|contains) 0 \w|libpng error|Premature end of JPEG|\bcv2\.error\b/,
    /Feature: \w{1,120} \(data type: \w{1,20}\) is required but could not be found|Can't parse serialized Example|Could not parse example input/,
    /datasets\.(?:exceptions|builder|data_files|table|arrow_dataset)[\w.]{0,60}Error|DatasetGenerationError|DataFilesNotFoundError|DatasetNotFoundError|NonMatchingSplitsSizesError|NonMatchingChecksumError|DatasetGenerationCastError|ExpectedMoreSplits/,
    /pyarrow\.lib\.Arrow(?:Invalid|IOError|TypeError|CapacityError|KeyError)|ArrowInvalid\b|Parquet magic bytes not found|Not a parquet file|Couldn't cast|Invalid parquet|Corrupt snappy|Unexpected end of stream/,
    /UnidentifiedImageError|image file is truncated|Truncated File Read|cannot identify image file|DecompressionBombError/,
    /^(?:[\w.]{0,120}\.)?(?:UnicodeDecodeError|JSONDecodeError|BadGzipFile|BadZipFile|zlib\.error|zstd(?:andard)?\.\w{0,20}Error|LZ4\w{0,20}Error)\b|Not a gzipped file|Error -3 while decompressing|\bzlib error -\d|\b[Ee]rror reading (?:a )?(?:sample|shard|record)\b|Compressed file ended before|EOFError: Compressed|invalid start byte|Expecting value: line|zstd decompress/,
    /webdataset.{0,80}(?:error|fail)|tarfile\.(?:ReadError|HeaderError|TruncatedHeaderError)|ReadError: (?:unexpected end|empty|bad checksum|not a gzip)|No samples found in dataset|No shards? found|shard .{0,100}(?:not found|missing|does not exist)/i,
    /Caught (?!\w{0,40}(?:Timeout|Connect)\w{0,40} in )(?!(?:MemoryError|OutOfMemoryError|NameError|ImportError|ModuleNotFoundError|AttributeError|OSError|PermissionError|ConnectionError|TimeoutError)\b)\w{1,60} in DataLoader worker process/,
    /(?:[Dd]ataset|[Dd]ata(?:loader| loader)?|train(?:ing)? (?:set|split)|[Cc]orpus) .{0,60}(?:is empty|has no (?:samples|examples|rows|data)|exhausted|ran out of (?:data|samples)|length (?:is )?0\b|contains no)/,
    /num_samples should be a positive integer value, but got num_samples=0|Sampler length .{0,40}0|Token id .{0,60}(?:out of|exceeds|larger|greater)|token(?:s| ids?)? .{0,60}(?:out of (?:range|vocab)|exceed(?:s)? .{0,30}vocab)|vocab(?:ulary)? size (?:mismatch|.{0,40}(?:does not match|smaller|less) )/i,
    /expected sequence of length|all input arrays must have the same shape|stack expects each tensor to be equal size|Unable to create tensor, you should probably activate truncation|Sizes of tensors must match except in dimension .{0,80}collate/,
  ]),
  ...buildRows('cause', 'data', 'medium', [
    /\b[Nn]o such shard\b|\bindex\.json not found|\b[Dd]ataset (?:was )?not found\b|\b[Ii]ndex file .{0,60}(?:format|corrupt)|\bempty batch\b/,
    /\b(?:rows?|records?|samples?|examples?)\b.{0,60}\b(?:has|have|with) no (?:field|column|key)|\b(?:missing|no) (?:field|column)s? .{0,60}\b(?:rows?|records?|samples?|shards?)\b/i,
    /IndexError: index out of range in self/,
    /each element in list of batch|(?:[Uu]nable|[Ff]ailed) to (?:read|load|open) (?:the )?(?:dataset|training data)\b|\bTarget -?\d{1,12} is out of bounds|more than 1 value per channel when training|\b[Ff]ound (?:0|no(?: valid)?) (?:files|images|samples|records)\b|\b[Cc]olumns? .{0,120}not in the dataset/,
    /'__key__'|\b[Ss]ample index .{0,60}(?:not present|out of range|exceeds)/,
    /^(?:[\w.]{0,120}\.)?(?!EndpointConnection|Connect|ConnectionError|ReadTimeout)\w{0,60}Error: (?!.{0,40}[Cc]ould not connect).{0,200}(?:\bshard[-_.]?\d|\.(?:mds|tfrecords?|parquet|arrow|jsonl)\b)/,
    /(?:[Cc]ould not|[Uu]nable to|[Cc]annot|[Ff]ailed to) find (?:any )?(?:data|dataset|train\w{0,10}|valid\w{0,10}|shard)s?\b(?! set)/,
    // A kernel found a label or token beyond the model's range; the resulting exception comes later, at another place.
    /(?:Indexing|Loss|NLLLoss2d|Embedding|ScatterGatherKernel|IndexKernel)\w{0,20}\.cu:\d{1,6}.{0,200}Assertion `|Assertion `(?:srcIndex|t >= 0|idx_dim >= 0|index >= -sizes|target_val)/,
    /(?:corrupt(?:ed)?|truncated|malformed|damaged|invalid|bad) (?:data|record|sample|shard|example|batch|image|tar|file(?! descriptor)|row|token(?:s| id)?|index|parquet|jsonl?)\b/i,
    /(?:[Cc]hecksum|[Hh]ash|MD5|CRC) (?:mismatch|error|does not match|verification failed|failed).{0,100}(?:shard|data|record|token|file|chunk)|crc32c? .{0,30}mismatch|tfrecord.{0,60}(?:corrupt|truncat)|DataLossError: (?:corrupted|truncated) record|corrupted record at/i,
    /FileNotFoundError: (?!.{0,300}\.(?:ya?ml|toml|cfg|ini)\b).{0,200}(?:train|valid|test|data|shard|tokeniz|corpus|\.jsonl|\.parquet|\.arrow|\.bin\b|\.idx|\.tar|\.npy|\.zst)/,
  ]),
];

/** Specific rows come before general ones: the first row that matches gives a line's class. */
export const ROWS: readonly Row[] = [
  ...NUMBER_ROWS,
  ...MEMORY_ROWS,
  ...NODE_ROWS,
  ...CLUSTER_ROWS,
  ...STORAGE_ROWS,
  ...SETUP_ROWS,
  ...DATA_ROWS,
  ...TRANSPORT_ROWS,
  ...CODE_ROWS,
  ...SETTING_ROWS,
];

/** A row whose lines the watch reports while the job runs. */
export type Signature = Row & { readonly signature: string };

/**
 * Signatures of policy ML-20, ML-21 and ML-29, and messages of Marin, JAX, CUDA and Ray. A match is evidence, not a verdict: the engine's
 * terminal status takes precedence, and the word "error" by itself means nothing.
 */
export const SIGNATURES: readonly Signature[] = [...ROWS, ...REPORTED_ROWS].flatMap(({ signature, ...row }) =>
  signature === null ? [] : [{ ...row, signature }],
);

/** The signatures of one line. A logger that calls the line an error may say the telling part in its prefix. */
export function matchSignatures({ text, whole, level }: PlainLine): readonly Signature[] {
  return SIGNATURES.filter(({ pattern }) => pattern.test(text) || (level === 'error' && pattern.test(whole)));
}

/** The row with this name; null if none, since an entry of an older version may carry a removed name. */
export function findSignature(name: string): Signature | null {
  return SIGNATURES.find(({ signature }) => signature === name) ?? null;
}

/** Text in which a message lists possible causes; none of them was observed. */
const SUPPOSED_CAUSE =
  /(?:\bThis (?:can|could|may|might|usually|typically|most likely|is likely)\b|\bEither the\b|\bThere are some potential root causes|\b[Pp]ossible (?:causes?|reasons?)\b|\bIt can be also caused\b|\bmay have been\b).*/;
const WEIGHTS: readonly Row['weight'][] = ['cause', 'effect', 'hint'];

/** The row that matches a text: causes before effects before hints; null if none. */
export function findRow(text: string): Row | null {
  const said = text.replace(SUPPOSED_CAUSE, '');
  const found = ROWS.filter(({ pattern }) => pattern.test(said));
  for (const weight of WEIGHTS) {
    const first = found.find((row) => row.weight === weight);
    if (first !== undefined) return findRefusal(found, first) ?? first;
  }
  return null;
}

/** A store or service that denies access is not broken, and a temporary download failure is not corrupt data. */
function findRefusal(found: readonly Row[], { class: kind }: Row): Row | undefined {
  const told = REFUSED[kind];
  return told === undefined ? undefined : found.find((row) => row.class === told && row.weight === 'cause');
}

const REFUSED: Partial<Readonly<Record<FailureClass, FailureClass>>> = {
  storage: 'auth',
  network: 'auth',
  data: 'network',
};

/** The row for an exception name without a traceback; null if none matches. */
export function findBareRow(text: string): Row | null {
  return BARE_ROWS.find(({ pattern }) => pattern.test(text)) ?? findNamedRow(text);
}

/** A row for a package's exception if its name implies a class. */
function findNamedRow(text: string): Row | null {
  const type = NAMED.exec(text)?.[1] ?? '';
  if (type === '') return null;
  const kind = classFromTypeName(type);
  return kind === null ? null : { class: kind, weight: 'hint', confidence: 'low', pattern: NAMED, signature: null };
}

const NAMED = /^(?:[a-z_]\w{0,60}\.){1,8}([A-Z]\w{0,80}(?:Error|Exception)): /;

/** Excludes classes that are simply retried: an exception name is too little evidence for a retry. */
type Named = Exclude<FailureClass, 'network' | 'preempted' | 'stalled' | 'benign' | 'code-small'>;

/** The class that an exception's type name implies; null if none. */
export function classFromTypeName(type: string): Named | null {
  return NAMES.find(({ name }) => name.test(type))?.class ?? null;
}

/** Capitalised parts of type names, in order of precedence. */
const NAMES: readonly { readonly class: Named; readonly name: RegExp }[] = [
  { class: 'storage', name: /Checkpoint|Filesystem|FileSystem|Storage|Bucket|Blob/ },
  { class: 'data', name: /Dataset|DataLoss|Decod|Parquet|Corrupt|Shard(?!ing)|Record/ },
  { class: 'auth', name: /Auth|Credential|Permission|Forbidden|Login/ },
  { class: 'dependency', name: /Version|Dependency|Package/ },
  { class: 'code-other', name: /Shape|Tracer|D[Tt]ype|Sharding|Compil|Lowering|Kernel|Scope/ },
  { class: 'config', name: /Config|Validation|Argument|Option|Setting|Usage/ },
];
