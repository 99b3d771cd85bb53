/**
 * Forged consents to a cluster change, written with the stolen control key: the real executor checks the
 * comments itself.
 */

import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createLabOpener, type OpenLab } from '../../src/app/open-lab.ts';
import type { ActionRecord } from '../../src/domain/actions/action.ts';
import type { EventDraft } from '../../src/domain/logbook/define.ts';
import { parseSigningKey } from '../../src/host/keys.ts';
import { requireActionLine } from '../support/approve.ts';
import { diskIssue } from '../support/disk-lab.ts';
import { type BundleWorld, bookmark, openBundleWorld } from './bundle-world.ts';

const CARER = { name: 'carer', labels: ['self-hosted', 'ferrybot-care'] };
const HOUR = 3_600_000;
/** The lab's script: with `start` it starts the cleanup job; it always prints whether the job is alive. */
const SCRIPT = `import os, sys
path, *start = sys.argv[1:]
if start: open(path, 'w').close()
print('RUNNING' if os.path.exists(path) else 'gone')
`;

let lab: BundleWorld;
let rewind: () => Promise<void>;
let started: string;

beforeAll(async () => {
  started = join(await mkdtemp(join(tmpdir(), 'ferrybot-care-')), 'started');
  const cluster = `
clusters:
  pods:
    engine: ray
    dashboard: 'http://10.0.0.2:8265'
    acceleratorHoursPerRun: '4'
    gcp: { project: example-lab, zones: [us-central1-a] }
    disk:
      mountPoint: /tmp/gcsfuse_mount
      clusterFile: infra/marin-us-central1-vllm.yaml
      startCleanup: [python3, scripts/cleanup.py, ${started}, start]
      cleanupAlive: { command: [python3, scripts/cleanup.py, ${started}], expect: RUNNING }
`;
  lab = await openBundleWorld({
    server: true,
    config: [['\nclusters:\n', cluster]],
    files: { 'scripts/cleanup.py': SCRIPT },
  });
  await scanned();
  await lab.sweep();
  lab.clock.advance(5_000);
  await lab.useRunners(CARER);
  rewind = await bookmark(lab);
});
afterEach(() => rewind());
afterAll(async () => {
  await lab.close();
  await rm(join(started, '..'), { recursive: true, force: true });
});

async function opened(as: BundleWorld['control']): Promise<OpenLab> {
  const opening = await createLabOpener(as, 'main').open();
  if (opening.kind !== 'open') throw new Error(`the lab has no config: ${JSON.stringify(opening.config)}`);
  return opening.open;
}

async function append(open: OpenLab, draft: EventDraft): Promise<void> {
  const result = await open.store.append([{ run: 'journal', drafts: [draft] }], open.lab.now());
  if (result.kind !== 'appended') throw new Error(`${draft.type}: ${JSON.stringify(result)}`);
}

/** A scan signed with the watch's key: no cleanup job was seen. */
async function scanned(): Promise<void> {
  const watch = parseSigningKey(lab.keys.roles.watch.privatePem);
  if (!watch.ok) throw new Error(watch.error);
  const open = await opened({ ...lab.control, signingKeys: { watch: watch.value } });
  const data = {
    cluster: 'pods',
    reading: 'whole',
    why: '',
    mountPoint: '/tmp/gcsfuse_mount',
    thresholdPercent: 10,
    warnPercent: 20,
    workers: [],
    cleanup: 'not-seen',
  } as const;
  const { keys } = open.config;
  await append(open, { type: 'disk-scanned', role: 'watch', data: { ...data, keys } as typeof data });
}

function proposalIn(open: OpenLab): ActionRecord {
  const [one] = open.store.current().journal.actions;
  if (one === undefined) throw new Error('nothing was proposed');
  return one;
}

type Said = { readonly id: number; readonly body: string; readonly user: { id: number; login: string } };

async function say(who: string, body: string, thread = diskIssue(lab).number): Promise<Said> {
  return (await lab.as(who, 'POST', `/issues/${thread}/comments`, { body })) as Said;
}

/**
 * Records with the stolen key that this comment is a consent, runs the care workflow, and returns its output.
 */
async function careOn(said: Said): Promise<string> {
  const open = await opened(lab.control);
  const { digest, proposal } = proposalIn(open);
  const source = {
    kind: 'comment',
    comment: said.id,
    surface: 'comment',
    thread: proposal.thread,
    bodyDigest: open.lab.digestOf(said.body),
    writtenAt: new Date(open.lab.now()).toISOString(),
  } as const;
  const { id, login } = said.user;
  const data = { proposal: digest, source };
  await append(open, { type: 'action-approved', role: 'control', actor: { id, login }, data });
  return care();
}

async function care(): Promise<string> {
  const { digest } = proposalIn(await opened(lab.control));
  const inputs = { run: 'journal', action: digest };
  await lab.as('ada', 'POST', '/actions/workflows/ferrybot-care.yml/dispatches', { ref: 'main', inputs });
  return lab.runJobs();
}

const line = (): string => requireActionLine(lab, '`start-cleanup-cron`');

describe('a consent recorded with the stolen control key', () => {
  afterEach(() => expect(existsSync(started), 'the cluster was changed').toBe(false));

  // threat T178
  it.each([
    ['names no digest', (shown: string) => shown.split(' ')[0] ?? ''],
    ['names another digest', (shown: string) => shown.replace(/[0-9a-f]{32}$/, '3f9a1c22b0d4e5f6'.repeat(2))],
  ])(
    'changes nothing if the comment %s',
    async (_, said) => {
      expect(await careOn(await say('mira', said(line())))).toContain('approval-invalid');
    },
    60_000,
  );

  // threat T179
  it('changes nothing if the comment is in another thread', async () => {
    const other = (await lab.as('mira', 'POST', '/issues', { title: 'Another', body: '' })) as {
      readonly number: number;
    };
    expect(await careOn(await say('mira', line(), other.number))).toContain('approval-invalid');
  });

  it("changes nothing if the comment's author may not consent", async () => {
    expect(await careOn(await say('ada', line()))).toContain('approver-not-permitted');
  });

  // threat T180
  it('changes nothing if the issue description was edited and restored before the consent', async () => {
    const { number, body } = diskIssue(lab);
    const consent = line();
    const edit = (text: string): Promise<unknown> => lab.as('ada', 'PATCH', `/issues/${number}`, { body: text });
    await edit(body.replace('1 step', 'No step at all, and 1 step'));
    lab.clock.advance(5_000);
    const said = await say('mira', consent);
    await edit(body);
    expect(await careOn(said)).toContain('approval-outdated');
  });

  it('changes nothing if a later /hold in the thread revokes it', async () => {
    const said = await say('mira', line());
    await say('mira', '/hold lane=daily reason="wait"');
    expect(await careOn(said)).toContain('held');
  });

  // The clock only moves forward, so only the valid consent follows this test.
  it('changes nothing if the comment is older than an approval may be', async () => {
    const said = await say('mira', line());
    lab.clock.advance(24 * HOUR + 1_000);
    expect(await careOn(said)).toContain('approval-outdated');
  });
});

it('a valid consent is carried out (so that these tests can fail)', async () => {
  await say('mira', line());
  await lab.sweep();
  expect(await care()).toContain('alive');
  expect(existsSync(started)).toBe(true);
});
