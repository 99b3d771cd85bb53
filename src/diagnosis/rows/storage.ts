/** Disks, file systems, object stores and the checkpoints in them. */

import { named, type Row, rows } from '../row.ts';

/** Messages of POSIX, gcsfuse, Lustre, S3, GCS, tensorstore, Orbax and PyTorch's files. */
export const STORAGE_ROWS: readonly Row[] = [
  ...rows('cause', 'storage', 'high', [
    /\bdisk quota exceeded|\[Errno 27\]|HDF5ExtError/,
    named('disk-full', /\[Errno 28\] No space left on device/),
    /[Nn]o space left on device|had condition: \[DiskPressure|Disk quota exceeded|\[Errno (?:28|122)\]|\bENOSPC\b|\bEDQUOT\b/,
    /Stale (?:NFS )?file handle|No locks available|Structure needs cleaning|Remote I\/O error|Input\/output error|Read-only file system|Directory not empty|\[Errno (?:5|30|37|39|74|107|108|116|117|121)\]|\bEIO\b/,
    // Said of a mount and of a socket.
    /^(?!.*\bNCCL\b).*\bTransport endpoint is not connected/,
    /\bOutOfDiskError\b/,
    /The node was low on resource: (?:ephemeral-storage|nodefs|imagefs)|disk (?:is )?full|over disk quota/i,
    /PytorchStream(?:Reader|Writer) failed|failed finding central directory|file in archive is not in a subdirectory|unexpected (?:pos|EOF),? .{0,40}(?:expected|corrupt)|inline_container\.cc/,
    /DataLossError\b.{0,60}: Checksum does not match|RestoreV2\b.{0,200}(?:Checksum|checksum)/,
    /SafetensorError|(?:HeaderTooLarge|InvalidHeaderDeserialization|MetadataIncompleteBuffer)\b/,
    /[Cc]heckpoint\b(?!.{0,60}\bgrace (?:period|time)).{0,100}(?:corrupt|incomplete|truncated|damaged|checksum|partially written|could not be (?:read|written|saved))/,
    /An error occurred \((?:5\d\d|InternalError|ServiceUnavailable|RequestTimeout|Throttling\w{0,20})\) when calling|Request failed with status code', 5\d\d|SlowDown\b|Please reduce your request rate|RequestTimeTooSkewed|InternalError.{0,40}(?:S3|GCS|storage)|rateLimitExceeded.{0,60}(?:object|storage)|The rate of change requests to the object/,
    /(?:storage\.googleapis\.com|\.s3[.-][\w.-]{0,60}amazonaws\.com|blob\.core\.windows\.net|gs:\/\/|s3:\/\/).{0,200}\b(?:500|502|503|504|429|[Rr]esponse code:? (?!40[13])\d{3}|ServiceUnavailable|Service Unavailable|InternalError|timed? ?out|Deadline Exceeded)\b/i,
    /\b(?:429|50\d) (?:GET|PUT|POST|HEAD|PATCH|DELETE) https?:\/\/storage\.googleapis\b/,
    /[Rr]esponse code:? (?:4(?!0[13])\d\d|5\d\d)\b.{0,120}\b(?:gs|s3|gcs|az|r2):\/\//,
    /NoSuchBucket|The specified bucket does not exist|BlobNotFound|NoSuchKey|No such object: |\b404 (?:GET|POST) https:\/\/storage\.googleapis/,
    /tensorstore.{0,160}(?:DATA_LOSS|Error (?:reading|writing)|UNAVAILABLE|ABORTED)|DATA_LOSS: (?!.{0,80}\b(?:record|shard)s?\b)|Error (?:reading|writing) .{1,300}\b(?:OCDBT|tensorstore|GCS bucket)\b|Error (?:opening|reading|writing) "(?:[^"]{1,200})?(?:zarr|ocdbt|\.zarray|manifest)/,
  ]),
  ...rows('cause', 'storage', 'medium', [
    /(?:gcsfuse|s3fs|goofys|lustre|beegfs|weka|ceph)[^\n]{0,100}(?:error|fail|not mounted|timed? ?out|evict)/i,
    /pickle data was truncated|UnpicklingError: (?:invalid load key|unpickling stack underflow)|EOFError: Ran out of input/,
    /[Cc]orrupt(?:ed)? checkpoint\b|[Cc]heckpoint (?:save|saving|write|writing|upload|restore|load|loading|commit)\b.{0,20} failed|(?:[Ff]ailed|[Ee]rror|[Uu]nable) (?:to |while |when )?(?:sav|writ|upload|restor|load|read|download)(?:e|ing)? .{0,60}checkpoint/,
    /\b[Ff]ailed to download \w{1,8}:\/\/|\btook too long to download\b|Error executing an HTTP request: HTTP response code 5\d\d/,
    // A file that is not written whole.
    /\bOP_REQUIRES failed at (?:save|restore)|\bwrite error\b|\bshort write\b|\bwrote \d{1,20} .{0,20}instead of \d|\bwrite\(\): fd \d{1,9} failed|file write failed|^RuntimeError: File \S{1,300} cannot be opened|\b(?:save|saving|upload|write) failed \d{1,4} times/,
    /^(?:[\w.]{0,120}\.)?\w{0,60}(?:Error|Exception): .{0,80}(?:\bfind (?:a |any |the )?(?:\w{1,20} )?checkpoint|\b[Nn]o (?:\w{1,20} )?checkpoints? (?:was |were |is |are |has been )?(?:found|exists?|present|available|in\b))/,
    // TensorFlow's own names for writing and reading one.
    /\bnode \S{0,80}(?:SaveV2|RestoreV2|MergeV2Checkpoints)/,
    /\bOSError: .{0,80}(?:while (?:reading|writing)|failed to (?:write|flush|fsync))/i,
  ]),
  ...rows('effect', 'storage', 'medium', [/(?:[Ff]ailed to|[Cc]annot|could not) (?:mount|unmount) /]),
  ...rows('effect', 'storage', 'low', [
    // Their libraries' own exceptions, whatever they say.
    /\b(?:azure\.(?:core|storage)|google\.(?:cloud\.storage|resumable_media)|botocore|s3fs|gcsfs)\.[\w.]{0,60}(?:Error|Exception|InvalidResponse)\b|ResumableUpload\w{0,20}Exception/,
  ]),
];
