/** A recorded process is alive, dead, or cannot be judged here. */

import { describe, expect, it } from 'vitest';
import {
  checkLiveness,
  currentPidScope,
  parseProcessStart,
  readProcessStart,
  runProgram,
} from '../../src/host/process.ts';

describe('a process identity', () => {
  it('is alive for this process, and dead for another start time, another boot, or an ended process', async () => {
    const here = await currentPidScope();
    const us = { ...here, pid: process.pid, processStart: (await readProcessStart(process.pid)) ?? '' };
    expect(await checkLiveness(us, here)).toBe('alive');
    expect(await checkLiveness({ ...us, processStart: '1' }, here)).toBe('dead');
    expect(await checkLiveness({ ...us, bootId: 'earlier' }, here)).toBe('dead');
    const child = await runProgram(process.execPath, ['-p', 'process.pid'], { env: {} });
    expect(await checkLiveness({ ...us, pid: Number(child.stdout) }, here)).toBe('dead');
  });

  it('is unknown in another pid namespace or on another host', async () => {
    const here = await currentPidScope();
    const us = { ...here, pid: process.pid, processStart: (await readProcessStart(process.pid)) ?? '' };
    expect(await checkLiveness({ ...us, pidNamespace: 'pid:[1]' }, here)).toBe('unknown');
    expect(await checkLiveness({ ...us, bootId: 'x', host: 'elsewhere' }, here)).toBe('unknown');
  });

  it('reads field 22 with any program name, and treats a zombie as dead', () => {
    const rest = Array.from({ length: 30 }, (_, index) => `f${index + 4}`).join(' ');
    expect(parseProcessStart(`7 (a b) R) c) S ${rest}`)).toBe('f22');
    expect(parseProcessStart(`7 (node) Z ${rest}`)).toBeNull();
  });
});
