/** A real Ray head for a rehearsal: started with a token of its own, found again by the next start, ended with everything on it. */

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ray } from '../../packages/playground/limits/limits.ts';
import { RAY_TOOLS } from '../beside.ts';
import { freePorts, takenPorts } from './free-ports.ts';
import { type HeadRecord, headCommand, PORTS } from './head-command.ts';
import { endHead } from './head-processes.ts';

/** Programs of the environment that `npm run setup:ray` makes; null where it was not run to its end. */
export function rayPrograms(): { readonly ray: string; readonly uv: string; readonly python: string } | null {
  if (!existsSync(join(RAY_TOOLS, 'ferrybot-setup.json'))) return null;
  const program = (name: string): string => join(RAY_TOOLS, 'bin', name);
  return { ray: program('ray'), uv: program('uv'), python: program('python') };
}

export type RayHead = HeadRecord & {
  readonly address: string;
  /** Ends it and removes its folder, unless a job still runs on it and `mayStay`: then it is left, and true is given. */
  readonly close: (mayStay: boolean) => Promise<boolean>;
};

/**
 * Starts the head of the file's record, or goes on with it if it still runs; a new record where there is no file. The
 * lab's config names the address, so that a lab that is kept has its ports for good: the ones that somebody else has
 * taken meanwhile are given in place of a head.
 */
export async function openRayHead(
  file: string,
): Promise<RayHead | { readonly takenPorts: readonly number[] }> {
  const isNew = !existsSync(file);
  const known = isNew ? await newRecord(file) : await readRecord(file);
  await mkdir(known.folder, { recursive: true, mode: 0o700 });
  if ((await jobsOf(addressOf(known), known.token)) !== null) return headOf(known);
  // What a killed rehearsal left of it holds its ports.
  await endHead(known.folder);
  const taken = isNew ? [] : await takenPorts(known.ports);
  return taken.length > 0 ? { takenPorts: taken } : headOf(await start(known, isNew ? file : null));
}

function addressOf({ ports }: HeadRecord): string {
  return `http://127.0.0.1:${ports[1]}`;
}

function headOf(record: HeadRecord): RayHead {
  const address = addressOf(record);
  return {
    ...record,
    address,
    close: async (mayStay) => {
      if (mayStay && (await hasRunningJob(address, record.token))) return true;
      await endHead(record.folder);
      for (const path of [record.folder, logOf(record)])
        await rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
      return false;
    },
  };
}

async function readRecord(file: string): Promise<HeadRecord> {
  // Written by ourselves, below, in a folder that is ours alone.
  return JSON.parse(await readFile(file, 'utf8')) as HeadRecord;
}

async function newRecord(file: string): Promise<HeadRecord> {
  return writeRecord(file, {
    folder: await mkdtemp(join(tmpdir(), 'fr-')),
    token: `rehearsal-${crypto.randomUUID().replaceAll('-', '')}`,
    ports: await freePorts(PORTS),
  });
}

async function writeRecord(file: string, record: HeadRecord): Promise<HeadRecord> {
  await writeFile(file, JSON.stringify(record), { mode: 0o600 });
  return record;
}

/**
 * On a machine that is very busy Ray gives a start up after half a minute: the next one mostly comes up. `file`: where a
 * new record is kept, which takes other ports for each start; null where the ports are those of a lab.
 */
async function start(known: HeadRecord, file: string | null): Promise<HeadRecord> {
  let record = known;
  for (let starts = 1; ; starts += 1) {
    if (await startOnce(record, addressOf(record))) return record;
    await endHead(record.folder);
    if (starts >= ray.startsMax) break;
    if (file !== null) record = await writeRecord(file, { ...record, ports: await freePorts(PORTS) });
  }
  throw new Error(`the Ray head did not start; see ${logOf(record)}`);
}

async function startOnce(record: HeadRecord, address: string): Promise<boolean> {
  const programs = rayPrograms();
  if (programs === null) throw new Error('there is no Ray');
  const log = await open(logOf(record), 'w', 0o600);
  const { args, env } = headCommand(record, join(RAY_TOOLS, 'bin'));
  const child = spawn(programs.ray, args, {
    cwd: tmpdir(),
    env,
    stdio: ['ignore', log.fd, log.fd],
    detached: true,
  });
  child.unref();
  await log.close();
  const deadline = performance.now() + ray.startTimeoutMs;
  while (child.exitCode === null && performance.now() < deadline) {
    await sleep(ray.pollMs);
    // The dashboard answers before the node is there: a job that came then would be lost with a start that fails.
    const hasStarted = (await readFile(logOf(record), 'utf8')).includes('Ray runtime started');
    if (hasStarted && (await jobsOf(address, record.token)) !== null) return true;
  }
  return false;
}

/** Beside the head's folder, which Ray fills and we remove. */
function logOf({ folder }: HeadRecord): string {
  return `${folder}.log`;
}

/** Null where nobody answers yet, or not as a head does that knows the token. */
async function jobsOf(
  address: string,
  token: string,
): Promise<readonly { readonly status: string }[] | null> {
  try {
    const answer = await fetch(`${address}/api/jobs/`, {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(ray.answerMs),
    });
    const text = await answer.text();
    // JobDetails of ray-project/ray; a status is all that is asked of it.
    return answer.ok ? (JSON.parse(text) as readonly { readonly status: string }[]) : null;
  } catch (error) {
    if (error instanceof TypeError || error instanceof SyntaxError || error instanceof DOMException)
      return null;
    throw error;
  }
}

async function hasRunningJob(address: string, token: string): Promise<boolean> {
  const jobs = (await jobsOf(address, token)) ?? [];
  return jobs.some(({ status }) => status === 'PENDING' || status === 'RUNNING');
}
