/** One machine, its accelerators and their links. */

import { named, type Row, rows } from '../row.ts';

/** Messages of the NVIDIA driver (Xid), CUDA, NVML, NCCL, libtpu, AMD and JAX. */
export const NODE_ROWS: readonly Row[] = [
  ...rows('cause', 'bad-node', 'high', [
    /Critical Xid|couldn't communicate with the NVIDIA driver|\bNVLink error\b|\bAER: Uncorrected \(Fatal\)/,
    /\bNRT_(?:EXEC_HW_ERR|FAILURE|HW_ERROR|UNINITIALIZED)|nrt_init.{0,40}(?:fail|[Uu]nable)(?!.{0,60}[Vv]ersion)|SLICE_FAILURE_\w|[Uu]ncorrectable (?:HBM|SRAM|DRAM|memory)|(?:HBM|SRAM|DRAM) uncorrectable/,
    /\bICI (?:link|network).{0,60}(?:fault|down|error|fail)|hosts? (?:is |are )?unhealthy/i,
    // Who looks at all hosts names the one.
    /\blikely caused by (?:a |the )?bad (?:TPU|GPU|chip|host|node)/,
    named('no-accelerator', /No accelerator found\. Please run on a TPU or GPU/),
    named('driver-cleanup', /Failed to cleanup driver after error: INTERNAL: FAILED_PRECONDITION/),
    named('device-busy', /Device or resource busy/),
    /The TPU is already in use by (?:another )?process/,
    /Unable to initialize backend '(?:tpu|cuda|rocm)'(?!.{0,200}(?:Unable to (?:load|find)|not (?:found|in the list)|NOT_FOUND|Mismatched|cannot open shared object))/,
    /TPU (?:initialization failed|driver .{0,40}(?:fail|crash)|.{0,40}is (?:unhealthy|in a bad state))|Failed to (?:get global|initialize) TPU/i,
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
    // Of AMD and Habana.
    /\bHW Exception by GPU\b|[Uu]ncorrectable hardware errors?\b|\bDevice is NOT usable\b/,
    // Fewer than a machine has.
    /\bdevice_count\(\) ?={1,2} ?\d{1,3}, (?:but )?expected \d|\blspci .{0,60}\(?rev ff\b/,
    /\bno healthy devices|cannot allocate unhealthy devices/,
    /Machine ?Check ?Exception|mce: \[Hardware Error\]|Hardware Error\]/,
  ]),
  ...rows('cause', 'bad-node', 'medium', [
    // Of an engine, about what runs around the command: only who ends the whole container takes that away.
    /^the container of instance \d{1,12} ended without the wrapper's last word/,
    /No CUDA GPUs are available|No HIP GPUs are available|CUDA (?:driver )?error: (?:initialization error|unknown error|hardware)/,
    /row[- ]remapp(?:ing|er).{0,40}(?:fail|pending)|Thermal(?: slowdown|Throttle)|HW (?:Thermal )?Slowdown/i,
    /amdgpu.{0,80}(?:ring .{0,40}timeout|GPU reset|hang)|HSA_STATUS_ERROR_(?:OUT_OF_RESOURCES|EXCEPTION|INVALID_AGENT)|Memory access fault by GPU node/i,
    /all pending programs will fail|FATAL ERROR !{1,8} for \[\/dev\/|Error Interrupt! fatal: true|(?:[Cc]ouldn't|[Cc]ould not|[Uu]nable to|[Ff]ailed to|[Cc]annot) open (?:device|\/dev\/)|\bopen\(\/dev\/(?:accel|vfio|nvidia)/,
    // Unless it says that the program may have checked itself.
    /^(?!.*\bon-device check-failure\b).*(?:\b[Cc]ore halted\b|\b[Hh]alt is unexpected|\bhalted (?:prematurely|unexpectedly))/,
    /\bNVMLError|Cuda failure (?:\d{1,4} )?'(?:unknown|initialization) error'/,
    /could not select device driver|torch\.cuda\.is_available\(\) is False|Found no NVIDIA driver on your system|No supported gpu backend found/,
  ]),
  ...rows('cause', 'bad-node', 'low', [/CUDA error: an illegal instruction was encountered/]),
];
