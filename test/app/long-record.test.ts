/**
 * A run that is observed for a month, and a journal of years: an append costs what the first cost, and no
 * entry is lost. On real git.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EventDraft } from '../../src/domain/logbook/define.ts';
import { eventsPath, LOGBOOK_FILE_ENTRIES_MAX } from '../../src/logbook/segments.ts';
import { createBareRepository, createScratchFolder, type Remote } from '../host/git/scratch-repository.ts';
import { commandAnswered, commandSeen, listFerryEvents, observed, RUN } from '../logbook/sample-logbook.ts';
import { type Cost, type RecordProcess, recordProcess } from '../support/record-lab.ts';

const FOLDER = `runs/2026/11/${RUN}`;
const BRANCH = 'refs/heads/ferrybot/logbook';
const SHORT = 20;
const LONG = 2 * LOGBOOK_FILE_ENTRIES_MAX + SHORT;

/** The first `entries` entries of a run that has not ended. */
function lookedAt(entries: number): readonly EventDraft[] {
  return listFerryEvents(entries).slice(0, entries);
}

function asked(from: number, to: number): readonly EventDraft[] {
  const numbers = Array.from({ length: to - from }, (_, index) => from + index + 1);
  return numbers.flatMap((one) => [commandSeen(one, 'status'), commandAnswered(one, 'status-shown')]);
}

type Written = { readonly remote: Remote; readonly process: RecordProcess };

async function written(run: string, drafts: readonly EventDraft[]): Promise<Written> {
  const remote = await createBareRepository();
  const process = recordProcess(remote);
  await process.append(run, drafts);
  return { remote, process };
}

/** Removes what may differ between appends: only the position of the entry in its file. */
function flat({
  charactersRead,
  charactersWritten,
  ...exact
}: Cost): Omit<Cost, 'charactersRead' | 'charactersWritten'> {
  // A full file of events of some 900 characters, and its Markdown.
  const bound = 2_000 * LOGBOOK_FILE_ENTRIES_MAX;
  expect(charactersRead).toBeLessThan(bound);
  expect(charactersWritten).toBeLessThan(bound);
  return { ...exact, charactersHashed: Math.round(exact.charactersHashed / 1_000) };
}

describe.each([
  { what: 'a run', run: RUN, first: lookedAt, next: (at: number) => [observed(at)], added: 1 },
  {
    what: 'the journal',
    run: 'journal',
    first: (entries: number) => asked(0, entries / 2),
    next: (at: number) => asked(at, at + 1),
    added: 2,
  },
])('an append to $what', ({ run, first, next, added }) => {
  it('costs the same at any length, and so does reading the append of another process', async () => {
    const costs = [];
    for (const entries of [SHORT, LONG]) {
      const { remote, process } = await written(run, first(entries));
      const other = recordProcess(remote);
      await other.store.load();
      await process.append(run, next(entries + 1));
      const own = await process.costOf(() => process.append(run, next(entries + 2)));
      const read = await other.costOf(() => other.store.load());
      expect(read.signaturesVerified - marks(read)).toBeLessThanOrEqual(2 * added);
      // The entries, their Markdown, the first Markdown file, and the state file of the policy.
      expect(own.filesWritten).toBeLessThanOrEqual(4);
      costs.push({ own: flat({ ...own, filesWritten: 0 }), read: flat(read) });
    }
    expect(costs[1]).toEqual(costs[0]);
  });
});

/** Marks are signed too. */
function marks({ git }: Cost): number {
  return (git['tagTexts'] ?? 0) > 0 ? 1 : 0;
}

describe('a long run', () => {
  it('is stored in files that never change once they are full', async () => {
    const { remote, process } = await written(RUN, lookedAt(LONG));
    const closed = () =>
      remote.git('rev-parse', `${BRANCH}:${eventsPath(FOLDER)}`, `${BRANCH}:${eventsPath(FOLDER, 2)}`);
    const before = await closed();
    await process.append(RUN, [observed(LONG)]);
    expect(await closed()).toBe(before);
    expect(await remote.git('ls-tree', '--name-only', `${BRANCH}:runs/2026/11/${RUN}`)).toBe(
      'events-0002.jsonl\nevents-0003.jsonl\nevents.jsonl\nlogbook-0002.md\nlogbook-0003.md\nlogbook.md\nmonitoring_state.json',
    );
    const lines = (await remote.git('show', `${BRANCH}:${eventsPath(FOLDER)}`)).split('\n');
    expect(lines).toHaveLength(LOGBOOK_FILE_ENTRIES_MAX);
    expect(await remote.git('show', `${BRANCH}:runs/2026/11/${RUN}/logbook.md`)).toContain(
      'Later entries: [logbook-0002.md](logbook-0002.md)',
    );
    expect(await remote.git('show', `${BRANCH}:runs/2026/11/${RUN}/logbook-0003.md`)).toContain('part 3');
  });
});

describe('a new process', () => {
  it('checks only the hash chain of entries that a mark of control covers', async () => {
    const { remote } = await written(RUN, listFerryEvents(2));
    const fresh = recordProcess(remote);
    // The mark's own signature.
    expect((await fresh.costOf(() => fresh.store.load())).signaturesVerified).toBe(1);
    expect(fresh.store.current()).toMatchObject({ broken: [], runs: [{ run: RUN, seal: { verdict: 'pass' } }] });
  });

  it('verifies every signature if only the watch has marked the entries', async () => {
    const { remote } = await written(RUN, lookedAt(SHORT));
    const fresh = recordProcess(remote);
    expect((await fresh.costOf(() => fresh.store.load())).signaturesVerified).toBe(SHORT + 1);
  });

  it('rejects a changed entry that a mark of control covers', async () => {
    const { remote } = await written(RUN, listFerryEvents(2));
    const text = await remote.git('show', `${BRANCH}:${eventsPath(FOLDER)}`);
    await push(remote, { [eventsPath(FOLDER)]: `${text.replace('"issue":', '"Issue":')}\n` });
    const fresh = recordProcess(remote);
    await fresh.store.load();
    expect(fresh.store.current().broken).toMatchObject([{ run: RUN }]);
  });
});

/** Pushes an ordinary commit: new texts, or null for a deletion. */
async function push(remote: Remote, files: Readonly<Record<string, string | null>>): Promise<void> {
  const lines: string[] = [];
  for (const [path, text] of Object.entries(files)) {
    if (text === null) {
      lines.push(`0 ${'0'.repeat(40)}\t${path}`);
      continue;
    }
    const file = join(createScratchFolder(), 'text');
    writeFileSync(file, text);
    lines.push(`100644 ${await remote.git('hash-object', '-w', file)}\t${path}`);
  }
  const input = join(createScratchFolder(), 'lines');
  writeFileSync(input, `${lines.join('\n')}\n`);
  const script = `export GIT_INDEX_FILE=$1; git read-tree ${BRANCH} && git update-index --index-info < $2 && git commit-tree $(git write-tree) -p ${BRANCH} -m mine`;
  const commit = await remote.shell(script, join(createScratchFolder(), 'index'), input);
  await remote.git('update-ref', BRANCH, commit);
}

type Texts = (part: number) => Promise<string>;

const THEFTS: readonly {
  readonly what: string;
  readonly files: (text: Texts) => Promise<Readonly<Record<string, string | null>>>;
}[] = [
  { what: 'whose last file is gone', files: async () => ({ [eventsPath(FOLDER, 3)]: null }) },
  {
    what: 'whose last two files are gone',
    files: async () => ({ [eventsPath(FOLDER, 2)]: null, [eventsPath(FOLDER, 3)]: null }),
  },
  { what: 'whose file in the middle is gone', files: async () => ({ [eventsPath(FOLDER, 2)]: null }) },
  { what: 'whose file in the middle is empty', files: async () => ({ [eventsPath(FOLDER, 2)]: '' }) },
  {
    what: 'whose last file lost its end',
    files: async (text) => ({ [eventsPath(FOLDER, 3)]: `${(await text(3)).split('\n').slice(0, 2).join('\n')}\n` }),
  },
  {
    what: 'whose files changed places',
    files: async (text) => ({ [eventsPath(FOLDER, 2)]: await text(3), [eventsPath(FOLDER, 3)]: await text(2) }),
  },
  {
    what: 'that has a line of junk in a file that is full',
    files: async (text) => ({ [eventsPath(FOLDER)]: `${await text(1)}junk\n` }),
  },
  { what: 'behind which lies a file that nobody signed', files: async () => ({ [eventsPath(FOLDER, 4)]: 'junk\n' }) },
  { what: 'behind which lies an empty file', files: async () => ({ [eventsPath(FOLDER, 4)]: '' }) },
  { what: 'far behind which lies such a file', files: async () => ({ [eventsPath(FOLDER, 9)]: 'junk\n' }) },
];

describe('a long run that was tampered with', () => {
  const goesOn = { who: 'a process that goes on', hasMarks: true };
  const begun = { who: 'a process that has just begun', hasMarks: true };
  const unmarked = { who: 'a process that has just begun and finds no marks', hasMarks: false };
  const stolen = THEFTS.flatMap((theft, index) =>
    [goesOn, unmarked, ...(index < 2 ? [begun] : [])].map((one) => ({ ...theft, ...one })),
  );
  it.each(stolen)(
    '$what is detected by $who, which appends nothing',
    async ({ files, who, hasMarks }) => {
      const { remote, process } = await written(RUN, lookedAt(LONG));
      await process.append(RUN, [observed(LONG)]);
      const good = (part: number): Promise<string> =>
        remote
          .shell(`git cat-file blob ${BRANCH}:${eventsPath(FOLDER, part)}; echo .`)
          .then((text) => text.slice(0, -1));
      await push(remote, await files(good));
      if (!hasMarks)
        for (const tag of (await remote.git('tag', '--list')).split('\n')) await remote.git('tag', '-d', tag);
      const reader = who === 'a process that goes on' ? process : recordProcess(remote);
      await reader.store.load();
      expect(reader.store.current().broken.map(({ run }) => run)).toEqual([RUN]);
      expect(reader.store.current().goodFiles.get(RUN)?.events).toHaveLength(LONG + 1);
      const head = await remote.git('rev-parse', BRANCH);
      await expect(reader.append(RUN, [observed(LONG + 1)])).rejects.toThrow('failed');
      expect(await remote.git('rev-parse', BRANCH)).toBe(head);
    },
    60_000,
  );
});
