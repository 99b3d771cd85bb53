/**
 * Disk care for hundreds of workers with full disks on one cluster, next to a second cluster that is
 * unreachable.
 */

import { afterEach, describe, expect, it, vi } from 'vitest';
import type { DiskPort } from '../../src/app/disk-scan/disk-port.ts';
import type { ChangeStep } from '../../src/domain/actions/action.ts';
import { spendCapability } from '../../src/domain/actions/capability.ts';
import { limits } from '../../src/domain/limits.ts';
import { unknown } from '../../src/domain/values.ts';
import { COMMENT_CHARACTERS_MAX } from '../../src/render/disk-issue.ts';
import { requireActionLine } from '../support/approve.ts';
import { CLEARED, FINE, MISPLACED, programEnded } from '../support/disk-lab.ts';
import { commentAndReadCode, listAnswerCodes } from '../support/recorded.ts';
import { listAnswersTo, listBotComments, listRepeatedComments, MINUTE, postComment } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

const seam = vi.hoisted(() => ({ cluster: '' }));
vi.mock('../../src/render/disk-issue.ts', async (original) => {
  const whole = await original<typeof import('../../src/render/disk-issue.ts')>();
  return {
    ...whole,
    renderDiskIssue: (view: Parameters<typeof whole.renderDiskIssue>[0]): string => {
      if (view.disks.newest.cluster === seam.cluster) throw new TypeError('no issue today');
      return whole.renderDiskIssue(view);
    },
  };
});
const cluster = (name: string): string => `
  ${name}:
    engine: ray
    dashboard: "http://10.0.0.2:8265"
    acceleratorHoursPerRun: "4"
    gcp: { project: example-lab, zones: [us-central1-a] }
    disk:
      mountPoint: /tmp/gcsfuse_mount
      clusterFile: infra/${name}.yaml
`;
const workflow = (name: string): string => `name: disks of ${name}
on: workflow_dispatch
permissions: {}
jobs:
  scan:
    runs-on: [self-hosted, ferrybot-watch]
    environment: ferrybot-watch
    permissions: { contents: write, pull-requests: read }
    steps:
      - uses: ferrybot/ferrybot@0123456789abcdef0123456789abcdef01234567
        with: { mode: disk-scan, cluster: ${name} }
        env: { FERRYBOT_WATCH_KEY: "\${{ secrets.FERRYBOT_WATCH_KEY }}" }
`;

/** 60 single machines and 60 slices of four: 300 workers, with names as long as those of Ray's autoscaler. */
const HOSTS: readonly { readonly name: string; readonly hosts: number }[] = Array.from({ length: 120 }, (_, index) => ({
  name: `ray-marin-us-central1-vllm-worker-${String(index).padStart(4, '0')}abcd-tpu`,
  hosts: index < 60 ? 1 : 4,
}));

let lab: VirtualLab;
let cleared: Set<string>;
let called: ChangeStep[];
let isEastReached: boolean;
let atOnce: { now: number; most: number };

afterEach(async () => {
  seam.cluster = '';
  expect(listRepeatedComments(lab)).toEqual([]);
  expect(lab.world.state.unserved).toEqual([]);
  await lab.close();
});

function portOf(name: string): DiskPort {
  if (name === 'us-east5' && !isEastReached)
    return {
      scan: async () => ({ stdout: '', stderr: 'ssh: connect to host 10.9.0.2 port 22: timed out', exitCode: 255 }),
      list: async () => ({ kind: 'unknown', message: 'us-east5-a: gcloud: exit code 1' }),
      inspect: async () => ({ disk: unknown('x'), mounts: unknown('x'), folders: unknown('x') }),
      cleanupAlive: async () => null,
      change: () => Promise.reject(new Error('nothing is changed there')),
    };
  const short = (): typeof HOSTS => (name === 'us-east5' ? [] : HOSTS.filter((one) => !cleared.has(one.name)));
  return {
    scan: async () => ({
      stdout:
        short().length === 0
          ? FINE
          : short()
              .flatMap((one) =>
                Array.from(
                  { length: one.hosts },
                  (_, host) => `  ⚠ ${one.name} worker ${host}: 4.0% free (4.0G available)\n`,
                ),
              )
              .join(''),
      stderr: '',
      exitCode: 0,
    }),
    list: async () => ({
      kind: 'listed',
      vms: HOSTS.map((one, index) => ({
        name: one.name,
        zone: 'us-central1-a',
        state: 'READY',
        createdAt: '2026-11-20T01:02:03Z',
        acceleratorType: 'v5p-8',
        rayCluster: 'us-central1',
        rayNodeType: 'worker',
        workers: Array.from({ length: one.hosts }, (_, host) => [`10.${130 + host}.${index}.1`]),
      })),
    }),
    inspect: async ({ tpu }) => {
      atOnce.now += 1;
      atOnce.most = Math.max(atOnce.most, atOnce.now);
      await Promise.resolve();
      atOnce.now -= 1;
      return cleared.has(tpu) ? CLEARED : MISPLACED;
    },
    cleanupAlive: async () => null,
    change: async (step, permit) => {
      spendCapability(permit, step);
      called.push(step);
      if (step.kind === 'init-worker') for (const { name } of HOSTS) if (step.command.includes(name)) cleared.add(name);
      const cleaned = 'ferrybot-clean 1 deleted moved freed=62000000000 left=0\n';
      return programEnded(step.kind === 'clean-disk' ? cleaned : '');
    },
  };
}

async function open(): Promise<void> {
  called = [];
  cleared = new Set();
  isEastReached = false;
  atOnce = { now: 0, most: 0 };
  lab = await openVirtualLab({
    config: (text) => text.replace(/^clusters:\n/m, `clusters:${cluster('us-central1-vllm')}${cluster('us-east5')}`),
    disks: async (_, place) => portOf(place.cluster),
  });
  for (const name of ['us-central1-vllm', 'us-east5'])
    await lab.as('mira', 'PUT', `/contents/.github/workflows/${name}.yml`, {
      message: `Scan the disks of ${name}`,
      content: Buffer.from(workflow(name)).toString('base64'),
    });
}

async function scan(): Promise<void> {
  for (const name of ['us-central1-vllm', 'us-east5'])
    await lab.as('mira', 'POST', `/actions/workflows/${name}.yml/dispatches`, { ref: 'main' });
  await lab.clock.advance(6 * MINUTE);
}

type Issue = { readonly number: number; readonly title: string; readonly body: string; readonly state: string };
const issueOf = (name: string): Issue | null => {
  const found = Object.values(lab.world.state.issues).filter(({ title }) => title.endsWith(` ${name}`));
  expect(found.length).toBeLessThan(2);
  return (found[0] as Issue | undefined) ?? null;
};
const theIssue = (name: string): Issue => {
  const issue = issueOf(name);
  if (issue === null) throw new Error(lab.log.join('\n'));
  return issue;
};
const refusedWrites = (): readonly string[] => lab.log.filter((line) => line.includes('refused'));

describe('300 workers with full disks', () => {
  it('are listed in one issue up to a limit, and an approved proposal runs its displayed steps', async () => {
    await open();
    await scan();
    const issue = theIssue('us-central1-vllm');
    expect(issue.body.length).toBeLessThanOrEqual(COMMENT_CHARACTERS_MAX);
    expect(issue.body).toContain('300 workers of `us-central1-vllm` have almost no disk left');
    expect(issue.body.match(/ 🔴 4\.0% \| nothing is mounted on /g)).toHaveLength(limits.shownRowsMax);
    expect(issue.body).toContain('270 more in the logbook');
    expect(issue.body).toContain('The rest appears here');
    expect(atOnce.most).toBe(limits.sshParallelMax);
    const lines = issue.body.match(/\/approve [0-9a-f]{32}/g) ?? [];
    expect(lines.length).toBeGreaterThan(9);
    const [line = '', last = ''] = [lines[0], lines.at(-1)];
    const said = await postComment(lab, 'mira', issue.number, line);
    await lab.clock.advance(20 * MINUTE);
    expect(await listAnswerCodes(lab, said)).toEqual(['action-approved']);
    const [ssh = '', init = ''] =
      /```text\n([\s\S]*?)\n```/.exec(issue.body.slice(issue.body.indexOf(line)))?.[1]?.split(/\n\n(?=uv run)/) ?? [];
    expect(called.map(({ command }) => command.join(' '))).toEqual([ssh, init.split('\n')[0]]);
    expect(theIssue('us-central1-vllm').body).toContain('done: `cleaned`');
    await scan();
    const { body } = theIssue('us-central1-vllm');
    expect(body).not.toContain(line);
    expect(body).toContain(last);
    expect(body.length).toBeLessThanOrEqual(COMMENT_CHARACTERS_MAX);
    expect(refusedWrites()).toEqual([]);
  });

  it('are cleaned two at a time if one comment approves two, and each only once if it is approved twice', async () => {
    await open();
    const [first = '', second = ''] = HOSTS.map(({ name }) => name);
    for (const { name } of HOSTS.slice(2)) cleared.add(name);
    await scan();
    const { number } = theIssue('us-central1-vllm');
    const lines = [first, second, first].map((name) => requireActionLine(lab, `\`clean-disk\` of \`${name}\``));
    const said = await postComment(lab, 'mira', number, `${lines.join('\n')}\n/approve ${'0'.repeat(32)}`);
    await lab.clock.advance(20 * MINUTE);
    const answer = listAnswersTo(lab, said).join('\n');
    expect(answer.match(/you approved `clean-disk`/g)).toHaveLength(2);
    expect(answer).toContain('and that approval still counts');
    expect(answer).toContain('is not what is shown now');
    expect(called.map(({ kind }) => kind).toSorted()).toEqual([
      ...['clean-disk', 'clean-disk', 'init-worker', 'init-worker'],
    ]);
    expect(called.filter(({ command }) => command.includes(first))).toHaveLength(2);
    expect(lab.log.filter((line) => line.includes('rate limit'))).toEqual([]);
  });

  it('do not hide an unreachable cluster, which gets an issue after its second failed scan, not its first', async () => {
    await open();
    for (const { name } of HOSTS) cleared.add(name);
    await scan();
    expect(issueOf('us-east5')).toBeNull();
    await scan();
    expect(issueOf('us-central1-vllm')).toBeNull();
    expect(theIssue('us-east5').body).toContain('The state of the disks of the workers of `us-east5` is unknown.');
    expect(theIssue('us-east5').body).toContain('with it the last 2, ');
    isEastReached = true;
    await scan();
    expect(theIssue('us-east5').state).toBe('closed');
    expect(listBotComments(lab).filter(({ kind }) => kind === 'disk-change')).toHaveLength(1);
    isEastReached = false;
    await scan();
    expect(theIssue('us-east5').state).toBe('closed');
    await scan();
    expect(theIssue('us-east5')).toMatchObject({
      state: 'open',
      body: expect.stringContaining('could not be read: failed: ssh: connect to host'),
    });
    expect(refusedWrites()).toEqual([]);
  });
});

describe('an invalid consent to clean a disk', () => {
  it('gets one clear answer for each mistake, and changes nothing', async () => {
    await open();
    const [{ name: first } = { name: '' }] = HOSTS;
    for (const { name } of HOSTS.slice(1)) cleared.add(name);
    await lab.as('mira', 'POST', '/issues', { title: 'Something else', body: 'no run' });
    const elsewhere = theIssue('else').number;
    const answered = (where: number, words: string) => commentAndReadCode(lab, 'mira', where, words);
    await scan();
    const line = requireActionLine(lab, `\`clean-disk\` of \`${first}\``);
    const { number } = theIssue('us-central1-vllm');
    expect(await answered(elsewhere, line)).toBe('action-other-thread');
    expect(await answered(elsewhere, `/approve ${'0'.repeat(32)}`)).toBe('action-nothing-proposed');
    // In an unrelated thread, other commands are ignored, and so is a command that other bots have too.
    const words = [
      await postComment(lab, 'mira', elsewhere, '/status'),
      await postComment(lab, 'mira', elsewhere, '/approve'),
    ];
    await scan();
    expect(words.flatMap((word) => listAnswersTo(lab, word))).toEqual([]);
    for (const [text, answer] of [
      ['/approve', 'approval-line-needed'],
      [line.slice(0, -8), 'approval-line-needed'],
      [line.replace('/approve', '/approve-launch'), 'approval-line-needed'],
      ['/approve-disk-cleanup', 'not-understood'],
      [`**${line}**`, 'hint'],
      [`- ${line}`, 'hint'],
      [`${line} please do it`, 'not-understood'],
      [`${line}/0`, 'not-understood'],
      ['/approve deadbeefdead', 'approval-line-needed'],
    ] as const)
      expect(await answered(number, text), text).toBe(answer);
    expect(called).toEqual([]);
    expect(await answered(number, `Thanks!\r\n\r\n${line}\r\n`)).toBe('action-approved');
    await lab.clock.advance(10 * MINUTE);
    expect(await answered(number, line)).toBe('action-done');
    expect(called).toHaveLength(2);
  });
});

describe('an issue that cannot be rendered', () => {
  it('does not prevent the issue of another cluster', async () => {
    await open();
    seam.cluster = 'us-central1-vllm';
    for (let scans = 0; scans < 4; scans += 1) await scan();
    expect(theIssue('us-east5').body).toContain('The state of the disks');
    expect(issueOf('us-central1-vllm')).toBeNull();
    expect(lab.log.join('\n')).toMatch(/a look failed[\s\S]*cluster us-central1-vllm/);
    seam.cluster = '';
    await scan();
    expect(theIssue('us-central1-vllm').state).toBe('open');
  });
});
