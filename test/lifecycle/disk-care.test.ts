/**
 * Disk care as users see it: a scan, one issue per cluster with proposals, reported changes, and the closing
 * of the issue.
 */

import { afterEach, describe, expect, it } from 'vitest';
import type { DiskPort } from '../../src/app/disk-scan/disk-port.ts';
import type { Inspection } from '../../src/care/disk/scan-record.ts';
import type { ChangeStep } from '../../src/domain/actions/action.ts';
import { spendCapability } from '../../src/domain/actions/capability.ts';
import { known, unknown } from '../../src/domain/values.ts';
import type { ProgramResult } from '../../src/host/process.ts';
import { requireActionLine } from '../support/approve.ts';
import {
  CLEARED,
  DISK_CLUSTER,
  DISK_WORKFLOW,
  programEnded as ended,
  FINE,
  MISPLACED,
  MOUNTED,
} from '../support/disk-lab.ts';
import { commentAndReadCode } from '../support/recorded.ts';
import { listBotComments, listRepeatedComments, MINUTE, postComment } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

const lowLine = (tpu: string, percent: number): string => `  ⚠ ${tpu} worker 0: ${percent}% free (4.0G available)\n`;

let lab: VirtualLab;
/** The current state of the cluster. */
let cluster: {
  stdout: string;
  exitCode: number;
  looks: Readonly<Record<string, Inspection>>;
  cleanup: boolean | null;
  /** Inspecting this worker throws an internal error. */
  bug?: string;
};

/** Calls that change the cluster, and their effects. */
let called: ChangeStep[];
let port: DiskPort;
let onChange: (step: ChangeStep) => ProgramResult;

afterEach(async () => {
  expect(listRepeatedComments(lab)).toEqual([]);
  expect(lab.world.state.unserved).toEqual([]);
  await lab.close();
});

async function open(): Promise<void> {
  called = [];
  onChange = () => ended('');
  cluster = { stdout: FINE, exitCode: 0, looks: {}, cleanup: true };
  port = {
    scan: async () => ({ stdout: cluster.stdout, stderr: '', exitCode: cluster.exitCode }),
    list: async () => ({
      kind: 'listed',
      vms: Object.keys(cluster.looks).map((name) => ({
        name,
        zone: 'us-central1-a',
        state: 'READY',
        createdAt: '2026-11-20T01:02:03Z',
        acceleratorType: 'v5p-8',
        rayCluster: 'us-central1',
        rayNodeType: '',
        workers: [['10.130.0.1']],
      })),
    }),
    inspect: async ({ tpu }) => {
      if (tpu === cluster.bug) throw new TypeError('a bug of the day');
      return cluster.looks[tpu] ?? { disk: unknown('x'), mounts: unknown('x'), folders: unknown('x') };
    },
    cleanupAlive: async () => (cluster.cleanup === null ? unknown('no answer') : known(cluster.cleanup)),
    change: async (step, permit) => {
      spendCapability(permit, step);
      called.push(step);
      return onChange(step);
    },
  };
  lab = await openVirtualLab({
    config: (text) => text.replace(/^clusters:\n/m, `clusters:${DISK_CLUSTER}`),
    disks: async () => port,
  });
  await lab.as('mira', 'PUT', '/contents/.github/workflows/disks.yml', {
    message: 'Scan the disks',
    content: Buffer.from(DISK_WORKFLOW).toString('base64'),
  });
}

/** Scans once and waits until control has processed the result. */
async function scan(): Promise<void> {
  await lab.as('mira', 'POST', '/actions/workflows/disks.yml/dispatches', { ref: 'main' });
  await lab.clock.advance(4 * MINUTE);
}

type Issue = { readonly number: number; readonly body: string; readonly state: string; readonly title: string };
const issues = (): readonly Issue[] =>
  Object.values(lab.world.state.issues).filter(({ title }) => title.startsWith('Disks of')) as readonly Issue[];
const theIssue = (): Issue => {
  const [issue, ...more] = issues();
  if (issue === undefined || more.length > 0) throw new Error(`${issues().length} issues\n${lab.log.join('\n')}`);
  return issue;
};
const ends = (): readonly string[] =>
  listBotComments(lab)
    .filter(({ kind }) => kind === 'disk-end')
    .map(({ text }) => text);
const changes = (): readonly string[] =>
  listBotComments(lab)
    .filter(({ kind }) => kind === 'disk-change')
    .map(({ text }) => text);

describe('the disk issue of a cluster', () => {
  it('is not opened while all disks have space', async () => {
    await open();
    await scan();
    expect(issues()).toEqual([]);
  });

  it("lists each worker with cause and approvable actions, and is closed and reopened with the disks' state", async () => {
    await open();
    cluster.stdout = lowLine('ray-vllm-a', 4) + lowLine('ray-vllm-b', 4);
    cluster.looks = { 'ray-vllm-a': MISPLACED, 'ray-vllm-b': MOUNTED };
    await scan();
    const first = theIssue();
    expect(first.body.slice(first.body.indexOf('\n'))).toMatchSnapshot();
    await scan();
    expect(changes()).toEqual([]);
    cluster.stdout = lowLine('ray-vllm-b', 15);
    cluster.looks = { 'ray-vllm-b': { ...MOUNTED, disk: known({ usedBytes: 85, availableBytes: 15 }) } };
    await scan();
    expect(changes()).toMatchSnapshot();
    expect(theIssue().state).toBe('open');
    cluster.stdout = FINE;
    await scan();
    expect(theIssue()).toMatchObject({ number: first.number, state: 'closed' });
    expect(changes().at(-1)).toContain('All workers of `us-central1-vllm` have free space on their disks.');
    cluster.stdout = lowLine('ray-vllm-a', 4);
    cluster.looks = { 'ray-vllm-a': MISPLACED };
    await scan();
    expect(theIssue()).toMatchObject({ number: first.number, state: 'open' });
  });

  // rule AG-31
  it('is opened by one scheduled scan of all clusters with disk care, even if one scan fails', async () => {
    await open();
    await lab.close();
    const twice = DISK_CLUSTER + DISK_CLUSTER.replaceAll('us-central1', 'us-east5');
    lab = await openVirtualLab({
      config: (text) => text.replace(/^clusters:\n/m, `clusters:${twice}`),
      disks: async (_open, { cluster: name }) => ({
        ...port,
        scan: async () => {
          if (name === 'us-central1-vllm') throw new TypeError('a bug of the day');
          return { stdout: lowLine(`ray-${name}`, 4), stderr: '', exitCode: 0 };
        },
      }),
    });
    const every = DISK_WORKFLOW.replace('cluster: us-central1-vllm', 'cluster: all');
    expect(every).not.toBe(DISK_WORKFLOW);
    await lab.as('mira', 'PUT', '/contents/.github/workflows/disks.yml', {
      message: 'Scan the disks',
      content: Buffer.from(every).toString('base64'),
    });
    await scan();
    expect(issues().map(({ title }) => title)).toEqual(['Disks of the workers of us-east5-vllm']);
    expect(lab.log.join('\n')).toContain('a bug of the day');
  });

  it('keeps its content and shows that a scan was unreadable', async () => {
    await open();
    cluster.stdout = lowLine('ray-vllm-a', 4);
    cluster.looks = { 'ray-vllm-a': MISPLACED };
    await scan();
    const before = theIssue().body;
    for (const [stdout, exitCode] of [
      ['', 0],
      [FINE, 1],
    ] as const) {
      Object.assign(cluster, { stdout, exitCode });
      await scan();
      expect(theIssue()).toMatchObject({ state: 'open', body: expect.stringContaining('could not be read') });
      expect(theIssue().body).toContain('`ray-vllm-a` worker 0');
    }
    expect(changes()).toEqual([]);
    expect(before).not.toContain('could not be read');
    expect(lab.log.filter((line) => line.startsWith('disk-scan: scan-unreadable'))).toHaveLength(2);
  });

  it('stays open after a scan that does not cover every worker', async () => {
    await open();
    cluster.stdout = lowLine('ray-vllm-a', 4);
    cluster.looks = { 'ray-vllm-a': MISPLACED };
    await scan();
    cluster.stdout = `ERROR: ray-vllm-a worker 0: could not read its disk\n${FINE}`;
    await scan();
    expect(theIssue().state).toBe('open');
    expect(theIssue().body).toContain('does not cover every worker');
  });

  it('lists the other workers if inspecting one worker fails, and shows that one as unknown', async () => {
    await open();
    cluster.stdout = lowLine('ray-vllm-a', 4) + lowLine('ray-vllm-b', 4);
    cluster.looks = { 'ray-vllm-a': MISPLACED, 'ray-vllm-b': MISPLACED };
    cluster.bug = 'ray-vllm-a';
    await scan();
    const { body } = theIssue();
    expect(body).toContain('ferrybot met an error of its own');
    expect(body.match(/`clean-disk` of `\S+`:/g)).toEqual(['`clean-disk` of `ray-vllm-b`:']);
    expect(lab.log.filter((line) => line.startsWith('disk-scan threw AggregateError'))).toHaveLength(1);
  });

  // rule AG-17
  it('proposes nothing if the mounts are unknown', async () => {
    await open();
    cluster.stdout = lowLine('ray-vllm-a', 4);
    cluster.looks = { 'ray-vllm-a': { ...MISPLACED, mounts: unknown('the mount table is empty') } };
    await scan();
    expect(theIssue().body).toContain('its mounts could not be read: the mount table is empty');
    expect(theIssue().body).not.toContain('/approve');
  });

  it('is opened for a cleanup job that is not running, but not if its state is unknown', async () => {
    await open();
    cluster.cleanup = null;
    await scan();
    expect(issues()).toEqual([]);
    cluster.cleanup = false;
    await scan();
    expect(theIssue().body).toMatch(/`start-cleanup-cron` of .*\s+```\s+\/approve [0-9a-f]{32}/);
    cluster.cleanup = true;
    await scan();
    expect(theIssue().state).toBe('closed');
  });

  // rule AG-19
  it("accepts a maintainer's consent for the proposed worker only, and carries it out once", async () => {
    await open();
    cluster.stdout = lowLine('ray-vllm-a', 4);
    cluster.looks = { 'ray-vllm-a': MISPLACED };
    await scan();
    const { number } = theIssue();
    const yes = requireActionLine(lab, '`clean-disk` of `ray-vllm-a`');
    expect(await commentAndReadCode(lab, 'ravi', number, yes)).toBe('not-permitted');
    expect(called).toEqual([]);
    onChange = ({ kind }) => {
      if (kind === 'clean-disk') {
        cluster.looks = { 'ray-vllm-a': { ...CLEARED, mounts: MISPLACED.mounts } };
        return ended('ferrybot-clean 1 deleted moved freed=62000000000 left=0\n');
      }
      cluster.looks = { 'ray-vllm-a': CLEARED };
      return ended('Worker initialized successfully!\n');
    };
    expect(await commentAndReadCode(lab, 'mira', number, yes)).toBe('action-approved');
    await lab.clock.advance(40 * MINUTE);
    expect(called.map(({ kind }) => kind)).toEqual(['clean-disk', 'init-worker']);
    expect(ends()).toMatchSnapshot();
    expect(theIssue().body).toContain('done: `cleaned`');
    expect(await commentAndReadCode(lab, 'mira', number, yes)).toBe('action-done');
    cluster.stdout = FINE;
    await scan();
    expect(theIssue().state).toBe('closed');
    expect(called).toHaveLength(2);
  });

  it('reports the result of the first failed step and runs no later step', async () => {
    await open();
    cluster.stdout = lowLine('ray-vllm-a', 4);
    cluster.looks = { 'ray-vllm-a': MISPLACED };
    const consent = async (): Promise<void> => {
      await scan();
      await postComment(lab, 'mira', theIssue().number, requireActionLine(lab, '`clean-disk` of `ray-vllm-a`'));
      await lab.clock.advance(15 * MINUTE);
    };
    onChange = () => ended('ferrybot-clean 1 refused mounted freed=0 left=0\n', 3);
    await consent();
    expect(ends().at(-1)).toMatch(/nothing was done: `clean-mounted`/);
    // The response of the next step is lost.
    onChange = () => ended('', 255);
    await consent();
    expect(ends().at(-1)).toMatch(/its result is unknown: `clean-unclear`/);
    onChange = ({ kind }) =>
      kind === 'clean-disk' ? ended('ferrybot-clean 1 deleted moved freed=1 left=0\n') : ended('', 1);
    await consent();
    expect(ends().at(-1)).toMatch(/it failed: `init-failed`/);
    expect(called.map(({ kind }) => kind)).toEqual(['clean-disk', 'clean-disk', 'clean-disk', 'init-worker']);
  });

  it('records that nothing was cleaned if the mount came back before the runner checked', async () => {
    await open();
    cluster.stdout = lowLine('ray-vllm-a', 4);
    cluster.looks = { 'ray-vllm-a': MISPLACED };
    await scan();
    cluster.looks = { 'ray-vllm-a': MOUNTED };
    await postComment(lab, 'mira', theIssue().number, requireActionLine(lab, '`clean-disk` of `ray-vllm-a`'));
    await lab.clock.advance(15 * MINUTE);
    expect(called).toEqual([]);
    expect(ends().at(-1)).toContain('no worker has data beside a missing mount');
  });

  // rule AG-21
  it('starts the cleanup job once after a consent, only if it is not running', async () => {
    await open();
    cluster.cleanup = false;
    await scan();
    onChange = () => {
      cluster.cleanup = true;
      return ended('Cleanup cron job started: x\n');
    };
    await postComment(lab, 'mira', theIssue().number, requireActionLine(lab, '`start-cleanup-cron`'));
    await lab.clock.advance(15 * MINUTE);
    expect(called.map(({ command }) => command.join(' '))).toEqual([
      'uv run scripts/ray/cluster.py --config infra/marin-us-central1-vllm.yaml start-cleanup',
    ]);
    expect(ends().at(-1)).toContain('`alive`');
  });
});
