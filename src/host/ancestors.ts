/** Which of the programs that started this one still show a secret in their own environment. */

import { readFileSync } from 'node:fs';

/** A process, as a person finds it again. */
type Ancestor = { readonly pid: number; readonly name: string };

/** Those that this user may look into, nearest first; none where there is no /proc. */
export function ancestorsThatShow(secrets: readonly string[]): readonly Ancestor[] {
  const found: Ancestor[] = [];
  const texts = secrets.filter((secret) => secret !== '');
  for (let pid = process.ppid; pid > 1; ) {
    const status = readIfThere(`/proc/${pid}/status`) ?? '';
    const shown = readIfThere(`/proc/${pid}/environ`) ?? '';
    if (texts.some((text) => shown.includes(text)))
      found.push({ pid, name: /^Name:\s*(.*)$/m.exec(status)?.[1] ?? '' });
    pid = Number(/^PPid:\s*(\d+)$/m.exec(status)?.[1] ?? 0);
  }
  return found;
}

/** Null for a process that is gone or somebody else's. */
function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const unreadable: readonly unknown[] = ['ENOENT', 'ESRCH', 'EACCES', 'EPERM'];
    if (error instanceof Error && 'code' in error && unreadable.includes(error.code)) return null;
    throw error;
  }
}
