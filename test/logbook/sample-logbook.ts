// A lab's keys and the life of one ferry, as drafts and as a signed file, for the logbook tests.

import { generateKeyPairSync } from 'node:crypto';
import type { EventDraft, LogbookEvent } from '../../src/domain/logbook/define.ts';
import type { PublicKey, Role } from '../../src/domain/logbook/parts.ts';
import { brandAs, type Digest, isDigest, isInstant, isRunId, isSha } from '../../src/domain/values.ts';
import { parseSigningKey, type SigningKey, sha256Hex } from '../../src/host/keys.ts';
import { type Signers, sealEvents } from '../../src/logbook/append.ts';
import type { Signer } from '../../src/logbook/chain.ts';

export const RUN = 'ferry-daily-20261121';
export const START_MS = Date.parse('2026-11-21T09:00:00.000Z');

/** The same seed gives the same key, so that a failing test can be repeated. */
export function seededKey(fill: number): SigningKey {
  const parsed = parseSigningKey(Buffer.alloc(32, fill).toString('base64'));
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.value;
}

export function createForeignKey(): SigningKey {
  const { privateKey } = generateKeyPairSync('ed25519');
  const parsed = parseSigningKey(privateKey.export({ format: 'pem', type: 'pkcs8' }).toString());
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.value;
}

const privateKeys: Readonly<Record<Role, SigningKey>> = {
  control: seededKey(1),
  runner: seededKey(2),
  watch: seededKey(3),
};

export function createSigner(role: Role, key: SigningKey = privateKeys[role]): Signer {
  return { keyId: `${role}-2026`, role, sign: key.sign };
}

export const signers: Required<Signers> = {
  control: createSigner('control'),
  runner: createSigner('runner'),
  watch: createSigner('watch'),
};

export const keys: readonly PublicKey[] = (['control', 'runner', 'watch'] as const).map((role) => ({
  id: `${role}-2026`,
  role,
  public: privateKeys[role].public,
  from: '2026-01-01T00:00:00Z',
  until: '2027-01-01T00:00:00Z',
}));

const commit = brandAs('c0ffee'.padEnd(40, '0'), isSha);
export const digestOf = (text: string): Digest => brandAs(`sha256:${sha256Hex(text)}`, isDigest);
export const alice = { id: 101, login: 'alice' };
const body = digestOf('the pull request');
const manifest = digestOf('manifest');
const orderDigest = digestOf('order');

export const proposed: EventDraft = {
  type: 'proposed',
  role: 'control',
  data: {
    lane: 'daily',
    date: '2026-11-21',
    runName: RUN,
    repository: 'lab/models',
    issue: 12,
    pull: 13,
    baseBranch: 'main',
    headBranch: 'ferry/daily/20261121',
    experiment: 'experiments/ferries/daily.py',
    objective: { kind: 'integration', text: 'learning rate 3e-3 → 6e-3, "quoted" <b>and</b> 🤖' },
    interval: { sinceCommit: null, sinceDate: '2026-11-20', fallback: true, lastRun: null },
    candidate: 'lr-up',
    author: { id: 900, login: 'lab-bot' },
    requestedBy: null,
    keys: [],
  },
};

export const gated: EventDraft = {
  type: 'gated',
  role: 'control',
  data: {
    digest: manifest,
    manifest: null,
    commit,
    body,
    verdicts: [{ gate: 'target-branch', outcome: 'pass', code: 'main', found: { base: 'main' }, remedyBy: 'author' }],
  },
};

export function commandSeen(comment: number, name: string): EventDraft {
  return {
    type: 'command-seen',
    role: 'control',
    actor: alice,
    data: {
      comment,
      surface: 'comment',
      index: 0,
      name,
      args: { reason: 'it is `time`' },
      thread: 13,
      bodyDigest: body,
    },
  };
}

export function commandAnswered(comment: number, code: 'approved' | 'status-shown' | 'sealed'): EventDraft {
  return {
    type: 'command-answered',
    role: 'control',
    data: { comment, surface: 'comment', index: 0, thread: 13, code, detail: { digest: manifest } },
  };
}

export function observed(step: number): EventDraft {
  return {
    type: 'observed',
    role: 'watch',
    data: {
      attempt: 1,
      status: 'RUNNING',
      message: '',
      step,
      stepIsExact: false,
      totalSteps: 5155,
      loss: '3.217',
      firstStepCompleted: true,
      trackers: [{ id: RUN, url: `https://wandb.example/lab/models/runs/${RUN}` }],
      evals: {},
      checkpointStep: null,
      signatures: [],
      logOffset: step * 91,
      cadenceMs: 570_000,
      lease: { holder: 'watch-1', fence: 1, until: '2026-11-21T10:00:00.000Z' },
    },
  };
}

const launch: readonly EventDraft[] = [
  {
    type: 'approved',
    role: 'control',
    actor: alice,
    data: { digest: manifest, comment: 501, surface: 'comment', bodyDigest: body, body },
  },
  commandAnswered(501, 'approved'),
  {
    type: 'ordered',
    role: 'control',
    data: {
      order: {
        v: 1,
        run: brandAs(RUN, isRunId),
        repository: 'lab/models',
        attempt: 1,
        digest: manifest,
        commit,
        pull: 13,
        approvals: [{ comment: 501, surface: 'comment', user: alice.id, bodyDigest: body }],
        submissionId: `ferrybot-${RUN}-a1`,
        issuedAt: '2026-11-21T09:00:00.000Z',
        expiresAt: '2026-11-30T11:00:00.000Z',
      },
      orderDigest,
    },
  },
  { type: 'claimed', role: 'runner', data: { orderDigest, attempt: 1, workflowRun: 77, engineSession: 'boot-1' } },
  {
    type: 'submitted',
    role: 'runner',
    data: {
      orderDigest,
      attempt: 1,
      engine: 'local',
      jobId: `ferrybot-${RUN}-a1`,
      cluster: 'local',
      command: ['python3', 'experiments/ferries/daily.py'],
      commit,
      adopted: false,
      urls: { log: 'https://lab.example/log' },
      details: { pid: 4711, processStart: '12345' },
    },
  },
];

const ending: readonly EventDraft[] = [
  {
    type: 'ended',
    role: 'watch',
    data: {
      attempt: 1,
      status: 'SUCCEEDED',
      message: '',
      errorType: null,
      exitCode: 0,
      startedAt: '2026-11-21T09:01:00.000Z',
      endedAt: '2026-11-21T14:01:00.000Z',
      lastStep: 5153,
      totalSteps: 5155,
      metrics: { 'eval/loss': '3.012' },
      trackers: [],
      signatures: [],
      checkpointStep: 5153,
      fence: 1,
    },
  },
  commandSeen(502, 'seal'),
  commandAnswered(502, 'sealed'),
  {
    type: 'sealed',
    role: 'control',
    actor: alice,
    data: {
      tag: 'ferry/daily/20261121/lr-up',
      commit,
      verdict: 'pass',
      accept: null,
      closurePull: 14,
      metrics: { 'eval/loss': '3.012' },
    },
  },
];

/** A whole ferry with this many checks: 17 events and the checks, from the first entry to the seal. */
export function listFerryEvents(checks: number): readonly EventDraft[] {
  const watched = Array.from({ length: checks }, (_, index) => observed(index + 1));
  return [proposed, gated, commandSeen(501, 'approve-launch'), ...launch, ...watched, ...ending];
}

/** Drafts as the text of a signed file, a minute apart. */
export function composeFile(
  drafts: readonly EventDraft[],
  run = RUN,
): { text: string; events: readonly LogbookEvent[] } {
  const events: LogbookEvent[] = [];
  let text = '';
  for (const [index, draft] of drafts.entries()) {
    const last = events.at(-1);
    const head = last === undefined ? null : { seq: last.seq, hash: last.hash };
    const at = brandAs(START_MS + index * 60_000, isInstant);
    for (const sealed of sealEvents({ run, head, at, signers, keys, hash: sha256Hex }, [draft])) {
      events.push(sealed.event);
      text += `${sealed.line}\n`;
    }
  }
  return { text, events };
}

/**
 * The file of a run that was checked every minute for two days: 2,880 entries, the size for speed
 * measurements.
 */
export function composeTwoDayLogbook(): string {
  const others = listFerryEvents(0).length;
  return composeFile(listFerryEvents(2_880 - others)).text;
}
