/** A real MLflow server with its records in a new folder, and a trainer that reports to it. */

import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import * as z from 'zod';
import { TOOLS } from '../../packages/playground/test/support/outside-tools.ts';

export type MlflowServer = {
  readonly address: string;
  /** Starts a run of the experiment; returns its id. */
  readonly begin: (name: string, startMs: number) => Promise<string>;
  /** `value`: a number, or `NaN`. */
  readonly log: (
    run: string,
    row: { readonly key: string; readonly value: number | string; readonly step: number; readonly atMs: number },
  ) => Promise<void>;
  readonly end: (run: string, status: 'FINISHED' | 'FAILED', atMs: number) => Promise<void>;
  readonly close: () => Promise<void>;
};

export const EXPERIMENT = 'ferries';
/** Its imports and the tables of an empty database take half a minute on a busy machine. */
const START_TRIES = 240;
const START_PAUSE_MS = 500;

/** Starts one: SQLite, one worker, only tracking. */
export async function openMlflow(): Promise<MlflowServer> {
  const folder = await mkdtemp(join(tmpdir(), 'ferrybot-mlflow-'));
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const store = `sqlite:///${join(folder, 'mlflow.db')}`;
  const options = ['--backend-store-uri', store, '--host', '127.0.0.1', '--port', String(port), '--workers', '1'];
  const server = execa(TOOLS.mlflow, ['server', ...options], {
    cwd: folder,
    env: { MLFLOW_SERVER_ENABLE_JOB_EXECUTION: 'false', MLFLOW_DISABLE_TELEMETRY: 'true' },
    reject: false,
    all: true,
    // The workers are its children.
    detached: true,
  });
  let isOver = false;
  const ended = server.then((result) => {
    isOver = true;
    return String(result.all);
  });
  const close = async (): Promise<void> => {
    if (server.pid !== undefined && !isOver) process.kill(-server.pid, 'SIGKILL');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  for (let tries = 0; !(await answers(`${address}/health`)); tries += 1) {
    if (isOver || tries >= START_TRIES) {
      await close();
      throw new Error(`MLflow does not answer: ${(await ended).slice(-2_000)}`);
    }
    await sleep(START_PAUSE_MS);
  }
  const post = async (path: string, body: object): Promise<unknown> => {
    const response = await fetch(`${address}/api/2.0/mlflow/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const made = await post('experiments/create', { name: EXPERIMENT });
  const { experiment_id } = z.object({ experiment_id: z.string() }).parse(made);
  return {
    address,
    begin: async (run_name, start_time) => {
      const begun = await post('runs/create', { experiment_id, run_name, start_time });
      return z.object({ run: z.object({ info: z.object({ run_id: z.string() }) }) }).parse(begun).run.info.run_id;
    },
    log: async (run_id, { key, value, step, atMs: timestamp }) => {
      await post('runs/log-metric', { run_id, key, value, step, timestamp });
    },
    end: async (run_id, status, end_time) => {
      await post('runs/update', { run_id, status, end_time });
    },
    close,
  };
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(START_PAUSE_MS * 4) })).ok;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
