/** One command in any clone repairs a record that a push damaged, and ferrybot continues from there. */

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runProgram } from '../../src/host/process.ts';
import { callVerb } from '../app/cli/call-verb.ts';
import { environment } from '../host/git/scratch-repository.ts';
import { requireApprovalLine } from '../support/approve.ts';
import { type BundleLab, openBundleLab } from './bundle-lab.ts';
import { stateIn } from './bundle-world.ts';
import { headOfRecord, incidentsIn, marksOf, pushFiles, putBranchBack, recordFiles } from './record-attacks.ts';

const REF = 'refs/heads/ferrybot/logbook';

let lab: BundleLab;
beforeAll(async () => {
  lab = await openBundleLab();
});
afterEach(() => lab.rewind());
afterAll(() => lab.close());

async function clone(): Promise<string> {
  const folder = await lab.scratch();
  const cloned = await runProgram('git', ['clone', '--quiet', lab.repository, folder], { env: environment });
  if (!cloned.ok) throw new Error(cloned.stderr);
  return folder;
}

type Answer = {
  readonly ok: boolean;
  readonly commit: string | null;
  readonly files: readonly {
    readonly run: string;
    readonly fault: string;
    readonly to: { readonly seq: number; readonly hash: string } | null;
    readonly why: string | null;
  }[];
};

async function repair(folder: string, ...args: readonly string[]): Promise<Answer & { readonly code: number }> {
  const { code, out, err } = await callVerb('logbook repair', folder, [...args, '--json']);
  expect(err).toBe('');
  return { ...(JSON.parse(out) as Answer), code };
}

async function said(body: string): Promise<void> {
  lab.clock.advance(5_000);
  await lab.as('mira', 'POST', `/issues/${lab.pull}/comments`, { body });
  await lab.sweep();
}

describe('a valid record', () => {
  it('is not changed', async () => {
    const before = await headOfRecord(lab);
    expect(await repair(await clone())).toMatchObject({ ok: true, code: 0, commit: null, files: [] });
    expect(await headOfRecord(lab)).toBe(before);
  });
});

describe('a hold removed by an ordinary push', () => {
  it('is in the record again after the repair', async () => {
    const before = await recordFiles(lab);
    await said('/revoke');
    const whole = await recordFiles(lab);
    await pushFiles(lab, before);
    const answer = await repair(await clone());
    expect(answer).toMatchObject({ ok: true, code: 0 });
    expect(answer.files.map(({ run }) => run)).toContain(lab.run);
    expect(await recordFiles(lab)).toEqual(whole);
    expect(await lab.git('rev-parse', REF)).toBe(answer.commit);
    expect((await stateIn(lab))?.order?.status).not.toBe('open');
  });
});

describe('a deleted branch', () => {
  it('is created again with the entries that its marks prove', async () => {
    const whole = await recordFiles(lab);
    await lab.git('update-ref', '-d', REF);
    expect(await repair(await clone())).toMatchObject({ ok: true, code: 0 });
    expect(Object.keys(await recordFiles(lab))).toEqual(Object.keys(whole));
    expect((await stateIn(lab))?.order?.status).toBe('open');
  });
});

describe('a branch and marks that were reset by force', () => {
  it('are restored from a clone with later entries, and the branch continues both', async () => {
    const before = { head: await headOfRecord(lab), marks: await marksOf(lab) };
    await said('/hold reason="the tokenizer changes"');
    const after = { head: await headOfRecord(lab), files: await recordFiles(lab) };
    const folder = await clone();
    await putBranchBack(lab, before.head);
    for (const mark of await marksOf(lab))
      if (!before.marks.includes(mark)) await lab.git('update-ref', '-d', `refs/tags/${mark}`);
    expect(await repair(folder)).toMatchObject({ ok: true, code: 0 });
    expect(await recordFiles(lab)).toEqual(after.files);
    expect(await lab.git('merge-base', after.head, REF)).toBe(after.head);
  });

  it('are not changed if two signed entries contradict each other, because a person must decide', async () => {
    await said('/hold reason="the tokenizer changes"');
    const folder = await clone();
    await lab.rewind();
    await said('/revoke');
    const head = await headOfRecord(lab);
    const answer = await repair(folder);
    expect(answer).toMatchObject({ ok: false, code: 1, commit: null });
    expect(answer.files.find(({ run }) => run === lab.run)?.why).toContain('contradict each other');
    expect(await headOfRecord(lab)).toBe(head);
  });
});

// Something is launched here, so this test is the last one.
it('invalid lines in run and journal block everything; after the repair the approval still launches', async () => {
  // Held and lifted: the journal has entries, and the run is approved again below.
  await said('/hold lane=daily reason="a bad node eats jobs"');
  await said('/unhold lane=daily');
  await said(requireApprovalLine(lab));
  const order = { run: lab.run, order: (await stateIn(lab))?.order?.digest ?? '' };
  const whole = await recordFiles(lab);
  const junk = Object.entries(whole).map(([path, text]) => [path, `${text}junk\n`] as const);
  const runs = Object.keys(whole).map((path) => path.split('/').at(-2) ?? '');
  expect(runs).toEqual(expect.arrayContaining(['journal', lab.run]));
  await pushFiles(lab, Object.fromEntries(junk));
  expect(await lab.launch(order)).toContain('does not verify');
  await lab.sweep();
  expect(incidentsIn(lab).join('\n')).toMatch(/does not verify[\s\S]*`ferrybot logbook repair`/);

  const folder = await clone();
  const broken = await headOfRecord(lab);
  const dry = await repair(folder, '--dry-run');
  expect(dry).toMatchObject({ ok: true, code: 0, commit: null });
  expect(dry.files.map(({ run }) => run).sort()).toEqual(runs.toSorted());
  expect(await headOfRecord(lab)).toBe(broken);

  const told = await callVerb('logbook repair', folder, []);
  expect(told).toMatchObject({ code: 0, err: '' });
  expect(told.out).toMatch(/is bad: canonical[\s\S]*put back up to entry \d+[\s\S]*pushed [0-9a-f]{40}/);
  expect(await recordFiles(lab)).toEqual(whole);
  expect(await lab.git('rev-parse', `${REF}^`)).toBe(broken);
  expect(await repair(folder)).toMatchObject({ ok: true, files: [] });

  await lab.sweep();
  expect(await lab.launch(order)).toContain('submitted');
});
