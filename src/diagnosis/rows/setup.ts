/** Rights, versions and settings: what the same job would meet again. */

import { named, type Row, rows } from '../row.ts';

/** Messages of the Hugging Face hub, W&B, the clouds, pip, uv, conda, the dynamic linker, argparse, Hydra, DeepSpeed and Megatron. */
export const SETUP_ROWS: readonly Row[] = [
  ...rows('cause', 'dependency', 'high', [
    /\b[Uu]nable to determine .{0,40}[Vv]ersion\b|\bnvcc\b.{0,20}not found|\bor newer is required\b/,
    // What is compiled while it trains, with what the image has.
    /\bcannot find -l\w|\bcollect2: error: ld returned|\bMismatched PJRT plugin\b|\bNo execution plans support the graph\b|CalledProcessError: Command '\['\/\S{1,120}\/(?:gcc|g\+\+|cc|c\+\+|clang|nvcc)'/,
    // A shell that finds no program.
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
  ...rows('cause', 'config', 'high', [
    /missing in config\b|[Cc]onfig validation error|\bUnknown (?:scheduler|optimizer|model|activation|loss|attention|precision|strategy|backend)\b|error: one of the arguments .{0,80} is required/,
    // A grammar that reads what was given on the command line.
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
  ...rows('cause', 'auth', 'high', [
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
  ...rows('cause', 'dependency', 'medium', [
    /Unable to load (?:the )?\S{1,40} library|CUDA_HOME\b.{0,60}(?:not exist|not set)|CUDAMismatchException|MissingCUDAException|Unable to JIT load|fatal error: \S{1,160}: No such file|ninja: build stopped|error: command '\S{1,160}' failed|\bwas built against\b.{0,20}version|No PTX compilation provider|libdevice not found|compiled without (?:GPU|CUDA) support|CUDA Setup failed|working triton installation|device kernel image is invalid|Failed to import \S{1,160} because of the following error|DNN library initialization failed/,
    /exec format error|[Cc]ould not create (?:cudnn|cublas) handle|No registered implementation for|Failed to load PTX|invalid device function|hipErrorNoBinaryForGpu|instantiate the backend tokenizer|Dataset scripts are no longer supported|Weights only load failed|\b(?:libtpu|NCCL|CUDA|cuDNN)\b.{0,60} version mismatch/,
    // What a newer version no longer has.
    /^(?:[\w.]{0,120}\.)?\w{0,60}Error: .{0,200}\b(?:was removed in|has been removed|is now removed|deprecated since version|no longer (?:exists|available|supported) (?:in|since|from))\b/,
    /Failed to (?:set ?up|install|create) (?:the )?runtime env|RuntimeEnvSetupError|runtime_env .{0,60}fail/i,
  ]),
  ...rows('cause', 'config', 'medium', [
    /invalid device ordinal|Duplicate GPU detected|peer access is not supported|execve\(\): .{1,300}: No such file|can't open file '.{1,300}': \[Errno 2\]|server socket has failed to (?:listen|bind)/,
    // Limits of the system, and what a tracker keeps.
    /Too many open files|\[Errno 24\]|received 0 items of ancdata|can't start new thread|Thread creation failed|pthread_create failed|previously created and deleted|\bOfflineModeIsEnabled\b|sbatch: error: Unable to open|\bsrun: fatal: /,
    /\b(?:layer|module)s? .{0,120}(?:to wrap|not found) in the (?:base )?model|value from checkpoint .{0,80}not equal|checkpoint ?value .{0,120} do(?:es)? not match|Unrecognized (?:model in|configuration class)|(?:option|argument|set|pass|use) [`'"]?trust_remote_code=True|does not support Flash|conditioned on metric .{0,120}not available|not compatible with the stored shape|checkpoint contains only the model|Asking to pad but the tokenizer/,
    /address already in use|\bEADDRINUSE\b|\[Errno 98\]/i,
    /is not a valid (?:model identifier|JSON file|choice|value)|(?:does not appear to have a file named|is not a local folder)|Can't load (?:the )?(?:config|tokenizer|model) for|\b(?:RepositoryNotFoundError|EntryNotFoundError|RevisionNotFoundError)\b/,
  ]),
  ...rows('cause', 'config', 'low', [
    // What a tracker does not have, or not for whoever asks.
    /CommError: .{0,200}(?:[Nn]ot find|not found|\b404\b)/,
  ]),
  ...rows('cause', 'auth', 'medium', [/\[Errno 13\] Permission denied|: Permission denied$/]),
  ...rows('effect', 'config', 'low', [/\bncclInvalidUsage\b/]),
  ...rows('hint', 'config', 'low', [
    /^(?:[\w.]{0,120}\.)?(?:argparse\.ArgumentError|ArgumentTypeError|UsageError)\b/,
  ]),
];

/** What a program says of a setting that it checks: asked behind whatever is more to the point. */
export const SETTING_ROWS: readonly Row[] = [
  ...rows('cause', 'config', 'medium', [
    /^(?:[\w.]{0,120}\.)?(?:ValueError|AssertionError|NotImplementedError|RuntimeError|\w{0,60}ConfigError): .{0,240}(?:\b(?:must|should) be (?:one of|set|specified|provided|positive|greater|at least|between|a (?:vector|power|multiple|list)|in [[({])|can only be (?:used|enabled|set) (?:with|when|if|on)|mutually exclusive|[Pp]lease (?:set|specify|provide|use|check|install|make sure)|(?:only|not) supported (?:with|when|for|by|in)|requires? (?:a GPU|compute capability|`?\w{1,60}`? (?:to be )?set))/,
  ]),
  ...rows('cause', 'config', 'low', [
    /^(?:Value|Assertion|NotImplemented|Runtime)Error: .{0,160}\b(?:(?:not |in)compatible with\b|is not set\b|not (?:been )?(?:specified|provided)\b|does not (?:exist|recognize)\b|[Cc]ould not (?:be found|find)\b.{0,80} in the model\b|can(?:not|'t) be (?:used|combined|specified|enabled)\b|(?:doesn't|do not|does not|don't|not yet) support\b|[Yy]ou (?:must|need to|have to|passed|specified|can't|cannot)\b)/,
  ]),
];
