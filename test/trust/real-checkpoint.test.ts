/** A writer tampers with the monthly checkpoint of the record: the real launch job starts nothing. */

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createLabOpener } from '../../src/app/open-lab.ts';
import { brandAs, isRunId } from '../../src/domain/values.ts';
import { recordInJournal } from '../../src/logbook/append.ts';
import { type BundleLab, openBundleLab } from './bundle-lab.ts';
import { bookmark, startedIn } from './bundle-world.ts';
import { headOfRecord, marksOf, pushFiles, putBranchBack, recordFiles } from './record-attacks.ts';

const JOURNAL = 'journal/events.jsonl';

let lab: BundleLab;
let rewind: () => Promise<void>;
let journal: string;
let before: string;
let own: readonly [path: string, text: string];

beforeAll(async () => {
  lab = await openBundleLab();
  const opening = await createLabOpener(lab.control, 'main').open();
  if (opening.kind !== 'open') throw new Error('the lab has no config');
  const { open } = opening;
  const [state] = open.store.current().runs;
  if (state === undefined) throw new Error('there is no run');
  before = await headOfRecord(lab);
  const { run, proposedAt, head } = state;
  const live = [
    { run: brandAs(run, isRunId), firstEntryAt: proposedAt, seq: head.seq, hash: head.hash, launched: false },
  ];
  const draft = { type: 'record-checkpointed', role: 'control', data: { ended: [], live } } as const;
  expect(await recordInJournal(open, () => [draft])).toMatchObject({ kind: 'recorded' });
  const files = await recordFiles(lab);
  journal = files[JOURNAL] ?? '';
  own = Object.entries(files).find(([path]) => path.includes(run)) ?? ['', ''];
  rewind = await bookmark(lab);
});
afterEach(() => rewind());
afterAll(() => lab.close());

const checkpoint = (): string => `${journal.trimEnd().split('\n').at(-1)}\n`;
const withoutIt = (): string => journal.slice(0, -checkpoint().length);

describe('a launch is refused if the checkpoint', () => {
  it.each([
    ['was deleted', () => ({ [JOURNAL]: withoutIt() })],
    ['was replayed', () => ({ [JOURNAL]: `${journal}${checkpoint()}` })],
    ['was forged', () => ({ [JOURNAL]: journal.replace(/"live":\[[^\]]*\]/, '"live":[]') })],
    ['was copied into the record of a run', () => ({ [own[0]]: `${own[1]}${checkpoint()}` })],
  ])('%s', async (_, files) => {
    await pushFiles(lab, files());
    expect(await lab.launch()).toContain('does not verify');
    expect(await startedIn(lab)).toEqual([]);
  });

  it('was removed with its branch and mark, because the truncated run still has its own marks', async () => {
    await putBranchBack(lab, before);
    for (const mark of await marksOf(lab))
      if (mark.includes('-journal-')) await lab.git('update-ref', '-d', `refs/tags/${mark}`);
    await pushFiles(lab, { [own[0]]: `${own[1].trimEnd().split('\n').slice(0, -1).join('\n')}\n` });
    expect(await lab.launch()).toContain('does not verify');
    expect(await startedIn(lab)).toEqual([]);
  });
});

// A job starts here, so this test is the last one.
it('a record with a valid checkpoint is launched', async () => {
  expect(await lab.launch()).toContain('submitted');
});
