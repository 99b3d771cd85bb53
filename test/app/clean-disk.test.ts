/** Clearing the hosts of a large slice: many looks a few at one time, and an hour that ends between two steps. */

import { describe, expect, it } from 'vitest';
import { diskCleaning } from '../../src/app/care/clean-disk.ts';
import type { DiskPlace, DiskPort } from '../../src/app/disk-scan/disk-port.ts';
import { diskStepsOf } from '../../src/app/disk-scan/disk-steps.ts';
import type { Looks } from '../../src/care/disk/scan-record.ts';
import { spendCapability } from '../../src/domain/actions/capability.ts';
import { sealCapability } from '../../src/domain/actions/capability-seal.ts';
import { consentEndsAt } from '../../src/domain/care/mutation-state.ts';
import { isMountPoint } from '../../src/domain/care/worker-disk.ts';
import { branded, isInstant } from '../../src/domain/ids.ts';
import { limits } from '../../src/domain/limits.ts';
import { known } from '../../src/domain/observed.ts';
import { after } from '../../src/domain/time.ts';
import { diskSchema } from '../../src/settings/disk-schema.ts';
import { at, proposal, record } from '../care/consent-parts.ts';

const AT = branded('/tmp/gcsfuse_mount', isMountPoint);
const PLACE: DiskPlace = {
  cluster: 'us-central1-vllm',
  mountPoint: AT,
  gcp: { project: 'example-lab', zones: ['us-central1-a'] },
  disk: diskSchema.parse({ mountPoint: AT, clusterFile: 'infra/vllm.yaml' }),
};
const VM = {
  name: 'ray-slice',
  zone: 'us-central1-a',
  createdAt: '2026-11-20T01:02:03Z',
  address: '10.1.0.1',
};
const HOSTS = Array.from({ length: 64 }, (_, host) => host);
const MISPLACED: Looks = {
  disk: known({ usedBytes: 96e9, availableBytes: 4e9 }),
  mounts: known([{ at: '/', type: 'ext4' }]),
  folders: known([
    { path: '/tmp', bytes: 63e9 },
    { path: AT, bytes: 62e9 },
  ]),
};

describe('a slice of 64 hosts', () => {
  it('is asked a few hosts at a time, and its clean-up ends with the hour of the consent, which is said', async () => {
    const steps = diskStepsOf(PLACE);
    const all = [
      ...HOSTS.map((worker) => steps.clean({ tpu: VM.name, worker, vm: VM })),
      steps.initialise(VM.name),
    ];
    const shown = Object.fromEntries(HOSTS.map((host) => [`worker-${host}-percent-free`, '4.0']));
    const mutation = record({
      proposal: proposal({ mutation: { kind: 'clean-disk', vm: VM, mountPoint: AT }, steps: all }),
      evidence: { facts: shown, lines: [] },
    });
    const [consent] = mutation.consents;
    if (consent === undefined) throw new Error('nobody consented');
    let now = at(12);
    let called = 0;
    const asked = { now: 0, most: 0 };
    const port: DiskPort = {
      scan: () => Promise.reject(new Error('nobody scans')),
      list: async () => ({
        kind: 'listed',
        vms: [
          {
            ...VM,
            state: 'READY',
            acceleratorType: 'v5litepod-256',
            rayCluster: 'vllm',
            rayNodeType: 'worker',
            workers: HOSTS.map((host) => [`10.1.0.${host + 1}`]),
          },
        ],
      }),
      look: async () => {
        asked.now += 1;
        asked.most = Math.max(asked.most, asked.now);
        await Promise.resolve();
        asked.now -= 1;
        return MISPLACED;
      },
      cleanupAlive: async () => null,
      workerSeen: async () => null,
      change: async (step, permit) => {
        spendCapability(permit, step);
        called += 1;
        now = after(now, 60_000);
        const stdout = 'ferrybot-clean 1 deleted moved freed=1 left=0\n';
        const end = { kind: 'exited', ok: true, exitCode: 0, signal: null, code: null } as const;
        return { ...end, timedOut: false, stdout, stderr: '' };
      },
    };
    const hands = diskCleaning({
      lab: { now: () => now, boundary: () => undefined },
      place: PLACE,
      port: async () => port,
      vm: VM,
      mutation,
      sleep: () => Promise.reject(new Error('nobody waits')),
    });
    expect(await hands.look()).toEqual({ kind: 'same' });
    const token = sealCapability({ steps: all, until: branded(consentEndsAt(consent), isInstant) });
    const ending = await hands.act(token, at(11));
    expect(ending).toMatchObject({ outcome: 'failed', code: 'consent-expired' });
    // From 12:12 to 13:10, a minute a host.
    expect(called).toBe(58);
    expect(ending.detail['step 58']).toContain('deleted: moved');
    expect(ending.detail['step 59']).toBe('not begun: the hour of the consent was over');
    expect(asked.most).toBe(limits.sshParallelMax);
  });
});
