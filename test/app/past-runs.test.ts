/** Many folders beside the runs that matter: what a look and an append cost does not grow with them. On real git. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bareRepository, type Remote, scratchFolder } from '../host/git/scratch-repository.ts';
import { lifeOfAFerry, observed, proposed, RUN } from '../logbook/sample-logbook.ts';
import { type Cost, recordProcess } from '../support/record-lab.ts';

const BRANCH = 'refs/heads/ferrybot/logbook';

/** Folders in the place of runs, each with a file that nobody signed, in one ordinary commit. */
async function plant(remote: Remote, count: number): Promise<void> {
  const file = join(scratchFolder(), 'junk');
  writeFileSync(file, `${'junk '.repeat(2_000)}\n`);
  const blob = await remote.git('hash-object', '-w', file);
  const lines = Array.from(
    { length: count },
    (_, index) => `100644 ${blob}\truns/zzz-${index}-20991231/events.jsonl`,
  );
  const input = join(scratchFolder(), 'lines');
  writeFileSync(input, `${lines.join('\n')}\n`);
  const script = `export GIT_INDEX_FILE=$1; git read-tree ${BRANCH} && git update-index --index-info < $2 && git commit-tree $(git write-tree) -p ${BRANCH} -m mine`;
  const commit = await remote.shell(script, join(scratchFolder(), 'index'), input);
  await remote.git('update-ref', BRANCH, commit);
}

/** What a look at somebody's append and an append of one's own cost beside so many folders, and what the first look read. */
async function costsBeside(count: number): Promise<{ first: Cost; look: Cost; append: Cost }> {
  const remote = await bareRepository();
  const [writer, reader] = [recordProcess(remote), recordProcess(remote)];
  await writer.append(RUN, lifeOfAFerry(9).slice(0, 9));
  await plant(remote, count);
  const first = await reader.costOf(() => reader.store.load());
  await writer.append(RUN, [observed(1)]);
  const look = await reader.costOf(() => reader.store.load());
  expect(reader.store.current().runs.map(({ run }) => run)).toEqual([RUN]);
  const append = await writer.costOf(() => writer.append(RUN, [observed(2)]));
  return { first, look, append };
}

it('ten thousand of them are as many questions to git as fifty, and what was read once is not read again', async () => {
  const few = await costsBeside(50);
  const many = await costsBeside(10_000);
  expect(many.first.git).toEqual(few.first.git);
  expect(many.look).toEqual(few.look);
  expect(many.append).toEqual(few.append);
  expect(many.look.charactersRead).toBeLessThan(many.first.charactersRead);
  // The file that grew, and no junk beside it.
  expect(many.look.charactersRead).toBeLessThan(15_000);
});

it('what a process has written is not read back when another one has pushed', async () => {
  const remote = await bareRepository();
  const [one, other] = [recordProcess(remote), recordProcess(remote)];
  await one.append(RUN, lifeOfAFerry(9).slice(0, 9));
  const another = 'ferry-daily-20261122';
  const draft =
    proposed.type === 'proposed'
      ? { ...proposed, data: { ...proposed.data, runName: another, date: '2026-11-22' } }
      : proposed;
  await other.append(another, [draft]);
  const [ours] = one.store.histories();
  const look = await one.costOf(() => one.store.load());
  expect(one.store.current().runs).toHaveLength(2);
  expect(one.store.histories()).toContain(ours);
  // The other's first entry alone.
  expect(look.charactersRead).toBeLessThan(2_000);
});
