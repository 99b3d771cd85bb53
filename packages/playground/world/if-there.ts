/** Reads a file that may be missing: ENOENT means missing, any other code is an error. */

type Code = 'EACCES' | 'EEXIST' | 'ENOENT' | 'ENOTDIR' | 'EPERM' | 'ESRCH';

/** Of a process that has ended meanwhile, or is another user's. */
export const GONE_OR_HIDDEN: readonly Code[] = ['ENOENT', 'ESRCH', 'EACCES', 'EPERM'];

export function hasCode(error: unknown, codes: readonly Code[]): boolean {
  const known: readonly unknown[] = codes;
  return error instanceof Error && 'code' in error && known.includes(error.code);
}

/** What comes of the look, or null where the system answers with one of the codes. */
export async function ifThere<Value>(
  look: Promise<Value>,
  codes: readonly Code[] = ['ENOENT'],
): Promise<Value | null> {
  try {
    return await look;
  } catch (error) {
    if (hasCode(error, codes)) return null;
    throw error;
  }
}

/** The same at once, for what must not be overtaken by a virtual clock. */
export function ifThereSync<Value>(look: () => Value, codes: readonly Code[] = ['ENOENT']): Value | null {
  try {
    return look();
  } catch (error) {
    if (hasCode(error, codes)) return null;
    throw error;
  }
}
