/** TPU VMs through a stand-in for gcloud: the calls, and how the output is read. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { mintAction } from '../../src/actions/mint.ts';
import { judgeBadNode } from '../../src/care/bad-node.ts';
import {
  changeWithGcloud,
  createTpuCloud,
  gcloudEnvironment,
  readListing,
  readWithGcloud,
} from '../../src/clouds/gcp/gcloud.ts';
import type { VmIdentity } from '../../src/domain/actions/action.ts';
import { type Capability, CapabilityError } from '../../src/domain/actions/capability.ts';
import { deleteStep, isSameVm, type TpuCloud, type TpuVm } from '../../src/domain/care/machines.ts';
import { canonicalDigest } from '../../src/logbook/chain.ts';
import {
  aConsentComment,
  anActionRecord,
  aProposal,
  at,
  digestOf,
  evidence,
  someActionFacts,
} from '../care/consent-parts.ts';
import { aNode, type GcloudStandIn, type GcloudState, startGcloudStandIn } from '../care/gcloud-standin.ts';

const PLACE = { project: 'example-lab', zones: ['us-central1-a'] };
const BAD = aNode('ray-worker-7c21', '10.130.1.45');
const GOOD = aNode('ray-worker-8d32', '10.130.1.46');
const VM: VmIdentity = {
  name: 'ray-worker-7c21',
  zone: 'us-central1-a',
  createdAt: BAD.createTime,
  address: '10.130.1.45',
};

let standin: GcloudStandIn | null = null;
afterEach(async () => {
  await standin?.remove();
  standin = null;
});

async function cloudOf(
  state: GcloudState,
  zones = PLACE.zones,
): Promise<{ readonly cloud: TpuCloud; readonly standin: GcloudStandIn }> {
  standin = await startGcloudStandIn(state);
  return { cloud: createTpuCloud(standin.gcloud, { ...PLACE, zones }), standin };
}

/** A consent to the deletion of this VM. */
function consentTo(vm: VmIdentity): Capability {
  const what = aProposal({
    change: { kind: 'delete-tpu-vm', vm },
    steps: [deleteStep(PLACE.project, vm)],
    evidence: canonicalDigest(evidence, digestOf),
  });
  const digest = canonicalDigest(what, digestOf);
  const body = `/approve ${digest.slice(7, 39)}`;
  const said = aConsentComment({ body });
  const given = anActionRecord();
  const action = {
    ...given,
    proposal: what,
    digest,
    approvals: given.approvals.map((one) => ({ ...one, source: { ...one.source, bodyDigest: said.bodyDigest } })),
  };
  const minted = mintAction(someActionFacts({ action, cited: { kind: 'known', value: said } }), { seq: 22 });
  if (!minted.ok) throw new Error(minted.error.code);
  return minted.value;
}

describe('the list', () => {
  it('is requested per zone, and yields name, zone, state, time, label and all addresses by worker', async () => {
    const slice = aNode('ray-worker-slice', '10.130.2.1', {
      networkEndpoints: [
        { ipAddress: '10.130.2.1', port: 8470 },
        { ipAddress: '10.130.2.2', port: 8470, accessConfig: { externalIp: '35.1.2.3' } },
      ],
    });
    const {
      cloud,
      standin: { calls },
    } = await cloudOf({ nodes: [BAD, slice] }, ['us-central1-a', 'us-central1-b']);
    const listing = await cloud.list();
    if (listing.kind !== 'listed') throw new Error(listing.message);
    expect(listing.vms.map(({ name, workers }) => [name, workers])).toEqual([
      ['ray-worker-7c21', [['10.130.1.45', '35.130.1.45']]],
      ['ray-worker-slice', [['10.130.2.1'], ['10.130.2.2', '35.1.2.3']]],
    ]);
    expect(listing.vms[0]).toMatchObject({ zone: 'us-central1-a', state: 'READY', rayCluster: 'us-central1' });
    expect(await calls()).toEqual(
      ['us-central1-a', 'us-central1-b'].map((zone) => [
        ...['compute', 'tpus', 'tpu-vm', 'list', '--project', 'example-lab', '--zone', zone, '--format=json'],
      ]),
    );
  });

  it.each([
    ['the service is not available', 'server-error', /503/],
    ['no account is logged in', 'not-logged-in', /active account/],
    ['the answer is a table instead of JSON', 'not-json', /no JSON/],
    ['the answer is JSON of another shape', 'other-shape', /another shape/],
    ['the answer is empty', 'empty', /no JSON/],
    ['the request is not permitted', 'denied', /PERMISSION_DENIED/],
    ['the answer is larger than a list can be', 'loud', /no JSON|output-limit/],
  ])('is unknown if %s', async (_, kind, why) => {
    const { cloud } = await cloudOf({ nodes: [BAD], faults: [{ verb: 'list', kind }] });
    const listing = await cloud.list();
    expect(listing).toMatchObject({ kind: 'unknown', message: expect.stringMatching(why) });
    expect((await cloud.list()).kind).toBe('listed');
  });

  it("is read from the cloud's full output, and each address belongs to one machine", async () => {
    const text = await readFile(join(import.meta.dirname, '../../fixtures/gcloud/tpu-list.json'), 'utf8');
    const listing = readListing(text);
    if (listing.kind !== 'listed') throw new Error(listing.message);
    expect(listing.vms.map(({ state, zone, workers }) => [state, zone, workers.length])).toEqual([
      ['READY', 'us-west4-a', 4],
      ['PREEMPTED', 'us-west4-a', 0],
      ['CREATING', 'us-west4-a', 1],
      ['READY', 'us-west4-a', 1],
      ['SUSPENDED', 'us-central2-b', 1],
      ['REPAIRING', 'us-central2-b', 1],
    ]);
    const machineOf = (...workers: readonly string[]): string => {
      const match = { attempt: 1, signatures: ['device-busy'], lines: [], workers, since: at(0) };
      const judged = judgeBadNode(match, listing, at(1));
      if (judged.kind === 'wait') return judged.kind;
      return judged.kind === 'unclear' ? judged.code : `${judged.vm.name} ${judged.vm.zone} ${judged.workers.join()}`;
    };
    expect(machineOf('10.182.0.13')).toBe('ray-marin-us-west4-worker-1a2b3c4d-tpu us-west4-a 2');
    expect(machineOf('34.125.0.12', '10.182.0.11')).toBe('ray-marin-us-west4-worker-1a2b3c4d-tpu us-west4-a 0,1');
    expect(machineOf('2600:1900:4040:1:0:0:0:8')).toBe('ray-marin-us-central2-worker-bbbb2222-tpu us-central2-b 0');
    expect(machineOf('10.130.4.7')).toBe('ray-marin-us-central2-worker-aaaa1111-tpu us-central2-b 0');
    expect(machineOf('10.182.0.2')).toBe('head-node');
    // An address that is the prefix of another, and two machines with one address.
    expect(machineOf('10.182.0.1')).toBe('no-machine');
    expect(machineOf('10.182.0.11', '10.130.4.7')).toBe('several-workers');
  });

  it('is unknown if a machine has a name that looks like an option', async () => {
    const { cloud } = await cloudOf({ nodes: [aNode('--quiet', '10.0.0.1'), BAD] });
    expect(await cloud.list()).toMatchObject({ kind: 'unknown' });
  });

  it('is unknown if gcloud is missing', async () => {
    const {
      standin: { gcloud },
    } = await cloudOf({ nodes: [] });
    const cloud = createTpuCloud({ ...gcloud, program: '/nonexistent/gcloud' }, PLACE);
    expect(await cloud.list()).toMatchObject({ kind: 'unknown', message: expect.stringMatching(/ENOENT/) });
  });
});

describe('the deletion', () => {
  it("calls exactly the policy's command for that machine, which is then gone", async () => {
    const {
      cloud,
      standin: { calls },
    } = await cloudOf({ nodes: [BAD, GOOD] });
    expect(await cloud.deleteVm(VM, { capability: consentTo(VM), now: at(12) })).toEqual({ kind: 'deleted' });
    expect(await calls()).toEqual([
      [
        'compute',
        'tpus',
        'tpu-vm',
        'delete',
        'ray-worker-7c21',
        '--project',
        'example-lab',
        '--zone',
        'us-central1-a',
        '--quiet',
      ],
    ]);
    const listing = await cloud.list();
    expect(listing.kind === 'listed' && listing.vms.map(({ name }) => name)).toEqual(['ray-worker-8d32']);
  });

  it('makes no call for another machine than approved, nor a second call', async () => {
    const {
      cloud,
      standin: { calls },
    } = await cloudOf({ nodes: [BAD, GOOD] });
    const token = consentTo(VM);
    await expect(
      cloud.deleteVm({ ...VM, name: 'ray-worker-8d32' }, { capability: token, now: at(12) }),
    ).rejects.toThrow(CapabilityError);
    expect(await calls()).toEqual([]);
    await cloud.deleteVm(VM, { capability: token, now: at(12) });
    await expect(cloud.deleteVm(VM, { capability: token, now: at(12) })).rejects.toThrow(CapabilityError);
    expect(await calls()).toHaveLength(1);
  });

  it.each([
    ['the answer is lost after the deletion', 'lost'],
    ['the service is not available', 'server-error'],
    ['the request is not permitted', 'denied'],
  ])('is unknown and must be checked if %s', async (_, kind) => {
    const { cloud } = await cloudOf({ nodes: [BAD], faults: [{ verb: 'delete', kind }] });
    expect(await cloud.deleteVm(VM, { capability: consentTo(VM), now: at(12) })).toMatchObject({ kind: 'unknown' });
  });

  it('has certainly failed only if gcloud did not start', async () => {
    const {
      standin: { gcloud },
    } = await cloudOf({ nodes: [BAD] });
    const cloud = createTpuCloud({ ...gcloud, program: '/nonexistent/gcloud' }, PLACE);
    expect(await cloud.deleteVm(VM, { capability: consentTo(VM), now: at(12) })).toMatchObject({ kind: 'failed' });
  });
});

describe('gcloud', () => {
  it('reads only with commands on the list of read commands', async () => {
    const {
      standin: { gcloud, calls },
    } = await cloudOf({ nodes: [BAD] });
    expect(() => readWithGcloud(gcloud, ['compute', 'tpus', 'tpu-vm', 'delete', 'x'], 1_000)).toThrow(/no reading/);
    expect(() =>
      changeWithGcloud(
        gcloud,
        { kind: 'delete-tpu-vm', command: ['rm'] },
        { capability: consentTo(VM), now: at(12) },
        1_000,
      ),
    ).toThrow(/not gcloud/);
    expect(await calls()).toEqual([]);
  });

  it('gets its own credentials and no GitHub token', () => {
    const env = gcloudEnvironment({ PATH: '/bin', GITHUB_TOKEN: 'x', FERRYBOT_RUNNER_KEY: 'y', CLOUDSDK_CONFIG: '/c' });
    expect(env).toEqual({ PATH: '/bin', CLOUDSDK_CONFIG: '/c', CLOUDSDK_CORE_DISABLE_PROMPTS: '1' });
  });
});

describe('a machine of the same name', () => {
  const listed: TpuVm = {
    name: VM.name,
    zone: VM.zone,
    state: 'READY',
    createdAt: VM.createdAt,
    acceleratorType: '',
    rayCluster: '',
    rayNodeType: '',
    workers: [['10.130.1.45']],
  };
  it.each([
    ['is the same machine if all its properties are equal', listed, true],
    ['is another machine if it was created later', { ...listed, createdAt: '2026-11-21T00:00:00Z' }, false],
    ['is another machine if it is in another zone', { ...listed, zone: 'us-central1-b' }, false],
    ['is another machine if it has another address', { ...listed, workers: [['10.130.1.99']] }, false],
  ])('%s', (_, vm, same) => expect(isSameVm(vm, VM)).toBe(same));
});
