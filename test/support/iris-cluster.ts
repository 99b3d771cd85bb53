/** A real Iris for a test file, its bench for the contract, and suites that need it. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe } from 'vitest';
import {
  closeCluster,
  controllerAddress,
  IRIS_USER,
  isIrisInstalled,
  PORTS,
  startCluster,
} from '../../demo/iris/cluster.ts';
import type { ClusterRecord } from '../../demo/private-cluster.ts';
import { freePorts } from '../../demo/ray/free-ports.ts';
import type { Engine } from '../../src/domain/engine.ts';
import type { IrisCluster } from '../../src/engines/iris/definition.ts';
import { createIrisEngine } from '../../src/engines/iris/engine.ts';
import { callOverHttp, type Http } from '../../src/engines/shared/http.ts';
import { stopIn } from './capabilities.ts';
import { type EngineBench, SAID } from './engine-contract.ts';
import { irisConfig } from './iris-config.ts';

/** A real controller: its address, the user that launches jobs, and the token, if any. */
export type RealIris = { readonly controller: string; readonly user: string; readonly token: string | null };

/** An engine for it, with small jobs. */
export function realEngine(
  { controller, user, token }: RealIris,
  changes: Partial<IrisCluster> = {},
  http: Http = callOverHttp,
): Engine {
  const cluster = irisConfig({ controller, user, cpuMillicores: 100, memoryMb: 256, ...changes });
  return createIrisEngine({ cluster, token, now: Date.now, http });
}

/** Makes names unique, also between runs of these tests. */
const STAMP = Date.now().toString(36);
let jobs = 0;

/** For one test of the contract: jobs that python3 runs. */
export async function realBench(iris: RealIris, http: Http = callOverHttp): Promise<EngineBench> {
  const directory = await mkdtemp(join(tmpdir(), 'ferrybot-contract-'));
  await writeFile(join(directory, 'train.py'), '');
  jobs += 1;
  const jobId = `ferrybot-test-${STAMP}-${jobs}`;
  const engine = realEngine(iris, {}, http);
  const say = `import sys, time; sys.stdout.write(${JSON.stringify(SAID)}); sys.stdout.flush();`;
  // The process runtime of Iris passes a line on when the next one arrives, so the endless job must keep
  // printing.
  const speak = `${say}\nwhile True: print('tick', flush=True); time.sleep(0.5)`;
  const sources = { quick: say, failing: `${say} sys.exit(3)`, endless: speak };
  return {
    engine,
    jobId,
    log: new RegExp(`^ferrybot begin ${jobId}:0\\n${SAID}ferrybot end ${jobId}:0 0\\n$`),
    directory,
    program: 'bash',
    command: (kind) => ['python3', '-c', sources[kind]],
    pass: () => sleep(1_000),
    close: async () => {
      await stopIn(engine, jobId);
      await rm(directory, { recursive: true });
    },
  };
}

/** The first launch arrives, but its response is lost. */
export function losing(http: Http): Http {
  let isLost = false;
  return async (request) => {
    const result = await http(request);
    if (isLost || !request.url.pathname.endsWith('/LaunchJob')) return result;
    isLost = true;
    return { kind: 'failed', sent: true, message: 'the answer was lost' };
  };
}

export type TestIris = RealIris & { readonly record: ClusterRecord; readonly close: () => Promise<void> };

/** Starts one with its own ports and folder. */
export async function startTestIris(): Promise<TestIris> {
  const record = { folder: await mkdtemp(join(tmpdir(), 'ir-')), ports: await freePorts(PORTS) };
  const close = (): Promise<void> => closeCluster(record);
  try {
    await startCluster(record);
  } catch (error) {
    await close();
    throw error;
  }
  return { controller: controllerAddress(record), user: IRIS_USER, token: null, record, close };
}

/** A suite on a real Iris: skipped with a reason if there is none; in CI a skip fails the run. */
export function describeWithIris(name: string, suite: () => void): void {
  const skipReason = 'there is no .tools/iris: npm run setup:iris makes it';
  describe.skipIf(!isIrisInstalled())(name, { meta: { skipReason } }, suite);
}
