/**
 * Tampering with the logbook is detected and reported once, and blocks everything that depends on the damaged
 * part.
 */

import { describe, expect, it } from 'vitest';
import { commitFiles } from '../../packages/playground/git/store/memory-remote.ts';
import {
  approve,
  logbookText,
  playFerry,
  propose,
  readEventsOf,
  readState,
  seal,
  until,
  untilState,
} from '../support/play.ts';
import {
  listAnswersTo,
  listBotComments,
  listRepeatedComments,
  openExperiment,
  postComment,
  pushFile,
  readBranchFile,
  SHORT_FERRY,
} from '../support/talk.ts';
import { openVirtualLab, type VirtualLab, type VirtualLabOptions } from '../support/virtual-lab.ts';

const MINUTE = 60_000;
const BRANCH = 'ferrybot/logbook';
const REF = `refs/heads/${BRANCH}`;

type Ferry = { readonly lab: VirtualLab; readonly run: string; readonly pull: number; readonly issue: number };

async function proposed(options: VirtualLabOptions = {}): Promise<Ferry> {
  const lab = await openVirtualLab({ ferry: SHORT_FERRY, ...options });
  return { lab, ...(await propose(lab)) };
}

async function headOf(lab: VirtualLab): Promise<string> {
  return (await lab.store.refs(REF)).get(REF) ?? '';
}

/** A line like the last one, as a person without a key would write it. */
function forged(text: string, change: (event: Record<string, unknown>) => object): string {
  const last: Record<string, unknown> = JSON.parse(text.trimEnd().split('\n').at(-1) ?? '{}');
  return `${text}${JSON.stringify({ ...last, ...change(last) })}\n`;
}

function incidents(lab: VirtualLab): readonly string[] {
  return listBotComments(lab)
    .filter((comment) => comment.kind === 'incident')
    .map((comment) => comment.text);
}

describe('an unsigned entry', () => {
  it.each([
    { what: 'an approval', type: 'approved' },
    { what: 'an order', type: 'ordered' },
  ])('($what) is reported once, and blocks the launch until it is removed', async ({ type }) => {
    const { lab, run, pull, issue } = await proposed();
    const path = `runs/2026/11/${run}/events.jsonl`;
    const good = await logbookText(lab, run);
    await pushFile(
      lab,
      'ada',
      BRANCH,
      path,
      forged(good, (last) => ({ type, seq: Number(last['seq']) + 1 })),
    );
    await lab.clock.advance(MINUTE);
    expect(incidents(lab)).toEqual([expect.stringMatching(/does not verify[\s\S]*line 4 \(entry 3\) is bad/)]);
    expect(listBotComments(lab).at(-1)?.thread).toBe(pull);
    const approval = await approve(lab, 'mira', pull);
    expect(listAnswersTo(lab, approval)).toEqual([expect.stringContaining('does not verify')]);
    await lab.clock.advance(70 * MINUTE);
    expect(lab.engine.startCount()).toBe(0);
    expect(incidents(lab)).toHaveLength(1);
    expect((await readEventsOf(lab, 'journal')).map((event) => event.type)).toContain('incident');

    await pushFile(lab, 'ada', BRANCH, path, good);
    await lab.clock.advance(MINUTE);
    await approve(lab, 'mira', pull);
    await until(lab, 'the end', async () => (await readState(lab, run))?.end !== null, { stepMs: MINUTE });
    await seal(lab, run, issue);
    expect(listRepeatedComments(lab)).toEqual([]);
    await lab.close();
  });

  it('is detected by the runner before it submits', async () => {
    let letGo = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const { lab, run, pull } = await proposed({ beforeJob: async (mode) => (mode === 'launch' ? gate : undefined) });
    await approve(lab, 'mira', pull);
    const text = await logbookText(lab, run);
    await pushFile(
      lab,
      'ada',
      BRANCH,
      `runs/2026/11/${run}/events.jsonl`,
      forged(text, (last) => ({ seq: Number(last['seq']) + 1 })),
    );
    letGo();
    await lab.clock.advance(5 * MINUTE);
    expect(lab.engine.startCount()).toBe(0);
    expect(lab.log.join('\n')).toContain('launch: order-unknown');
    expect(incidents(lab)).toHaveLength(1);
    await lab.close();
  });

  it("in the journal blocks answers outside runs, and is reported in the newest ferry's thread", async () => {
    const { lab, pull } = await proposed();
    const number = await openExperiment(lab);
    await postComment(lab, 'mira', number, '/status');
    const good = await logbookText(lab, 'journal');
    await pushFile(lab, 'ada', BRANCH, 'journal/events.jsonl', good.replace('lane-shown', 'run-over'));
    await lab.clock.advance(MINUTE);
    expect(incidents(lab)).toEqual([expect.stringContaining('The journal does not verify')]);
    // The run's own record is valid, so the run continues.
    const status = await postComment(lab, 'mira', pull, '/status');
    expect(listAnswersTo(lab, status)).toHaveLength(1);
    expect(lab.log.filter((line) => line.includes('failed'))).toEqual([]);
    await lab.close();
  });
});

describe('a logbook branch that was deleted or reset', () => {
  it.each([
    { server: true, servers: 1 },
    { server: true, servers: 2 },
    { server: false, servers: 0 },
  ])(
    'is not recreated after a deletion, and commands are answered once it is restored (servers: $servers)',
    async ({ server, servers }) => {
      const { lab, run, pull } = await proposed({ server, servers });
      const head = await headOf(lab);
      await lab.as('ada', 'DELETE', `/git/${REF}`);
      await lab.clock.advance(20 * MINUTE);
      const approval = await approve(lab, 'mira', pull);
      await lab.dispatchDaily();
      await lab.clock.advance(20 * MINUTE);
      expect(await headOf(lab)).toBe('');
      expect(incidents(lab)).toEqual([expect.stringMatching(/branch `ferrybot\/logbook` is gone/)]);
      expect(listAnswersTo(lab, approval)).toEqual([]);
      expect(Object.values(lab.world.state.issues).filter((issue) => issue.pull !== null)).toHaveLength(1);

      // A person restores the branch from a clone; pending commands are answered then.
      await lab.as('ada', 'POST', '/git/refs', { ref: REF, sha: head });
      await untilState(lab, run, (state) => state.submission !== null, { stepMs: MINUTE });
      expect(listAnswersTo(lab, approval)).toEqual([expect.stringContaining('approved manifest')]);
      expect(lab.engine.startCount()).toBe(1);
      await lab.close();
    },
  );

  it.each([
    { server: true, words: /was put back/ },
    { server: false, words: /entry \d+ with the hash `[0-9a-f]+` was there, and is missing now/ },
  ])('is reported after a reset to an older commit (server: $server)', async ({ server, words }) => {
    const { lab, run, pull } = await proposed({ server });
    const early = await headOf(lab);
    await postComment(lab, 'mira', pull, '/status');
    await lab.clock.advance(20 * MINUTE);
    const late = await headOf(lab);
    expect(late).not.toBe(early);
    await lab.as('ada', 'PATCH', `/git/${REF}`, { sha: early, force: true });
    await lab.clock.advance(MINUTE);
    await approve(lab, 'mira', pull);
    await lab.clock.advance(40 * MINUTE);
    expect(lab.engine.startCount()).toBe(0);
    expect(incidents(lab)).toEqual([expect.stringMatching(words)]);
    expect((await readState(lab, run))?.approvals).toEqual([]);
    await lab.close();
  });

  it('is reported by a new process if a whole run was deleted from it', async () => {
    const { lab, run, pull } = await proposed({ server: false });
    const head = await headOf(lab);
    const author = { name: 'Ada', email: 'ada@lab.example', atMs: lab.clock.now() };
    const files = { [`runs/2026/11/${run}/events.jsonl`]: null, [`runs/2026/11/${run}/logbook.md`]: null };
    await commitFiles(lab.store, { ref: REF, expected: head, files, message: 'Tidy up', author });
    const approval = await approve(lab, 'mira', pull);
    await lab.clock.advance(40 * MINUTE);
    expect(incidents(lab)).toEqual([expect.stringMatching(/does not verify[\s\S]*was there, and is missing now/)]);
    expect(listAnswersTo(lab, approval)).toEqual([expect.stringContaining('does not verify')]);
    expect(await readState(lab, run)).toBeNull();
    expect(lab.engine.startCount()).toBe(0);
    await lab.close();
  });
});

describe('the tag of a sealed run', () => {
  // threat T21
  it("is reported in the run's thread once if it was deleted, with the command to restore it", async () => {
    const lab = await openVirtualLab({ ferry: SHORT_FERRY });
    const { run, pull } = await playFerry(lab);
    const tag = (await readState(lab, run))?.seal?.tag ?? '';
    await lab.as('ada', 'DELETE', `/git/refs/tags/${tag}`);
    await lab.clock.advance(70 * MINUTE);
    expect(incidents(lab)).toEqual([expect.stringContaining(`has lost its tag`)]);
    expect(listBotComments(lab).find(({ kind }) => kind === 'incident')?.thread).toBe(pull);
    const { seal } = (await readState(lab, run)) ?? {};
    expect(incidents(lab)[0]).toContain(`git push origin ${seal?.commit}:refs/tags/${tag}`);
    await lab.clock.advance(70 * MINUTE);
    expect(incidents(lab)).toHaveLength(1);
    await lab.close();
  });
});

describe('the state file of the monitoring policy', () => {
  // rule ML-10
  it('names the watched job and cluster, and is overwritten without effect if a person edits it', async () => {
    const { lab, run, pull } = await proposed();
    const path = `runs/2026/11/${run}/monitoring_state.json`;
    expect(await readBranchFile(lab, BRANCH, path)).toBeNull();
    await approve(lab, 'mira', pull);
    await until(lab, 'a look', async () => (await readState(lab, run))?.observation != null);
    const job = (await readState(lab, run))?.submission;
    const wanted = {
      job_id: job?.jobId,
      cluster: job?.cluster,
      experiment: 'experiments/ferries/daily.py',
      restart_count: 0,
    };
    expect(JSON.parse((await readBranchFile(lab, BRANCH, path)) ?? '')).toEqual(wanted);

    const lie = JSON.stringify({ ...wanted, job_id: 'another-job', restart_count: 99 });
    await pushFile(lab, 'ada', BRANCH, path, lie);
    const seen = (await readState(lab, run))?.observation?.seq ?? 0;
    await until(lab, 'another look', async () => ((await readState(lab, run))?.observation?.seq ?? 0) > seen);
    expect(JSON.parse((await readBranchFile(lab, BRANCH, path)) ?? '')).toEqual(wanted);
    await pushFile(lab, 'ada', BRANCH, path, 'no JSON at all {');
    await until(lab, 'the end', async () => (await readState(lab, run))?.end != null);
    expect((await readState(lab, run))?.end?.status).toBe('SUCCEEDED');
    expect(JSON.parse((await readBranchFile(lab, BRANCH, path)) ?? '')).toEqual(wanted);
    expect(incidents(lab)).toEqual([]);
    await lab.close();
  });
});
