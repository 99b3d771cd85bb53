/** What the name of an exception says that no row knows. */

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
