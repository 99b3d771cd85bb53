/**
 * What an ordinary push may add to the logbook branch besides ferrybot's files: the record can still be
 * read. On real git.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadRecordAt, NOTHING_READ, type Record } from '../../src/app/record-files.ts';
import type { SeenMark } from '../../src/app/record-marks.ts';
import { limits } from '../../src/domain/limits.ts';
import { brandAs, isInstant, isSha, type Sha } from '../../src/domain/values.ts';
import { sha256Hex, verifyEd25519 } from '../../src/host/keys.ts';
import { composeAppend } from '../../src/logbook/append.ts';
import { eventsPath } from '../../src/logbook/segments.ts';
import { createLogbookStore } from '../../src/logbook/store/git-store.ts';
import { AT_MS, createBareRepository, createScratchFolder, type Remote } from '../host/git/scratch-repository.ts';
import { gated, keys, proposed, RUN, signers } from '../logbook/sample-logbook.ts';

const FOLDER = `runs/2026/11/${RUN}`;
const BRANCH = 'refs/heads/ferrybot/logbook';
const context = { at: brandAs(AT_MS, isInstant), signers, keys, hash: sha256Hex };

/** One run with two entries, the second of which has a mark. */
async function oneRun(remote: Remote): Promise<SeenMark> {
  const made = composeAppend({ run: RUN, head: null, state: null }, [proposed, gated], context);
  if (!made.ok) throw new Error(made.error.rule);
  const { lines, appended } = made.value;
  const files = { [eventsPath(FOLDER)]: lines.map((line) => `${line}\n`).join('') };
  const request = { ref: BRANCH, expected: null, parent: 'expected', files, message: 'm', atMs: AT_MS } as const;
  const pushed = await remote.client().commitAndPush(request);
  const last = appended.at(-1);
  if (pushed.kind !== 'pushed' || last === undefined) throw new Error(pushed.kind);
  const { seq, hash, at } = last;
  const said = {
    v: 1,
    repository: 'lab/models',
    base: null,
    brokenFiles: [],
    role: 'control',
    keyId: 'c',
    sig: '',
  } as const;
  return { mark: { ...said, run: RUN, seq, hash, firstEntryAt: at, at }, commit: pushed.sha, parents: [] };
}

/** Pushes a foreign commit on top: `lines` in the form of `git update-index --index-info`. */
async function pushLines(remote: Remote, lines: readonly string[]): Promise<Sha> {
  const input = join(createScratchFolder(), 'lines');
  writeFileSync(input, lines.join('\n'));
  const script = `export GIT_INDEX_FILE=$1; git read-tree ${BRANCH} && git update-index --index-info < $2 && git commit-tree $(git write-tree) -p ${BRANCH} -m mine`;
  const commit = brandAs(await remote.shell(script, join(createScratchFolder(), 'index'), input), isSha);
  await remote.git('update-ref', BRANCH, commit);
  return commit;
}

async function blobOf(remote: Remote, bytes: number): Promise<string> {
  const file = join(createScratchFolder(), 'blob');
  writeFileSync(file, Buffer.alloc(bytes, 0x61));
  return remote.git('hash-object', '-w', file);
}

async function loaded(remote: Remote, mark: SeenMark, head: Sha): Promise<Record> {
  const git = remote.client();
  await git.fetch();
  const lab = { hash: sha256Hex, verifySignature: verifyEd25519, log: () => undefined };
  const store = createLogbookStore({ reader: git, writer: git });
  const checking = { lab, config: { keys }, git, marks: [mark], marksConfirmed: new Map() };
  return loadRecordAt({ ...checking, store, cached: new Map(), previous: NOTHING_READ }, head);
}

describe('a push to the logbook', () => {
  // threat T18
  it("of an oversized file in a run's folder marks that run as broken, and no other", async () => {
    const remote = await createBareRepository();
    const mark = await oneRun(remote);
    const blob = await blobOf(remote, limits.logbookFileBytesMax + 1);
    const head = await pushLines(remote, [`100644 ${blob}\t${eventsPath(FOLDER)}`]);
    const record = await loaded(remote, mark, head);
    expect(record.broken.map(({ run }) => run)).toEqual([RUN]);
    expect(record.goodFiles.get(RUN)?.events).toHaveLength(2);
  });

  // threat T19
  it('of more paths than can be listed hides no run', async () => {
    const remote = await createBareRepository();
    const mark = await oneRun(remote);
    const blob = await blobOf(remote, 1);
    const long = Array.from({ length: 15 }, () => 'x'.repeat(250)).join('/');
    const count = Math.ceil(limits.logbookFileBytesMax / long.length) + 1;
    const head = await pushLines(
      remote,
      Array.from({ length: count }, (_, index) => `100644 ${blob}\truns/2026/11/${long}/${index}`),
    );
    const record = await loaded(remote, mark, head);
    expect(record.runs.map(({ run }) => run)).toEqual([RUN]);
    expect(record.broken).toEqual([]);
  });
});
