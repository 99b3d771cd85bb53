/** What the name of an exception, and the library that raised it, say that no row knows. */

import type { FailureClass } from '../domain/failure-class.ts';

/** Never one that is simply tried again: a name is too little for that. */
type Named = Exclude<FailureClass, 'network' | 'preempted' | 'stalled' | 'benign' | 'code-small'>;

/** The class that the name of an exception's type names itself; null where it names none. */
export function namedClassOf(type: string): Named | null {
  return NAMES.find(({ name }) => name.test(type))?.class ?? null;
}

/** Words of a name, as they are written in one: with a capital. In the order in which it is asked. */
const NAMES: readonly { readonly class: Named; readonly name: RegExp }[] = [
  { class: 'storage', name: /Checkpoint|Filesystem|FileSystem|Storage|Bucket|Blob/ },
  { class: 'data', name: /Dataset|DataLoss|Decod|Parquet|Corrupt|Shard(?!ing)|Record/ },
  { class: 'auth', name: /Auth|Credential|Permission|Forbidden|Login/ },
  { class: 'dependency', name: /Version|Dependency|Package/ },
  { class: 'code-other', name: /Shape|Tracer|D[Tt]ype|Sharding|Compil|Lowering|Kernel|Scope/ },
  { class: 'config', name: /Config|Validation|Argument|Option|Setting|Usage/ },
];

/** Of an exception whose words say nothing, the class of what raised it; null for what may be anything. */
export function familyOf(type: string, file: string): FailureClass | null {
  return FAMILIES.find(({ types, files }) => types.test(type) || files.test(file))?.class ?? null;
}

/** What others raise for them stands in their rows; this is for what no row knows. In the order in which it is asked. */
const FAMILIES: readonly { readonly class: FailureClass; readonly types: RegExp; readonly files: RegExp }[] =
  [
    {
      class: 'storage',
      types:
        /^(?:google\.(?:api_core|cloud\.storage|resumable_media)|botocore|boto3|s3transfer|gcsfs|s3fs|adlfs|fsspec|azure\.(?:core|storage)|tensorstore|lmdb|h5py|zarr)\./,
      files:
        /\/(?:google\/cloud\/storage|google\/resumable_media|botocore|s3transfer|gcsfs|s3fs|adlfs|azure\/storage|orbax\/checkpoint|safetensors|torch\/distributed\/checkpoint)\/|\/(?:torch\/serialization|array_serialization\/\w{1,60})\.py$/,
    },
    {
      class: 'network',
      types:
        /^(?:aiohttp|httpx|httpcore|requests|urllib3|urllib|http|socket|ssl|websockets?|grpc|huggingface_hub)\./,
      files:
        /\/(?:aiohttp|httpx|httpcore|requests|urllib3|urllib|http|websockets?|grpc)\/|\/(?:socket|ssl)\.py$/,
    },
  ];
