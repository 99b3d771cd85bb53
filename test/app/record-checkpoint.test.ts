/** The monthly checkpoint of the record, and attacks on it. On real git. */

import { beforeAll, describe, expect, it } from 'vitest';
import { repairLogbook } from '../../src/app/cli/verbs/logbook-repair.ts';
import { checkpointRecord } from '../../src/app/control/repository.ts';
import type { EventDraft } from '../../src/domain/logbook/define.ts';
import { brandAs, isInstant, isRunId, isSha } from '../../src/domain/values.ts';
import { sha256Hex } from '../../src/host/keys.ts';
import { sealEvents } from '../../src/logbook/append.ts';
import { createBareRepository, type Remote } from '../host/git/scratch-repository.ts';
import { createForeignKey, createSigner, keys, listFerryEvents, proposed, RUN } from '../logbook/sample-logbook.ts';
import { type RecordProcess, recordProcess } from '../support/record-lab.ts';

const BRANCH = 'refs/heads/ferrybot/logbook';
const at = (day: string) => brandAs(Date.parse(`${day}T09:00:00.000Z`), isInstant);
const named = (number: number) => brandAs(`ferry-daily-202610${10 + number}`, isRunId);
/** More than a process reads of one lane. */
const ENDED = Array.from({ length: 45 }, (_, index) => named(index));
const [OLDEST = named(0)] = ENDED;
const LIVE = brandAs('ferry-canary-20261121', isRunId);
const JOURNAL = 'journal/events.jsonl';
const pathOf = (run: string): string => `runs/2026/10/${run}/events.jsonl`;

/** A whole ferry under this name. */
function lifeOf(run: string): readonly EventDraft[] {
  return JSON.parse(JSON.stringify(listFerryEvents(0)).replaceAll(RUN, run));
}

/** A record of October with ended runs and one live run, and the checkpoint that November makes. */
async function checkpointed(): Promise<{ readonly remote: Remote; readonly control: RecordProcess }> {
  const remote = await createBareRepository();
  const october = recordProcess(remote);
  await october.store.load();
  const entries = [...ENDED.map((run) => ({ run, drafts: lifeOf(run) })), { run: LIVE, drafts: [proposed] }];
  expect(await october.store.append(entries, at('2026-10-21'))).toMatchObject({ kind: 'appended' });
  const control = recordProcess(remote, at('2026-11-01'));
  await control.store.load();
  expect(await checkpointRecord(control.open)).toEqual([]);
  return { remote, control };
}

const marksOf = async (remote: Remote): Promise<readonly string[]> =>
  (await remote.git('tag', '--list', 'ferrybot-mark-*')).split('\n');

/** Pushes a foreign commit with these texts; `isForced` replaces the whole history. */
async function push(remote: Remote, files: Readonly<Record<string, string | null>>, isForced = false): Promise<void> {
  const expected = brandAs(await remote.git('rev-parse', BRANCH), (text): text is never => text !== '');
  const request = {
    ref: BRANCH,
    expected,
    parent: 'expected',
    files,
    message: 'mine',
    atMs: at('2026-12-24'),
  } as const;
  expect((await remote.client().commitAndPush(request)).kind).toBe('pushed');
  if (!isForced) return;
  const orphan = await remote.git('commit-tree', `${BRANCH}^{tree}`, '-m', 'mine');
  await remote.git('update-ref', BRANCH, orphan);
}

async function brokenFor(remote: Remote): Promise<readonly string[]> {
  const fresh = recordProcess(remote);
  await fresh.store.load();
  return fresh.store.current().broken.map(({ run }) => run);
}

let lab: Awaited<ReturnType<typeof checkpointed>>;
let start: string;
beforeAll(async () => {
  lab = await checkpointed();
  start = await lab.remote.git('rev-parse', BRANCH);
}, 120_000);

const journalText = (): Promise<string> => lab.remote.git('show', `${start}:${JOURNAL}`);

describe('the checkpoint', () => {
  it('covers each ended run once a month, and names the runs that have not ended', async () => {
    const { checkpoint } = lab.control.store.current().journal;
    expect([...(checkpoint?.ended.keys() ?? [])].sort()).toEqual([...ENDED].sort());
    expect(checkpoint?.live.map(({ run }) => run)).toEqual([LIVE]);
    expect(await checkpointRecord(lab.control.open)).toEqual([]);
    expect(await lab.remote.git('rev-parse', BRANCH)).toBe(start);
  });

  it('deletes the marks of covered runs and no others, because its entry replaces them', async () => {
    const marks = await marksOf(lab.remote);
    expect(marks.filter((name) => ENDED.some((run) => name.includes(run)))).toEqual([]);
    expect(marks.filter((name) => name.startsWith(`ferrybot-mark-2026-10-${LIVE}-`))).toHaveLength(1);
    expect(marks.filter((name) => name.includes('-journal-'))).toHaveLength(1);
    const fresh = recordProcess(lab.remote);
    await fresh.store.load();
    const { runs, broken } = fresh.store.current();
    expect(broken).toEqual([]);
    expect(runs).toHaveLength(40);
    expect(runs.map(({ run }) => run)).not.toContain(OLDEST);
    // A run that is not read cannot be started again either.
    const again = [{ run: OLDEST, drafts: [proposed] }];
    expect(await fresh.store.append(again, at('2026-11-02'))).toMatchObject({ kind: 'failed' });
  });

  it('detects that the newest finished run was cut, even if its history was deleted too', async () => {
    const [newest = named(44)] = ENDED.toReversed();
    const text = await lab.remote.git('show', `${start}:${pathOf(newest)}`);
    await push(lab.remote, { [pathOf(newest)]: `${text.trimEnd().split('\n').slice(0, -1).join('\n')}\n` }, true);
    expect(await brokenFor(lab.remote)).toEqual([newest]);
    await lab.remote.git('update-ref', BRANCH, start);
  });
});

/** An empty checkpoint on the journal's start, signed with this key. */
function forged(drafts: readonly EventDraft[], signer: ReturnType<typeof createSigner>): string {
  const sealed = sealEvents(
    {
      ...{ run: 'journal', head: null, at: at('2026-11-01'), keys, hash: sha256Hex },
      signers: { control: { ...signer, role: 'control' } },
    },
    drafts,
  );
  return `${sealed.map(({ line }) => line).join('\n')}\n`;
}

const EMPTY: EventDraft = { type: 'record-checkpointed', role: 'control', data: { ended: [], live: [] } };

describe('an attack on the checkpoint is detected by every process', () => {
  // threat T7
  it.each([
    ['deleted', async () => ({ [JOURNAL]: null })],
    ['replayed', async () => ({ [JOURNAL]: (await journalText()).repeat(2) })],
    ['forged by a stranger', async () => ({ [JOURNAL]: forged([EMPTY], createSigner('control', createForeignKey())) })],
    ['forged with the key of the watch', async () => ({ [JOURNAL]: forged([EMPTY], createSigner('watch')) })],
    ['replaced with the key of control', async () => ({ [JOURNAL]: forged([EMPTY], createSigner('control')) })],
  ])('when the checkpoint is %s', async (_, files) => {
    for (const isForced of [false, true]) {
      await push(lab.remote, await files(), isForced);
      expect(await brokenFor(lab.remote)).toContain('journal');
      await lab.remote.git('update-ref', BRANCH, start);
    }
  });

  it("when the checkpoint is copied into the file of another lane's run", async () => {
    const text = await lab.remote.git('show', `${start}:${pathOf(LIVE)}`);
    await push(lab.remote, { [pathOf(LIVE)]: `${text.trimEnd()}\n${await journalText()}` });
    expect(await brokenFor(lab.remote)).toEqual([LIVE]);
    await lab.remote.git('update-ref', BRANCH, start);
  });

  // threat T8
  it('when a live run is hidden together with its folder, history and marks', async () => {
    await push(lab.remote, { [pathOf(LIVE)]: null }, true);
    for (const name of await marksOf(lab.remote))
      if (name.includes(LIVE)) await lab.remote.git('tag', '--delete', name);
    expect(await brokenFor(lab.remote)).toEqual([LIVE]);
    await lab.remote.git('update-ref', BRANCH, start);
  });
});

/** Removes the last entry of the oldest run, by an ordinary push or by replacing the history. */
async function cutOldest(isForced: boolean): Promise<string> {
  const text = await lab.remote.git('show', `${start}:${pathOf(OLDEST)}`);
  const cut = `${text.trimEnd().split('\n').slice(0, -1).join('\n')}\n`;
  await push(lab.remote, { [pathOf(OLDEST)]: cut }, isForced);
  return text;
}

describe('`logbook repair` of a finished run that only the checkpoint names', () => {
  it.each([
    ['restores it from the history', false],
    ['restores it from a clone that fetched the branch', true],
  ])('%s', async (_, isForced) => {
    const text = await cutOldest(isForced);
    const { open } = recordProcess(lab.remote);
    await open.git.fetch();
    const config = { keys: [...keys], logbookBranch: 'ferrybot/logbook' };
    const seenAt = isForced ? [brandAs(start, isSha)] : [];
    const more = { config, knownCommits: seenAt, at: at('2026-11-03'), isDry: false };
    const { files, commit } = await repairLogbook({ lab: open.lab, git: open.git, ...more });
    expect(files).toMatchObject([{ run: OLDEST, fault: { kind: 'entry-missing' }, why: null }]);
    expect(await lab.remote.git('rev-parse', BRANCH)).toBe(commit);
    expect(await lab.remote.git('show', `${BRANCH}:${pathOf(OLDEST)}`)).toBe(text);
    await lab.remote.git('update-ref', BRANCH, start);
  });
});

// threat T6
// This test records another checkpoint, so it must be the last one.
it("the next month's checkpoint detects a cut finished run that no process reads", async () => {
  await cutOldest(true);
  expect(await brokenFor(lab.remote)).toEqual([]);
  const december = recordProcess(lab.remote, at('2026-12-01'));
  await december.store.load();
  const found = await checkpointRecord(december.open);
  expect(found).toMatchObject([{ run: OLDEST, fault: { kind: 'entry-missing' } }]);
});
