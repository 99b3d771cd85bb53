/** Reads a file that may be missing: ENOENT means missing, any other code is an error. */

type Code = 'EACCES' | 'EEXIST' | 'ENOENT' | 'ENOTDIR' | 'EPERM' | 'ESRCH';

/** Errors for a process that has ended in the meantime or belongs to another user. */
export const GONE_OR_HIDDEN: readonly Code[] = ['ENOENT', 'ESRCH', 'EACCES', 'EPERM'];

export function hasCode(error: unknown, codes: readonly Code[]): boolean {
  const known: readonly unknown[] = codes;
  return error instanceof Error && 'code' in error && known.includes(error.code);
}

/** The result of the read, or null when the system answers with one of the codes. */
export async function ifThere<Value>(read: Promise<Value>, codes: readonly Code[] = ['ENOENT']): Promise<Value | null> {
  try {
    return await read;
  } catch (error) {
    if (hasCode(error, codes)) return null;
    throw error;
  }
}

/** The synchronous version, for reads that must not be overtaken by a virtual clock. */
export function ifThereSync<Value>(read: () => Value, codes: readonly Code[] = ['ENOENT']): Value | null {
  try {
    return read();
  } catch (error) {
    if (hasCode(error, codes)) return null;
    throw error;
  }
}
