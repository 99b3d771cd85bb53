/** Parent processes that expose secrets. */

import { readFileSync } from 'node:fs';

type Ancestor = { readonly pid: number; readonly name: string };

/** Readable parent processes whose environment contains a secret, nearest first; none without /proc. */
export function ancestorsThatShow(secrets: readonly string[]): readonly Ancestor[] {
  const found: Ancestor[] = [];
  const texts = secrets.filter((secret) => secret !== '');
  for (let pid = process.ppid; pid > 1; ) {
    const status = textIfReadable(`/proc/${pid}/status`) ?? '';
    const shown = textIfReadable(`/proc/${pid}/environ`) ?? '';
    if (texts.some((text) => shown.includes(text)))
      found.push({ pid, name: /^Name:\s*(.*)$/m.exec(status)?.[1] ?? '' });
    pid = Number(/^PPid:\s*(\d+)$/m.exec(status)?.[1] ?? 0);
  }
  return found;
}

/** Null for a process that ended or belongs to another user. */
function textIfReadable(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const unreadable: readonly unknown[] = ['ENOENT', 'ESRCH', 'EACCES', 'EPERM'];
    if (error instanceof Error && 'code' in error && unreadable.includes(error.code)) return null;
    throw error;
  }
}
