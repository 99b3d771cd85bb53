/** What the supervisor does with files and processes; each function stands alone, see supervisor.ts. */

/** Creates `folder/name` with the record as JSON, whole and only once; true when this call made it. */
export function publishRecord(folder: string, name: string, record: object): boolean {
  const fs = process.getBuiltinModule('node:fs');
  const path = process.getBuiltinModule('node:path');
  const draft = path.join(folder, `.${name}.${process.pid}.tmp`);
  fs.writeFileSync(draft, JSON.stringify(record), { flush: true, mode: 0o600 });
  try {
    fs.linkSync(draft, path.join(folder, name));
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    fs.unlinkSync(draft);
  }
}

/** The start time of a process that exists, in the same words as src/host/process-identity.ts. */
export function processStartNow(pid: number): string {
  const fs = process.getBuiltinModule('node:fs');
  if (fs.existsSync('/proc/self/stat')) {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  }
  const { execFileSync } = process.getBuiltinModule('node:child_process');
  const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C' };
  return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { env, encoding: 'utf8' }).trim();
}

/** Signals a process group; one that has nobody left is fine. */
export function signalGroup(groupId: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(-groupId, signal);
  } catch (error) {
    // ESRCH: nobody is left. EPERM is macOS's word for a group of zombies.
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}
