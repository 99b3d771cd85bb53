/**
 * A real Ray head for a rehearsal: started with its own token, found again by the next start, ended with everything on
 * it.
 */

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

/** Programs of the environment from `npm run setup:ray`; null if the setup did not complete. */
export function rayPrograms(): { readonly ray: string; readonly uv: string; readonly python: string } | null {
  if (!existsSync(join(RAY_TOOLS, 'ferrybot-setup.json'))) return null;
  const program = (name: string): string => join(RAY_TOOLS, 'bin', name);
  return { ray: program('ray'), uv: program('uv'), python: program('python') };
}

export type RayHead = HeadRecord & {
  readonly address: string;
  /**
   * Ends the head and removes its folder. If a job still runs on it and `mayStay` is true, it keeps running, and the
   * result is true.
   */
  readonly close: (mayStay: boolean) => Promise<boolean>;
};

/**
 * Starts the head of the record in `file`, or reuses it if it still runs. Without a file it creates a record. The lab's
 * config contains the address, so a kept lab keeps its ports. If another program has taken them, they are returned, and
 * no head is started.
 */
export async function openRayHead(file: string): Promise<RayHead | { readonly takenPorts: readonly number[] }> {
  const isNew = !existsSync(file);
  const known = isNew ? await newRecord(file) : await readRecord(file);
  await mkdir(known.folder, { recursive: true, mode: 0o700 });
  if ((await readJobs(headAddress(known), known.token)) !== null) return toRayHead(known);
  // Leftover processes of a killed rehearsal hold its ports.
  await endHead(known.folder);
  const taken = isNew ? [] : await takenPorts(known.ports);
  return taken.length > 0 ? { takenPorts: taken } : toRayHead(await startHead(known, isNew ? file : null));
}

function headAddress({ ports }: HeadRecord): string {
  return `http://127.0.0.1:${ports[1]}`;
}

function toRayHead(record: HeadRecord): RayHead {
  const address = headAddress(record);
  return {
    ...record,
    address,
    close: async (mayStay) => {
      if (mayStay && (await hasRunningJob(address, record.token))) return true;
      await endHead(record.folder);
      for (const path of [record.folder, headLog(record)])
        await rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
      return false;
    },
  };
}

async function readRecord(file: string): Promise<HeadRecord> {
  // Written by this program, below, in a private folder.
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
 * On a very busy machine Ray gives up a start after half a minute; the next attempt usually succeeds. `file`: the path
 * of a new record, with other ports for each attempt; null for a lab's fixed ports.
 */
async function startHead(known: HeadRecord, file: string | null): Promise<HeadRecord> {
  let record = known;
  for (let starts = 1; ; starts += 1) {
    if (await startOnce(record, headAddress(record))) return record;
    await endHead(record.folder);
    if (starts >= ray.startsMax) break;
    if (file !== null) record = await writeRecord(file, { ...record, ports: await freePorts(PORTS) });
  }
  throw new Error(`the Ray head did not start; see ${headLog(record)}`);
}

async function startOnce(record: HeadRecord, address: string): Promise<boolean> {
  const programs = rayPrograms();
  if (programs === null) throw new Error('there is no Ray');
  const log = await open(headLog(record), 'w', 0o600);
  const { args, env } = headCommand(record, join(RAY_TOOLS, 'bin'));
  const child = spawn(programs.ray, args, { cwd: tmpdir(), env, stdio: ['ignore', log.fd, log.fd], detached: true });
  child.unref();
  await log.close();
  const deadline = performance.now() + ray.startTimeoutMs;
  while (child.exitCode === null && performance.now() < deadline) {
    await sleep(ray.pollMs);
    // The dashboard answers before the node is ready. A job submitted then would be lost if the start fails.
    const hasStarted = (await readFile(headLog(record), 'utf8')).includes('Ray runtime started');
    if (hasStarted && (await readJobs(address, record.token)) !== null) return true;
  }
  return false;
}

/** Next to the head's folder, which Ray fills and this program removes. */
function headLog({ folder }: HeadRecord): string {
  return `${folder}.log`;
}

/** Null if there is no answer yet, or not from a head that accepts the token. */
async function readJobs(address: string, token: string): Promise<readonly { readonly status: string }[] | null> {
  try {
    const answer = await fetch(`${address}/api/jobs/`, {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(ray.answerMs),
    });
    const text = await answer.text();
    // JobDetails of ray-project/ray; only the status is used.
    return answer.ok ? (JSON.parse(text) as readonly { readonly status: string }[]) : null;
  } catch (error) {
    if (error instanceof TypeError || error instanceof SyntaxError || error instanceof DOMException) return null;
    throw error;
  }
}

async function hasRunningJob(address: string, token: string): Promise<boolean> {
  const jobs = (await readJobs(address, token)) ?? [];
  return jobs.some(({ status }) => status === 'PENDING' || status === 'RUNNING');
}
