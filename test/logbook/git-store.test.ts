// The logbook in a git branch: concurrent writers, a branch that was rewound, a run that became shorter.

import { describe, expect, it } from 'vitest';
import type { GitReader } from '../../src/domain/git.ts';
import type { EventDraft } from '../../src/domain/logbook/define.ts';
import { brandAs, isInstant, type Sha } from '../../src/domain/values.ts';
import { sha256Hex, verifyEd25519 } from '../../src/host/keys.ts';
import { type ComposedRun, commitMessage, composeAppend } from '../../src/logbook/append.ts';
import { appendToFiles, runFolder } from '../../src/logbook/segments.ts';
import { createLogbookStore, type LogbookStore, type RunWrite, readEvents } from '../../src/logbook/store/git-store.ts';
import { type Verification, verifyLogbook } from '../../src/logbook/verify.ts';
import { AT_MS, createBareRepository, type Remote } from '../host/git/scratch-repository.ts';
import { commandAnswered, commandSeen, gated, keys, proposed, RUN, signers } from './sample-logbook.ts';

const BRANCH = 'refs/heads/ferrybot/logbook';

type Store = LogbookStore & { readonly git: GitReader };

function storeOn(remote: Remote): Store {
  const git = remote.client();
  return { ...createLogbookStore({ reader: git, writer: git }), git };
}

async function headOf(store: Store): Promise<Sha | null> {
  const view = await store.open();
  if (!view.ok) throw new Error(JSON.stringify(view));
  return view.value;
}

async function composed(
  store: Store,
  head: Sha | null,
  run: string,
  drafts: readonly EventDraft[],
): Promise<ComposedRun & RunWrite> {
  const text = await textIn(store, head, run);
  const standing = text === '' ? null : verified(text, run);
  const result = composeAppend(
    { run, head: standing?.head ?? null, state: standing?.checkpoint.state ?? null },
    drafts,
    context,
  );
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  const { files } = appendToFiles(standing?.ends ?? [], text, result.value.lines);
  return {
    ...result.value,
    folder: runFolder(run, '2026-11'),
    events: files,
    markdown: new Map([[1, '# told\n']]),
    monitoring: null,
    isNew: false,
  };
}

const context = { at: brandAs(AT_MS, isInstant), signers, keys, hash: sha256Hex };

/** All files of a run as one text. */
async function textIn(store: Store, head: Sha | null, run: string): Promise<string> {
  return head === null ? '' : (await readEvents(store.git, head, runFolder(run, '2026-11'))).join('');
}

function verified(text: string, run: string): Verification {
  const answer = verifyLogbook({
    text,
    run,
    keys,
    anchor: null,
    undecodableLine: null,
    hash: sha256Hex,
    verifySignature: verifyEd25519,
  });
  expect(answer.badEntry).toBeNull();
  return answer;
}

/** The remembered heads that are missing from the branch. */
async function lostIn(store: Store): Promise<unknown> {
  const { events } = verified(await textIn(store, await headOf(store), RUN), RUN);
  return store.lostFrom({ run: RUN, events });
}

/** Decides again on the current record until the append wins, as a caller handles a conflict. */
async function appendUntilIn(store: Store, run: string, drafts: readonly EventDraft[]): Promise<number> {
  for (let tries = 1; tries <= 20; tries += 1) {
    const head = await headOf(store);
    const runs = [await composed(store, head, run, drafts)];
    const outcome = await store.append({ base: head, runs, message: commitMessage(runs), atMs: AT_MS });
    if (outcome.kind === 'pushed') return tries;
    expect(outcome.kind).toBe('rejected');
  }
  throw new Error('never got in');
}

describe('appending', () => {
  it('starts an orphan branch, and puts several runs into one commit with a message that lists the events', async () => {
    const remote = await createBareRepository();
    const store = storeOn(remote);
    expect(await headOf(store)).toBeNull();
    const first = [
      await composed(store, null, RUN, [proposed, gated]),
      await composed(store, null, 'journal', [commandSeen(7, 'status')]),
    ];
    const outcome = await store.append({ base: null, runs: first, message: commitMessage(first), atMs: AT_MS });
    expect(outcome.kind).toBe('pushed');
    expect(await remote.git('log', '--format=%an %B', BRANCH)).toBe(
      `Example Lab ferry-daily-20261121: log proposed, gated\n\n${RUN}: proposed, gated\njournal: command-seen`,
    );
    expect(await remote.git('ls-tree', '-r', '--name-only', BRANCH)).toBe(
      `.gitattributes\njournal/events.jsonl\njournal/logbook.md\nruns/2026/11/${RUN}/events.jsonl\nruns/2026/11/${RUN}/logbook.md`,
    );
    const head = await headOf(store);
    const second = [await composed(store, head, RUN, [commandSeen(501, 'status')])];
    expect(commitMessage(second)).toBe(`${RUN}: log command-seen`);
    expect((await store.append({ base: head, runs: second, message: commitMessage(second), atMs: AT_MS })).kind).toBe(
      'pushed',
    );
    const other = storeOn(remote);
    expect(await textIn(other, await headOf(other), RUN)).toBe(second[0]?.events[0]?.text);
    expect(await textIn(other, await headOf(other), 'ferry-daily-20261122')).toBe('');
  });

  it('by several concurrent writers loses no entry, because the loser reads and decides again', async () => {
    const remote = await createBareRepository();
    const first = storeOn(remote);
    await appendUntilIn(first, RUN, [proposed, gated]);
    const writers = [1, 2, 3, 4].map((comment) =>
      appendUntilIn(storeOn(remote), RUN, [commandSeen(comment, 'status'), commandAnswered(comment, 'status-shown')]),
    );
    await Promise.all(writers);
    const { events } = verified(await textIn(first, await headOf(first), RUN), RUN);
    expect(
      events
        .filter((event) => event.type === 'command-seen')
        .map((event) => event.data.comment)
        .sort(),
    ).toEqual([1, 2, 3, 4]);
    expect(await remote.git('rev-list', '--count', BRANCH)).toBe('5');
  });

  it('to an outdated head is a conflict and changes nothing', async () => {
    const remote = await createBareRepository();
    const [alice, bob] = [storeOn(remote), storeOn(remote)];
    await appendUntilIn(alice, RUN, [proposed]);
    const head = await headOf(bob);
    const late = [await composed(bob, head, RUN, [gated])];
    await appendUntilIn(alice, RUN, [gated]);
    const now = await remote.git('rev-parse', BRANCH);
    expect(await bob.append({ base: head, runs: late, message: 'late', atMs: AT_MS })).toMatchObject({
      kind: 'rejected',
    });
    expect(await remote.git('rev-parse', BRANCH)).toBe(now);
  });

  // rule HR-19
  it('throws for a text that does not continue the existing file', async () => {
    const remote = await createBareRepository();
    const store = storeOn(remote);
    await appendUntilIn(store, RUN, [proposed, gated]);
    const head = await headOf(store);
    const shorter = await composed(storeOn(remote), null, RUN, [proposed]);
    await expect(store.append({ base: head, runs: [shorter], message: 'm', atMs: AT_MS })).rejects.toThrow(
      'logbook-append-rewrites',
    );
    const torn = await composed(store, head, RUN, [commandSeen(1, 'status')]);
    await expect(
      store.append({
        base: head,
        runs: [{ ...torn, events: torn.events.map((file) => ({ ...file, text: file.text.slice(0, -1) })) }],
        message: 'm',
        atMs: AT_MS,
      }),
    ).rejects.toThrow('logbook-append-is-no-event');
  });
});

describe('composing', () => {
  it('rejects an event that the lifecycle forbids', () => {
    const empty = { run: RUN, head: null, state: null };
    expect(composeAppend(empty, [proposed, proposed], context)).toMatchObject({ ok: false, error: { seq: 1 } });
  });
});

describe('a branch that was rewound', () => {
  it('or deleted is a fault, and never treated as new', async () => {
    const remote = await createBareRepository();
    const store = storeOn(remote);
    await appendUntilIn(store, RUN, [proposed]);
    const was = await remote.git('rev-parse', BRANCH);
    await appendUntilIn(store, RUN, [gated]);
    const newest = await remote.git('rev-parse', BRANCH);
    await remote.git('update-ref', BRANCH, was);
    expect(await store.open()).toEqual({ ok: false, error: { kind: 'branch-rewound', was: newest, now: was } });
    await remote.git('update-ref', '-d', BRANCH);
    expect(await store.open()).toEqual({ ok: false, error: { kind: 'branch-missing' } });
    await remote.git('update-ref', BRANCH, newest);
    expect(await store.open()).toEqual({ ok: true, value: newest });
  });

  it('is detected by a new process from the heads on the cards', async () => {
    const remote = await createBareRepository();
    const writer = storeOn(remote);
    await appendUntilIn(writer, RUN, [proposed]);
    const was = await remote.git('rev-parse', BRANCH);
    await appendUntilIn(writer, RUN, [gated]);
    const head = await headOf(writer);
    const newest = verified(await textIn(writer, head, RUN), RUN).head;
    if (newest === null) throw new Error('no head');
    await remote.git('update-ref', BRANCH, was);
    const fresh = storeOn(remote);
    fresh.remember(RUN, { seq: newest.seq, hash: newest.hash.slice(0, 12) });
    expect(await lostIn(fresh)).toMatchObject({ seq: 1 });
    const other = storeOn(remote);
    other.remember(RUN, { seq: 0, hash: 'f'.repeat(64) });
    expect(await lostIn(other)).toMatchObject({ seq: 0 });
    await remote.git('update-ref', '-d', BRANCH);
    const fresher = storeOn(remote);
    fresher.remember(RUN, newest);
    expect(await fresher.open()).toEqual({ ok: false, error: { kind: 'branch-missing' } });
  });
});

describe('a failing remote', () => {
  it('yields refused with its message for a rejected push, and an error for an unreadable branch', async () => {
    const remote = await createBareRepository();
    const store = storeOn(remote);
    await appendUntilIn(store, RUN, [proposed]);
    const head = await headOf(store);
    const runs = [await composed(store, head, RUN, [gated])];
    await remote.git('config', 'receive.maxInputSize', '10');
    expect((await store.append({ base: head, runs, message: 'm', atMs: AT_MS })).kind).toMatch(/refused|unknown/);
    expect(await headOf(store)).toBe(head);
  });
});
