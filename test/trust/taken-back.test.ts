/** A revocation that an ordinary push removed from the record: no new process accepts the older record. */

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type BundleLab, openBundleLab } from './bundle-lab.ts';
import { startedIn, stateIn } from './bundle-world.ts';
import {
  headOfRecord,
  incidentsIn,
  marksOf,
  pushFiles,
  pushTag,
  putBranchBack,
  recordFiles,
} from './record-attacks.ts';

let lab: BundleLab;
beforeAll(async () => {
  lab = await openBundleLab();
});
afterEach(() => lab.rewind());
afterAll(() => lab.close());

const BRAKES = [
  ['/revoke'],
  ['/stop'],
  ['/hold reason="the tokenizer changes"'],
  ['/hold lane=daily reason="a bad node eats jobs"'],
] as const;

async function saidAndRecorded(brake: string): Promise<void> {
  lab.clock.advance(5_000);
  await lab.as('mira', 'POST', `/issues/${lab.pull}/comments`, { body: brake });
  await lab.sweep();
}

const started = (): Promise<readonly string[]> => startedIn(lab);

describe('a revocation that a push removed from the record', () => {
  // threat T4
  it.each(BRAKES)(
    '(%s) is detected as missing by the launcher, which starts nothing, and control reports it',
    async (brake) => {
      const before = await recordFiles(lab);
      await saidAndRecorded(brake);
      expect((await stateIn(lab))?.order?.status ?? 'void').toBe('void');
      await pushFiles(lab, before);
      expect(await lab.launch()).toContain('does not verify');
      expect(await started()).toEqual([]);
      await lab.sweep();
      expect(incidentsIn(lab).join('\n')).toMatch(/does not verify[\s\S]*was there, and is missing now/);
    },
    120_000,
  );
});

describe('a branch that was reset by force, without a ruleset', () => {
  // threat T5
  it('is detected through its marks by a process that never saw the later entries', async () => {
    const before = await headOfRecord(lab);
    await saidAndRecorded('/revoke');
    await putBranchBack(lab, before);
    expect(await lab.launch()).toContain('does not verify');
    expect(await started()).toEqual([]);
    await lab.sweep();
    expect(incidentsIn(lab).join('\n')).toMatch(/does not verify[\s\S]*was there, and is missing now/);
  });

  // threat T10
  it('is detected if it was deleted', async () => {
    await lab.git('update-ref', '-d', 'refs/heads/ferrybot/logbook');
    expect(await lab.launch()).toContain('branch does not verify: logbook-branch-missing');
    expect(await started()).toEqual([]);
  });
});

describe('a hold or stop in the thread that the record lacks', () => {
  // threat T128
  it('blocks the launch if control has not processed it yet', async () => {
    lab.clock.advance(5_000);
    await lab.as('mira', 'POST', `/issues/${lab.pull}/comments`, { body: '/stop' });
    expect(await lab.launch()).toContain('stop-requested');
    expect(await started()).toEqual([]);
  });

  // threat T11
  it.each(BRAKES)(
    '(%s) blocks the launch if branch and marks were reset by force',
    async (brake) => {
      const before = { head: await headOfRecord(lab), marks: await marksOf(lab) };
      await saidAndRecorded(brake);
      await putBranchBack(lab, before.head);
      for (const mark of await marksOf(lab))
        if (!before.marks.includes(mark)) await lab.git('update-ref', '-d', `refs/tags/${mark}`);
      expect(await lab.launch()).toContain(brake === '/stop' ? 'stop-requested' : 'held');
      expect(await started()).toEqual([]);
    },
    120_000,
  );
});

// threat T12
// Something is launched here, so this test is the last one.
it("unsigned tags have no effect: neither copies of a mark nor tags with the next mark's name", async () => {
  const [mark = ''] = (await marksOf(lab)).filter((name) => name.includes(lab.run));
  const genuine = await lab.git('for-each-ref', '--format=%(contents)', `refs/tags/${mark}`);
  const claim = JSON.parse(genuine) as { readonly seq: number; readonly at: string };
  const forged = { ...claim, seq: claim.seq + 50, hash: 'f'.repeat(64) };
  await pushTag(
    lab,
    `ferrybot-mark-${forged.at.slice(0, 7)}-${lab.run}-${forged.seq}-${forged.hash}`,
    JSON.stringify(forged),
  );
  await pushTag(lab, `ferrybot-mark-${lab.run}`, 'mine');
  await pushTag(lab, `ferrybot-mark-${lab.run}-${claim.seq + 1}`, 'mine');
  await pushTag(lab, `ferrybot-mark-mine`, genuine);
  expect(await lab.launch()).toContain('submitted');
  expect(await started()).toHaveLength(1);
});
