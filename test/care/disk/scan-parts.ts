/** Scans and workers for tests: complete, of the cluster us-central1, with parts that can be replaced. */

import type { DiskScan, ScannedWorker } from '../../../src/domain/care/machines.ts';

/** A complete scan that found enough space on every disk. */
export function aScan(change: Partial<DiskScan> = {}): DiskScan {
  return {
    cluster: 'us-central1',
    reading: 'whole',
    why: '',
    mountPoint: '/tmp/gcsfuse_mount',
    thresholdPercent: 10,
    warnPercent: 20,
    workers: [],
    cleanup: 'not-asked',
    ...change,
  };
}

/** A worker with an unmounted bucket and 62 GB in its folder. */
export function aWorker(change: Partial<ScannedWorker> = {}): ScannedWorker {
  return {
    tpu: 'ray-vllm-a',
    worker: 0,
    vm: { name: 'ray-vllm-a', zone: 'us-central1-a', createdAt: '2026-11-20T01:02:03Z', address: '10.130.0.1' },
    percentFree: '4.0',
    level: 'low',
    finding: 'mount-missing',
    detail: { misplacedBytes: 62_000_000_000, percentFreeAfter: '67.0' },
    folders: [{ path: '/tmp/gcsfuse_mount/models', bytes: 61_000_000_000 }],
    ...change,
  };
}
