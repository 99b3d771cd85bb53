/**
 * Disk care in the playground's runner and in act: the scan workflow, the issue, a consent there, and the
 * care workflow that cleans a worker with real mounts. A stand-in for gcloud is on the runner's PATH. Takes
 * up to a minute.
 */

import { chmodSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '../../../packages/playground/test/support/outside-tools.ts';
import { aNode, type GcloudStandIn, startGcloudStandIn } from '../../care/gcloud-standin.ts';
import { hasNamespaces, makeTpuWorker, type TpuWorkerSandbox } from '../../support/tpu-worker.ts';
import { type BundleWorld, bookmark, HOSTED, HOSTED_TOO, openBundleWorld } from '../../trust/bundle-world.ts';
import { type PlayWorkflow, playOnAct, playOnOurRunner, toComparable } from './two-runners.ts';

const AT = '/tmp/gcsfuse_mount';
const CLUSTER = 'us-central1-vllm';
const CARER = { name: 'carer', labels: ['self-hosted', 'ferrybot-care'] };
/** No PATH here contains uv, so that the scripts run without it. */
const DISKS = `
clusters:
  ${CLUSTER}:
    engine: ray
    dashboard: "http://127.0.0.1:9"
    acceleratorHoursPerRun: "4"
    gcp: { project: example-lab, zones: [us-central1-a] }
    disk:
      mountPoint: ${AT}
      clusterFile: infra/marin-us-central1-vllm.yaml
      pythonWithoutUv: [python3]
      initWorker: [uv, run, scripts/init_worker.py, "{worker}"]
      cleanupAlive: { command: [echo, cleanup-cron-1 RUNNING], expect: RUNNING }
`;

describeWith('act', 'disk care by its workflows', () => {
  let lab: BundleWorld;
  let folder: string;
  let standin: GcloudStandIn;
  let rewind: () => Promise<void>;
  const path = process.env['PATH'] ?? '';
  const program = (name: string, lines: readonly string[]): void => {
    const file = join(folder, 'bin', name);
    writeFileSync(file, `#!/bin/sh\n${lines.join('\n')}\n`);
    chmodSync(file, 0o755);
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ferrybot-disks-'));
    await mkdir(join(folder, 'bin'));
    standin = await startGcloudStandIn({ nodes: [] });
    // Through the PATH, because ferrybot passes no variable of this test on.
    program('gcloud', [`GCLOUD_STANDIN=${standin.folder} PATH=${path} exec python3 ${standin.gcloud.program} "$@"`]);
    process.env['PATH'] = `${join(folder, 'bin')}:${withoutUv(path)}`;
    lab = await openBundleWorld({ server: false, config: [['\nclusters:\n', DISKS]] });
    for (const [id, repo] of Object.entries(lab.world.state.repos))
      lab.world.state.repos[id] = { ...repo, variables: { ...repo.variables, FERRYBOT_SERVER: 'off' } };
    const mounted = join(standin.folder, 'workers/ray-a/0/mounted');
    await lab.as('mira', 'PUT', '/contents/scripts/init_worker.py', {
      message: 'Initialise a worker',
      content: btoa(`open(${JSON.stringify(mounted)}, "w").write("${AT}")\nprint("Worker initialized")\n`),
    });
    await lab.runJobs();
    rewind = await bookmark(lab);
  });
  afterAll(async () => {
    process.env['PATH'] = path;
    await lab?.close();
    await standin?.remove();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const runners: readonly (readonly [string, () => PlayWorkflow, 'all' | 'one'])[] = [
    ['our runner', () => playOnOurRunner(lab), 'all'],
    ['act', () => playOnAct(lab, folder, {}, [join(folder, 'bin')]), 'one'],
  ];

  it.skipIf(!hasNamespaces()).each(runners)('cleans a worker on %s', async (_, runner, reach) => {
    await rewind();
    // With act, none of the playground's runners may take what control dispatches.
    await lab.useRunners(...(reach === 'all' ? [HOSTED, HOSTED_TOO, CARER] : []));
    const worker = await shortOfDisk();
    const play = runner();
    const scanned = await play('ferrybot-disk-scan.yml', { cluster: CLUSTER });
    expect(toComparable(scanned)).toMatchObject({
      jobs: { 'disk-scan': 'success', record: 'success' },
      results: ['reconciled', 'scanned'],
    });
    const { number, body } = theIssue();
    expect(body).toContain('`ray-a` worker 0');
    lab.clock.advance(5_000);
    const command = /\/approve [0-9a-f]{32}/.exec(body)?.[0];
    await lab.as('mira', 'POST', `/issues/${number}/comments`, { body: command });
    if (reach === 'all') await lab.runJobs();
    else {
      await play('ferrybot-chat.yml', { run: '' });
      const care = await play('ferrybot-care.yml', { run: 'journal', action: mutationIn() });
      expect(toComparable(care)).toMatchObject({
        jobs: { care: 'success', record: 'success' },
        results: ['cleaned', 'reconciled'],
      });
    }
    expect(theIssue().body).toContain('done: `cleaned`');
    expect(worker.bucket()).toEqual(['precious']);
    expect(worker.list(AT)).toEqual([]);
    if (reach === 'one') return;
    // The order is used: a second run changes nothing and reports this.
    const before = (await standin.calls()).length;
    const again = toComparable(await play('ferrybot-care.yml', { run: 'journal', action: mutationIn() }));
    expect(again.jobs['care']).toBe('failure');
    expect(again.results).toContain('already-over');
    expect((await standin.calls()).length).toBe(before);
  });

  /** A worker with an unmounted bucket and a boot disk full of the bucket's data. */
  async function shortOfDisk(): Promise<TpuWorkerSandbox> {
    await rm(join(standin.folder, 'workers'), { recursive: true, force: true });
    await standin.set({ nodes: [aNode('ray-a', '10.130.0.1')] });
    const worker = makeTpuWorker(100_000_000, join(standin.folder, 'workers/ray-a/0'));
    worker.putInBucket('precious', 'of the whole lab');
    worker.write(`${AT}/models/weights`, 'x'.repeat(95_000_000));
    return worker;
  }

  function theIssue(): { readonly number: number; readonly body: string } {
    const found = Object.values(lab.world.state.issues).find(({ title }) => title.startsWith('Disks of'));
    if (found === undefined) throw new Error('there is no issue about disks');
    return found;
  }

  /** The digest of the care run that control dispatched. */
  function mutationIn(): string {
    const runs = Object.values(lab.world.state.runs).filter(({ path: file }) => file.endsWith('-care.yml'));
    const digest = runs.map(({ displayTitle: title }) => /sha256:[0-9a-f]{64}/.exec(title)?.[0]).find(Boolean);
    if (digest === undefined) throw new Error('no care was dispatched');
    return digest;
  }
});

/** The PATH without folders that contain uv; Python and git are in the system's folders. */
function withoutUv(path: string): string {
  return [...path.split(':').filter((one) => one.includes('node')), '/usr/bin', '/bin'].join(':');
}
