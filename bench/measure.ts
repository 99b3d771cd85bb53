/** Measuring on a noisy machine: CPU time, which a neighbour lengthens least, and ratios side by side in one run. */

import { readFileSync } from 'node:fs';
import { execa } from 'execa';

export type Result = {
  readonly id: string;
  readonly value: number;
  readonly unit: string;
  readonly op: '<=' | '>=' | null;
  readonly bar: number | null;
  readonly ok: boolean | null;
};

/** A value held against its bar; a bar that is missed is reported, never asserted. */
export function resultWithBar(id: string, value: number, unit: string, op: '<=' | '>=', bar: number): Result {
  const rounded = Math.round(value * 1_000) / 1_000;
  return { id, value: rounded, unit, op, bar, ok: op === '<=' ? rounded <= bar : rounded >= bar };
}

/** A value that is reported beside the others, without a bar. */
export function resultWithoutBar(id: string, value: number, unit: string): Result {
  return { id, value: Math.round(value * 1_000) / 1_000, unit, op: null, bar: null, ok: null };
}

/** CPU milliseconds of this process for the cheapest of `tries`: the least disturbed one. Run nothing beside it. */
export async function measureQuickestMs(tries: number, work: () => unknown): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < tries; turn += 1) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1_000);
  }
  return best;
}

/** The same on average with every program that the work starts and waits for. Linux counts these in ticks of ten milliseconds. */
export async function withChildrenMs(times: number, work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  const childrenBefore = childrenMs();
  for (let turn = 0; turn < times; turn += 1) await work();
  const { user, system } = process.cpuUsage(before);
  return ((user + system) / 1_000 + childrenMs() - childrenBefore) / times;
}

function childrenMs(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
  // cutime and cstime, fields 16 and 17 of proc_pid_stat(5); the second field ends with the bracket.
  return (Number(fields[13]) + Number(fields[14])) * 10;
}

/** A program with its variables; `input` names the file that it reads. */
export type Child = {
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
};

/** CPU milliseconds of a program and of everything that it starts. Bash reads them from the kernel; Node does not offer them. */
export async function childCpuMs({ program, args, env = {}, input = '/dev/null' }: Child): Promise<number> {
  const script = 'TIMEFORMAT="cpu %3U %3S"; time "$@"';
  const { stderr } = await execa('bash', ['-c', script, 'bash', program, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env, LC_ALL: 'C' },
    extendEnv: false,
    stdin: { file: input },
  });
  const [, user, system] = /^cpu (\S+) (\S+)$/m.exec(stderr) ?? [];
  return (Number(user) + Number(system)) * 1_000;
}

/** The middle value of several measurements. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
