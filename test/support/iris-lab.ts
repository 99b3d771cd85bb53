/** An engine for the recorded controller, with a clock that the test controls. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine, JobSpec } from '../../src/domain/engine.ts';
import type { IrisCluster } from '../../src/engines/iris/definition.ts';
import { createIrisEngine } from '../../src/engines/iris/engine.ts';
import { irisConfig } from './iris-config.ts';
import { createWire, type Wire, type WireFault } from './iris-http.ts';
import { createRecordedIris, type RecordedIris, type RecordedIrisOptions } from './recorded-iris.ts';

export type IrisLab = {
  readonly iris: RecordedIris;
  readonly directory: string;
  readonly pass: (ms: number) => void;
  readonly now: () => number;
  readonly wire: Wire;
  /** What happens to the next requests of that method, in this order. */
  readonly faults: { method: string; fault: WireFault }[];
  /** Another process with the same controller. */
  readonly engine: (changes?: Partial<IrisCluster>, token?: string | null) => Engine;
  readonly spec: (changes?: Partial<JobSpec>) => JobSpec;
  readonly close: () => Promise<void>;
};

export async function openIrisLab(options: Partial<RecordedIrisOptions> = {}): Promise<IrisLab> {
  const directory = await mkdtemp(join(tmpdir(), 'ferrybot-iris-'));
  await writeFile(join(directory, 'train.py'), 'print(1)\n');
  let nowMs = Date.UTC(2026, 10, 22);
  const now = (): number => nowMs;
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  const iris = createRecordedIris({
    now,
    plan: ([kind, lines]) => ({
      pendingMs: 100,
      endAfterMs: kind === 'endless' ? null : 2_000,
      exitCode: kind === 'failing' ? 3 : 0,
      lines: (lines ?? '').split(' ').filter(Boolean),
    }),
    ...options,
  });
  const faults: { method: string; fault: WireFault }[] = [];
  const wire = createWire(iris, (method) => {
    const at = faults.findIndex((one) => method.endsWith(`/${one.method}`));
    return at === -1 ? null : (faults.splice(at, 1)[0]?.fault ?? null);
  });
  return {
    ...{ iris, directory, pass, now, wire, faults },
    engine: (changes = {}, token = null) =>
      createIrisEngine({ cluster: irisConfig(changes), token, now, http: wire.http, sleep: async (ms) => pass(ms) }),
    spec: (changes = {}) => ({
      submissionId: 'job-1',
      command: ['quick'],
      env: {},
      workingDirectory: directory,
      metadata: { run: 'ferry-daily-20261122', attempt: 1, manifest: 'sha256:aa', proof: 'p' },
      ...changes,
    }),
    close: () => rm(directory, { recursive: true }),
  };
}
