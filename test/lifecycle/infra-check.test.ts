/**
 * A check run on a branch that changes a cluster file marks setup commands that write although the bucket may
 * be unmounted.
 */

import { afterEach, describe, expect, it } from 'vitest';
import { MINUTE, pushFile, readBranchFile, SHORT_FERRY } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

const FILE = 'infra/vllm.yaml';
const CLUSTER = `
  us-central1-vllm:
    engine: ray
    dashboard: "http://10.0.0.2:8265"
    acceleratorHoursPerRun: "4"
    gcp: { project: example-lab, zones: [us-central1-a] }
    disk: { mountPoint: /mnt/models/bucket, clusterFile: ${FILE} }
`;
const GUARDED = 'mountpoint -q /mnt/models/bucket && mkdir -p /mnt/models/bucket/x';
const fileWith = (...commands: readonly string[]): string =>
  `cluster_name: vllm\nsetup_commands:\n${commands.map((one) => `  - ${one}\n`).join('')}`;

let lab: VirtualLab;
afterEach(async () => {
  expect(lab.world.state.unserved).toEqual([]);
  await lab.close();
});

async function open(webhooks = true): Promise<void> {
  lab = await openVirtualLab({
    ferry: SHORT_FERRY,
    webhooks,
    config: (text) => text.replace(/^clusters:\n/m, `clusters:${CLUSTER}`),
  });
}

async function branchOff(): Promise<void> {
  const sha = (await lab.store.refs('refs/heads/main')).get('refs/heads/main');
  await lab.as('ada', 'POST', '/git/refs', { ref: 'refs/heads/more-models', sha });
}

async function push(path: string, text: string): Promise<void> {
  await pushFile(lab, 'ada', 'more-models', path, text);
  await lab.clock.advance(MINUTE);
}

const checks = () => Object.values(lab.world.state.checkRuns).filter(({ name }) => name === 'ferrybot / infra');
const tip = async () => (await lab.store.refs('refs/heads/more-models')).get('refs/heads/more-models');

describe('a branch that changes a cluster file', () => {
  // rule AG-20
  it('gets an annotation on the line of each unguarded write until it is fixed', async () => {
    await open();
    await branchOff();
    await push(FILE, fileWith('pip install ray', 'mkdir -p /mnt/models/bucket/x'));
    expect(checks()).toMatchObject([{ conclusion: 'failure', headSha: await tip() }]);
    expect(checks()[0]?.annotations).toMatchObject([
      { path: FILE, startLine: 4, level: 'failure', message: expect.stringContaining('mkdir -p /mnt/models/bucket/x') },
    ]);
    await push(FILE, fileWith('pip install ray', GUARDED));
    expect(checks()).toMatchObject([
      { conclusion: 'failure' },
      { conclusion: 'success', headSha: await tip(), annotations: [] },
    ]);
  });

  it('gets a neutral check for commands and files that ferrybot cannot parse', async () => {
    await open();
    await branchOff();
    await push(FILE, fileWith('function fill { touch /mnt/models/bucket/$1; }; fill x'));
    expect(checks()).toMatchObject([{ conclusion: 'neutral' }]);
    expect(checks()[0]?.annotations).toMatchObject([{ startLine: 3, level: 'notice' }]);
    await push(FILE, 'setup_commands: [\n');
    expect(checks()[1]).toMatchObject({ conclusion: 'neutral', annotations: [{ path: FILE }] });
  });

  it('gets the check for every cluster file in infra/ but not for other files, and next to the config check', async () => {
    await open();
    await branchOff();
    await push('infra/values.yaml', 'replicas: 2\n');
    await push('README.md', 'Another text.\n');
    expect(checks()).toEqual([]);
    await push('infra/other.yml', fileWith('gcsfuse b /mnt/b/c || true', 'touch /mnt/b/c/x'));
    expect(checks()[0]?.annotations.map(({ path, startLine }) => [path, startLine])).toEqual([
      ['infra/other.yml', 4],
      ['infra/other.yml', 3],
    ]);
    const config = '.github/ferrybot.yml';
    await push(config, `${(await readBranchFile(lab, 'main', config)) ?? ''}\n# A word.\n`);
    const onTip = Object.values(lab.world.state.checkRuns).filter(({ name }) => name.startsWith('ferrybot / '));
    const sha = await tip();
    expect(onTip.filter(({ headSha }) => headSha === sha).map(({ name }) => name)).toEqual([
      'ferrybot / config',
      'ferrybot / infra',
    ]);
  });
});

it('gets annotations for the first fifty findings of a file', async () => {
  await open();
  await branchOff();
  await push(FILE, fileWith(...Array.from({ length: 120 }, (_, index) => `touch /mnt/models/bucket/${index}`)));
  const [check] = checks();
  expect(check?.annotations.map(({ startLine }) => startLine)).toEqual(
    Array.from({ length: 50 }, (_, index) => index + 3),
  );
});
