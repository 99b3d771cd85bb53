/** Identifies a recorded process although pids are reused and machines reboot. */

import { readFileSync } from 'node:fs';
import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { codeOf } from './files.ts';
import { runProgram } from './process.ts';

/** Where a pid is valid: host, boot and pid namespace ('' without namespaces). */
export type PidScope = { readonly host: string; readonly bootId: string; readonly pidNamespace: string };

/** The start time distinguishes processes with the same pid. */
export type ProcessIdentity = PidScope & { readonly pid: number; readonly processStart: string };

/** `unknown`: the pid's scope is not visible here. */
export type Liveness = 'alive' | 'dead' | 'unknown';

/** Linux: from /proc; otherwise the boot time from `sysctl`. */
export async function currentPidScope(): Promise<PidScope> {
  const bootId = await readIfThere('/proc/sys/kernel/random/boot_id');
  if (bootId === null) return { host: hostname(), bootId: await bootTime(), pidNamespace: '' };
  return { host: hostname(), bootId: bootId.trim(), pidNamespace: await readlink('/proc/self/ns/pid') };
}

/** Start time of a running pid in its scope's format, or null. */
export async function processStartOf(pid: number): Promise<string | null> {
  if ((await readIfThere('/proc/self/stat')) === null) return startByPs(pid);
  const stat = await readIfThere(`/proc/${pid}/stat`);
  return stat === null ? null : startFromStat(stat);
}

/** Another boot of the same host means dead; another namespace or host means unknown. */
export async function livenessOf(process: ProcessIdentity, here: PidScope): Promise<Liveness> {
  if (process.bootId !== here.bootId) return process.host === here.host ? 'dead' : 'unknown';
  if (process.pidNamespace !== here.pidNamespace) return 'unknown';
  return (await processStartOf(process.pid)) === process.processStart ? 'alive' : 'dead';
}

/** Field 22 of /proc/pid/stat, proc(5); null for a zombie. */
export function startFromStat(stat: string): string | null {
  // The name in parentheses may contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null);
}

async function startByPs(pid: number): Promise<string | null> {
  const result = await runProgram('ps', ['-o', 'lstart=', '-p', String(pid)], { env: psEnv() });
  const text = result.stdout.trim();
  if (result.ok && text !== '') return text;
  if (result.kind === 'exited' && text === '') return null;
  throw new Error(`ps cannot tell whether ${pid} runs: ${result.code ?? result.stderr}`);
}

async function bootTime(): Promise<string> {
  const result = await runProgram('sysctl', ['-n', 'kern.boottime'], { env: psEnv() });
  if (!result.ok) throw new Error(`the boot time cannot be read: ${result.code ?? result.stderr}`);
  return result.stdout.trim();
}

function psEnv(): Readonly<Record<string, string>> {
  return { PATH: process.env['PATH'] ?? '/usr/bin:/bin:/usr/sbin', LC_ALL: 'C' };
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    // ESRCH: the process ended between open and read.
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ESRCH') return null;
    throw error;
  }
}

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
