/**
 * What a user with write access can do with git: push branches, append to the logbook, sign with their own
 * keys.
 */

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import type { CommentFacts } from '../../src/domain/facts.ts';
import type { Order } from '../../src/domain/launch/order.ts';
import { brandAs, isDigest } from '../../src/domain/values.ts';
import { parseSigningKey, sha256Hex } from '../../src/host/keys.ts';
import { canonicalDigest, canonicalize, textToSign } from '../../src/logbook/chain.ts';
import type { BundleLab } from './bundle-lab.ts';
import type { BundleWorld } from './bundle-world.ts';

/** The lines of the ferry's events. */
export async function logbookLines(lab: BundleLab): Promise<readonly string[]> {
  return (await lab.git('show', `ferrybot/logbook:${await eventsPathOf(lab, lab.run)}`)).split('\n');
}

/** Path of the first file of a run's events; for an unknown run, a path in the month of another run. */
export async function eventsPathOf({ git }: Pick<BundleLab, 'git'>, run: string): Promise<string> {
  const paths = (await git('ls-tree', '-r', '--name-only', 'ferrybot/logbook')).split('\n');
  const found = paths.find((path) => path.endsWith(`/${run}/events.jsonl`));
  const [other] = paths.filter((path) => path.startsWith('runs/'));
  return found ?? `${other?.slice(0, 'runs/YYYY/MM'.length)}/${run}/events.jsonl`;
}

export type Forgery = {
  /** The private key that signs: the writer's own, or one of the lab's. */
  readonly key: 'own' | 'watch' | 'control';
  readonly sig?: string;
  readonly role?: 'watch';
  readonly keyId?: string;
};

/** A copy of the valid order as a new entry that fits the chain; only the signer is wrong. */
export async function forgedOrder(lab: BundleLab, { key, sig, role, keyId }: Forgery): Promise<string> {
  const lines = await logbookLines(lab);
  const last = JSON.parse(lines.at(-1) ?? '') as { readonly seq: number; readonly hash: string };
  const order = JSON.parse(lines.find((line) => line.includes('"type":"ordered"')) ?? '') as object;
  const {
    hash: _,
    sig: __,
    ...entry
  } = { ...order, seq: last.seq + 1, prev: last.hash } as { readonly hash?: unknown; readonly sig?: unknown };
  const claimed = { ...entry, ...(role === undefined ? {} : { role }), ...(keyId === undefined ? {} : { keyId }) };
  const hash = sha256Hex(canonicalize(claimed));
  const signing = parseSigningKey(key === 'own' ? OWN_SEED : lab.keys.roles[key].privatePem);
  if (!signing.ok) throw new Error(signing.error);
  return canonicalize({ ...claimed, hash, sig: sig ?? signing.value.sign(textToSign(hash)) });
}

/**
 * An attack with the stolen control key: drops the current approval, records this comment of mira's as an
 * approval of the shown manifest, and orders a launch with it. Returns the order's digest.
 */
export async function orderOn(
  lab: BundleLab,
  said: Pick<CommentFacts, 'id' | 'body' | 'thread'> & { readonly surface: 'comment' | 'review' },
): Promise<string> {
  const lines = [...(await logbookLines(lab))];
  const events = lines.map((line) => JSON.parse(line) as Entry);
  const like = (type: string): Entry => {
    const found = events.findLast((event) => event.type === type);
    if (found === undefined) throw new Error(`no ${type}`);
    return found;
  };
  const approved = like('approved');
  const issued = like('ordered').data['order'] as Order;
  const bodyDigest = brandAs(`sha256:${sha256Hex(said.body)}`, isDigest);
  const cited = { comment: said.id, surface: said.surface, bodyDigest };
  const now = lab.clock.now();
  const order: Order = {
    ...issued,
    approvals: issued.approvals.map((one) => ({ ...one, ...cited })),
    issuedAt: new Date(now).toISOString(),
    expiresAt: new Date(now + 60 * 60_000).toISOString(),
  };
  const digest = canonicalDigest(order, (text) => brandAs(`sha256:${sha256Hex(text)}`, isDigest));
  const users = issued.approvals.map(({ user }) => user);
  const { actor: _, ...plain } = approved;
  const drop = { reason: 'revoked', digest: issued.digest, users };
  const forged = [
    { ...plain, type: 'approval-dropped', data: drop },
    { ...like('command-seen'), data: { ...like('command-seen').data, ...cited, thread: said.thread } },
    { ...approved, data: { ...approved.data, ...cited } },
    { ...plain, type: 'ordered', data: { order, orderDigest: digest } },
  ];
  const signing = parseSigningKey(lab.keys.roles.control.privatePem);
  if (!signing.ok) throw new Error(signing.error);
  let last = events.at(-1);
  for (const { hash: _hash, sig: _sig, ...entry } of forged) {
    const at = new Date(now).toISOString();
    const next = { ...entry, seq: (last?.seq ?? 0) + 1, prev: last?.hash ?? '', at };
    const hash = sha256Hex(canonicalText(next));
    last = { ...next, hash, sig: signing.value.sign(textToSign(hash)) };
    lines.push(canonicalText(last));
  }
  await pushLogbook(lab, lab.run, lines);
  return digest;
}

function canonicalText(value: object): string {
  return canonicalize(JSON.parse(JSON.stringify(value)));
}

type Entry = {
  readonly seq: number;
  readonly hash: string;
  readonly sig?: string;
  readonly type: string;
  readonly actor?: unknown;
  readonly data: Readonly<Record<string, unknown>>;
};

const OWN_SEED = Buffer.alloc(32, 7).toString('base64');

/**
 * Pushes a commit with Ada as author over HTTP, as her or another user; `back` resets the branch to a commit
 * instead.
 */
export async function push(
  lab: BundleWorld,
  branch: string,
  change: { readonly files: Readonly<Record<string, string>> } | { readonly back: string },
  who = 'ada',
): Promise<void> {
  const folder = await lab.scratch();
  const { tokens, users } = lab.world.state;
  const [token] =
    Object.entries(tokens).find(([, row]) => row.kind === 'user' && users[row.userId]?.login === who) ?? [];
  const basic = Buffer.from(`x-access-token:${token}`).toString('base64');
  const git = (...args: readonly string[]) =>
    execa('git', ['-c', `http.extraHeader=Authorization: Basic ${basic}`, ...AUTHOR, ...args], { cwd: folder });
  await git('clone', '--quiet', `${lab.world.baseUrl}/lab/ferries.git`, '.');
  const isThere = (await lab.git('branch', '--list', branch)) !== '';
  await git('checkout', '--quiet', ...(isThere ? [branch] : ['-b', branch]));
  if ('back' in change) await git('reset', '--quiet', '--hard', change.back);
  else {
    for (const [path, text] of Object.entries(change.files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    // Includes ignored files and new ignore files.
    await git('add', '--all', '--force');
    await git('commit', '--quiet', '-m', 'Mine');
  }
  await git('push', '--quiet', '--force', 'origin', `HEAD:refs/heads/${branch}`);
}

/** Replaces a run's events with these lines, in a commit on the logbook branch. */
export async function pushLogbook(lab: BundleLab, run: string, lines: readonly string[]): Promise<void> {
  const folder = await lab.scratch();
  const path = await eventsPathOf(lab, run);
  await writeFile(join(folder, 'events'), `${lines.join('\n')}\n`);
  const blob = await lab.git('hash-object', '-w', join(folder, 'events'));
  const git = async (...args: readonly string[]): Promise<string> => {
    const env = { GIT_INDEX_FILE: join(folder, 'index') };
    return (await execa('git', ['-C', lab.repository, ...AUTHOR, ...args], { env })).stdout;
  };
  await git('read-tree', 'ferrybot/logbook');
  await git('update-index', '--add', '--cacheinfo', `100644,${blob},${path}`);
  const tree = await git('write-tree');
  const commit = await git('commit-tree', tree, '-p', 'ferrybot/logbook', '-m', 'Mine');
  await git('update-ref', 'refs/heads/ferrybot/logbook', commit);
}

const AUTHOR = ['-c', 'user.name=Ada', '-c', 'user.email=ada@lab.example'];
