/**
 * Real stores for tests: a folder, and fake-gcs-server and versitygw as processes, each filled through its
 * own protocol.
 */

import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { TOOLS } from '../../packages/playground/test/support/outside-tools.ts';
import type { StoreEnvironment } from '../../src/stores/open.ts';
import type { StoreHost } from '../../src/stores/store.ts';

export type StoreBench = {
  /** A path in the store, without a trailing slash. */
  readonly base: string;
  readonly environment: StoreEnvironment;
  readonly put: (path: string, text: string) => Promise<void>;
  readonly close: () => Promise<void>;
};

export const plainHost: StoreHost = { fetch: (url, init) => fetch(url, init), sleep: () => Promise.resolve() };

const START_TRIES = 200;
const START_PAUSE_MS = 50;
const BUCKET = 'lab-checkpoints';
const S3_KEYS = { accessKeyId: 'lab', secretAccessKey: 'not-a-secret-of-anybody' };

/** A folder of this machine. */
export async function openFolder(): Promise<StoreBench> {
  const base = await mkdtemp(join(tmpdir(), 'ferrybot-store-'));
  return {
    base,
    environment: {},
    put: async (path, text) => {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
    },
    close: () => rm(base, { recursive: true, force: true }),
  };
}

/** fake-gcs-server with its objects in memory. */
export async function openGcs(): Promise<StoreBench> {
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const options = ['-scheme', 'http', '-host', '127.0.0.1', '-port', String(port), '-backend', 'memory'];
  const stop = start(TOOLS['fake-gcs-server'], [...options, '-public-host', `127.0.0.1:${port}`]);
  await ready(`${endpoint}/_internal/healthcheck`);
  await okay(await fetch(`${endpoint}/storage/v1/b`, { method: 'POST', body: JSON.stringify({ name: BUCKET }) }));
  return {
    base: `gs://${BUCKET}`,
    environment: { STORAGE_EMULATOR_HOST: `127.0.0.1:${port}` },
    put: async (path, text) => {
      const name = encodeURIComponent(path.slice(`gs://${BUCKET}/`.length));
      const url = `${endpoint}/upload/storage/v1/b/${BUCKET}/o?uploadType=media&name=${name}`;
      await okay(await fetch(url, { method: 'POST', body: text }));
    },
    close: stop,
  };
}

/** versitygw, S3 on a folder. */
export async function openS3(): Promise<StoreBench> {
  const folder = await mkdtemp(join(tmpdir(), 'ferrybot-s3-'));
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const { accessKeyId, secretAccessKey } = S3_KEYS;
  const options = ['--port', `127.0.0.1:${port}`, '--quiet', '--health', '/health', 'posix', folder];
  const stop = start(TOOLS.versitygw, options, { ROOT_ACCESS_KEY: accessKeyId, ROOT_SECRET_KEY: secretAccessKey });
  await ready(`${endpoint}/health`);
  const put = async (url: string, body: string): Promise<void> => {
    const signer = new AwsV4Signer({ ...S3_KEYS, method: 'PUT', url, body, service: 's3', region: 'us-east-1' });
    const { headers } = await signer.sign();
    await okay(await fetch(url, { method: 'PUT', headers, body }));
  };
  await put(`${endpoint}/${BUCKET}`, '');
  return {
    base: `s3://${BUCKET}`,
    environment: { AWS_ENDPOINT_URL: endpoint, AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey },
    put: (path, text) => put(`${endpoint}/${path.slice('s3://'.length)}`, text),
    close: async () => {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Ends only with its own process. */
function start(program: string, args: readonly string[], env: Record<string, string> = {}): () => Promise<void> {
  const child = spawn(program, args, { stdio: 'ignore', env: { PATH: process.env['PATH'] ?? '', ...env } });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  return async () => {
    child.kill('SIGKILL');
    await ended;
  };
}

async function ready(url: string): Promise<void> {
  for (let attempt = 0; attempt < START_TRIES; attempt += 1) {
    try {
      const { status } = await fetch(url);
      if (status < 500) return;
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
    await sleep(START_PAUSE_MS);
  }
  throw new Error(`${url} does not answer`);
}

async function okay(response: Response): Promise<void> {
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${await response.text()}`);
  await response.arrayBuffer();
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
