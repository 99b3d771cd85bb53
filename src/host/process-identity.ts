/** Which process a recorded pid means: pids are recycled, machines reboot, containers number anew. */

import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { runProgram } from './process.ts';
import { codeOf } from './publish-once.ts';

/** The numbering in which a pid has a meaning: host, boot, and pid namespace ('' where there is none). */
export type PidScope = { readonly host: string; readonly bootId: string; readonly pidNamespace: string };

/** One process for good: its start time tells it from a later one with the same pid. */
export type ProcessIdentity = PidScope & { readonly pid: number; readonly processStart: string };

/** `unknown`: the pid belongs to a numbering that cannot be seen from here. */
export type Liveness = 'alive' | 'dead' | 'unknown';

/** The scope of this process (Linux: /proc; elsewhere the boot time that `sysctl` gives). */
export async function currentPidScope(): Promise<PidScope> {
  const bootId = await readIfThere('/proc/sys/kernel/random/boot_id');
  if (bootId === null) return { host: hostname(), bootId: await bootTime(), pidNamespace: '' };
  return { host: hostname(), bootId: bootId.trim(), pidNamespace: await readlink('/proc/self/ns/pid') };
}

/** The start time of a live pid in its scope's own words, or null when there is no such process. */
export async function processStartOf(pid: number): Promise<string | null> {
  if ((await readIfThere('/proc/self/stat')) === null) return startByPs(pid);
  const stat = await readIfThere(`/proc/${pid}/stat`);
  return stat === null ? null : startFromStat(stat);
}

/**
 * Whether exactly this process still runs. Another boot of the same host means dead; another
 * namespace or another host means unknown, because its pids are not ours to judge.
 */
export async function livenessOf(process: ProcessIdentity, here: PidScope): Promise<Liveness> {
  if (process.bootId !== here.bootId) return process.host === here.host ? 'dead' : 'unknown';
  if (process.pidNamespace !== here.pidNamespace) return 'unknown';
  return (await processStartOf(process.pid)) === process.processStart ? 'alive' : 'dead';
}

/** Field 22 of /proc/pid/stat, proc(5); null for a zombie, which has ended and waits for its parent. */
export function startFromStat(stat: string): string | null {
  // The name in parentheses may itself hold spaces and parentheses.
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
