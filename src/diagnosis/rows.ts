/** The table from log text to class, in the order in which it is asked. */

import { type FailureClass, FIRST_RESPONSE } from '../domain/failure-class.ts';
import type { Row } from './row.ts';
import { CLUSTER_ROWS } from './rows/cluster.ts';
import { BARE_ROWS, CODE_ROWS, REPORTED_ROWS } from './rows/code.ts';
import { DATA_ROWS } from './rows/data.ts';
import { MEMORY_ROWS } from './rows/memory.ts';
import { NODE_ROWS } from './rows/node.ts';
import { NUMBER_ROWS } from './rows/numbers.ts';
import { SETTING_ROWS, SETUP_ROWS } from './rows/setup.ts';
import { STORAGE_ROWS } from './rows/storage.ts';
import { TRANSPORT_ROWS } from './rows/transport.ts';

/** What names one thing stands before what names many: the first row that matches is a line's class. */
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
 * Signatures of policy ML-20, ML-21 and ML-29, and of Marin's, JAX's, CUDA's and Ray's own messages. A match is evidence and no
 * verdict: the engine's terminal status comes first, and the word "error" alone means nothing.
 */
export const SIGNATURES: readonly Signature[] = [...ROWS, ...REPORTED_ROWS].flatMap(
  ({ signature, ...row }) => (signature === null ? [] : [{ ...row, signature }]),
);

/** The row of this name, or null: an entry of an older version may carry a name that is gone. */
export function signatureNamed(name: string): Signature | null {
  return SIGNATURES.find(({ signature }) => signature === name) ?? null;
}

/** What a message adds of all that might have brought it about names causes that nobody has seen. */
const SUPPOSED =
  /(?:\bThis (?:can|could|may|might|usually|typically|most likely|is likely)\b|\bEither the\b|\bThere are some potential root causes|\b[Pp]ossible (?:causes?|reasons?)\b|\bIt can be also caused\b|\bmay have been\b).*/;
const WEIGHTS: readonly Row['weight'][] = ['cause', 'effect', 'hint'];

/** The row that a text matches: a cause before an effect before a hint; null for none. */
export function rowFor(text: string): Row | null {
  const said = text.replace(SUPPOSED, '');
  const found = ROWS.filter(({ pattern }) => pattern.test(said));
  for (const weight of WEIGHTS) {
    const first = found.find((row) => row.weight === weight);
    if (first !== undefined) return refusalIn(found, first) ?? first;
  }
  return null;
}

/** A store, or a service, that says no is no broken one; and what it does not give for the moment is no broken data. */
function refusalIn(found: readonly Row[], { class: kind }: Row): Row | undefined {
  const told = REFUSED[kind];
  return told === undefined ? undefined : found.find((row) => row.class === told && row.weight === 'cause');
}

const REFUSED: Partial<Readonly<Record<FailureClass, FailureClass>>> = {
  storage: 'auth',
  network: 'auth',
  data: 'network',
};

/** What the name of an exception alone tells; null for nothing. */
export function bareRowFor(text: string): Row | null {
  return BARE_ROWS.find(({ pattern }) => pattern.test(text)) ?? namedRowFor(text);
}

/** An exception of a package that tells what it is about by its name, or by what the package is for. */
function namedRowFor(text: string): Row | null {
  const [, path = '', type = ''] = NAMED.exec(text) ?? [];
  if (type === '') return null;
  const kind = namedClassOf(type) ?? familyOf(path + type, '');
  // A name is too little to start anything again.
  return kind === null || FIRST_RESPONSE[kind] === 'relaunch'
    ? null
    : { class: kind, weight: 'hint', confidence: 'low', pattern: NAMED, signature: null };
}

const NAMED = /^((?:[a-z_]\w{0,60}\.){1,8})([A-Z]\w{0,80}(?:Error|Exception)): /;

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
