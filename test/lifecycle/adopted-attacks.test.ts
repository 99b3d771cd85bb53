/** Attacks on adoption: taking over a job without permission, or reading its log before it was accepted. */

import { afterEach, describe, expect, it } from 'vitest';
import { isAdopted } from '../../src/domain/logbook/holdings.ts';
import {
  commentAndReadAnswer,
  JOB_ID,
  openAdoptingLab,
  openIssue,
  runOf,
  startJobByHand,
  WATCH,
} from '../support/adopted-job.ts';
import { branchHead } from '../support/hero-run.ts';
import { branchOff, listOpenGates } from '../support/own-pull.ts';
import { approve, logbookText, propose, readState, until, untilState } from '../support/play.ts';
import { listAnswerCodes } from '../support/recorded.ts';
import { listBotComments, listBotTexts, listRepeatedComments, MINUTE, postComment, pushFile } from '../support/talk.ts';
import type { VirtualLab } from '../support/virtual-lab.ts';

let lab: VirtualLab;
afterEach(async () => {
  expect(listRepeatedComments(lab)).toEqual([]);
  await lab.close();
});

const SECRET = 'hf_aBcDeFgHiJkLmNoPqRsTuVwXyZ012345';
const watchFor = (job: string, cluster = 'us-central1'): string =>
  `/watch job=${job} cluster=${cluster} experiment=experiments/ferries/daily.py`;

/** A commit on top of `main` that no branch contains. */
async function strayCommit({ store }: VirtualLab): Promise<string> {
  const tip = (await store.refs('refs/heads/main')).get('refs/heads/main') ?? '';
  const { tree } = (await store.readCommit(tip)) ?? { tree: '' };
  const who = { name: 'sol', email: 'sol@example.org', atMs: Date.UTC(2026, 10, 21, 7) };
  return store.writeCommit({ tree, parents: [tip], author: who, committer: who, message: 'of a fork' });
}

describe('adoption of a running job', () => {
  // threat T135
  it("refuses untrusted requests and a writer's accept, and offers no launch commands before acceptance", async () => {
    lab = await openAdoptingLab();
    startJobByHand(lab);
    const issue = await openIssue(lab);
    for (const who of ['ada', 'ravi'] as const)
      expect(await commentAndReadAnswer(lab, who, issue, WATCH)).toBe('not-permitted');
    const strange = await postComment(lab, 'sol', issue, WATCH);
    await lab.clock.advance(10 * MINUTE);
    expect(await listAnswerCodes(lab, strange)).toEqual(['not-permitted']);
    expect(await readState(lab, runOf(issue))).toBeNull();
    await commentAndReadAnswer(lab, 'mira', issue, WATCH);
    await until(lab, 'what the job is', async () => (await readState(lab, runOf(issue)))?.description != null);
    expect(await commentAndReadAnswer(lab, 'ada', issue, '/accept')).toBe('not-permitted');
    for (const [words, code] of [
      [`/approve-launch ${'0'.repeat(64)}`, 'approval-by-author'],
      ['/relaunch', 'not-now'],
      ['/stop', 'not-now'],
      ['/handoff @ada', 'not-now'],
      ['/seal', 'not-now'],
    ] as const)
      expect(await commentAndReadAnswer(lab, 'mira', issue, words)).toBe(code);
    expect((await readState(lab, runOf(issue)))?.submission).toBeNull();
  });

  // threat T136
  it('is refused on a cluster without adoption in its config', async () => {
    lab = await openAdoptingLab({ config: (text) => text.replace('    adoption: true\n', '') });
    startJobByHand(lab);
    const issue = await openIssue(lab);
    expect(await commentAndReadAnswer(lab, 'mira', issue, WATCH)).toBe('adopt-cluster');
    expect(await readState(lab, runOf(issue))).toBeNull();
  });

  // threat T137
  it('is refused if a run or another thread already holds the job, and in the thread of a ferry', async () => {
    lab = await openAdoptingLab();
    const ferry = await propose(lab);
    await approve(lab, 'mira', ferry.pull, ferry.run);
    await until(lab, 'the job', async () => (await readState(lab, ferry.run))?.submission != null);
    const jobId = (await readState(lab, ferry.run))?.submission?.jobId ?? '';
    const issue = await openIssue(lab);
    expect(await commentAndReadAnswer(lab, 'mira', issue, watchFor(jobId))).toBe('adopt-held');
    startJobByHand(lab);
    const [first, second] = [await openIssue(lab), await openIssue(lab)];
    await commentAndReadAnswer(lab, 'mira', first, WATCH);
    expect(await commentAndReadAnswer(lab, 'mira', second, WATCH)).toBe('adopt-held');
    expect(await commentAndReadAnswer(lab, 'mira', ferry.pull, WATCH)).toBe('adopt-place');
  });

  // threat T138
  it('refuses a job id that contains Markdown, a path, shell syntax, a mention or an option', async () => {
    lab = await openAdoptingLab();
    const issue = await openIssue(lab);
    for (const job of ['"[a](https://evil.example)"', '../../etc', '"a;rm -rf"', '@mira', '-v']) {
      expect(await commentAndReadAnswer(lab, 'mira', issue, watchFor(job))).toBe('not-understood');
      const [text = ''] = listBotTexts(lab, 'answer').slice(-1);
      expect(text.replaceAll(/`[^`]*`/g, '')).not.toMatch(/\]\(https|@mira/);
    }
    expect(await readState(lab, runOf(issue))).toBeNull();
  });

  // threat T139
  it('redacts secrets in the command and posts no log lines before acceptance', async () => {
    lab = await openAdoptingLab();
    startJobByHand(lab, {
      origin: {
        submitter: '@mira [x](https://evil.example)',
        entrypoint: `python3 experiments/ferries/daily.py --token=${SECRET} \`\`\` @ada`,
        gitCommit: null,
      },
      says: [`Traceback: ${SECRET}`, 'a-line-of-the-log'],
    });
    const issue = await openIssue(lab);
    await commentAndReadAnswer(lab, 'mira', issue, WATCH);
    await until(lab, 'what the job is', async () => (await readState(lab, runOf(issue)))?.description != null);
    await lab.clock.advance(30 * MINUTE);
    const everything = `${await logbookText(lab, runOf(issue))} ${listBotComments(lab)
      .map(({ source }) => source)
      .join('\n')}`;
    expect(everything).not.toContain(SECRET);
    expect(everything).not.toContain('a-line-of-the-log');
    const [shown = ''] = listBotTexts(lab, 'notice');
    expect(shown.replaceAll(/`{3,}[\s\S]*?\n`{3,}|`[^`]*`/g, '')).not.toMatch(/(?<!\\)\]\(https|(?<!\w)@ada/);
  });

  it('closes the run with a notice if the cluster has no such job, and can adopt the job later', async () => {
    lab = await openAdoptingLab();
    const issue = await openIssue(lab);
    await commentAndReadAnswer(lab, 'mira', issue, WATCH);
    await until(lab, 'the end', async () => (await readState(lab, runOf(issue)))?.closed != null);
    await lab.clock.advance(MINUTE);
    expect(listBotTexts(lab, 'closed').join()).toContain(`the cluster has no job ${JOB_ID} on us-central1`);
    startJobByHand(lab);
    await commentAndReadAnswer(lab, 'mira', issue, WATCH);
    const again = `${runOf(issue)}-2`;
    await untilState(lab, again, (state) => state.description?.found === 'described');
  });

  // threat T142
  it.each([
    ['that the repository lacks', () => Promise.resolve('ab'.repeat(20))],
    ['that only a fork has', (open: VirtualLab) => strayCommit(open)],
  ])(
    'warns before acceptance about a commit %s, and never launches the job again at that commit',
    async (_, commitOf) => {
      lab = await openAdoptingLab();
      const gitCommit = await commitOf(lab);
      const origin = { submitter: 'ada', entrypoint: 'python3 experiments/ferries/daily.py', gitCommit };
      startJobByHand(lab, { origin, exitCode: 1 });
      const issue = await openIssue(lab);
      await commentAndReadAnswer(lab, 'mira', issue, WATCH);
      await until(lab, 'what the job is', async () => (await readState(lab, runOf(issue)))?.description != null);
      await lab.clock.advance(MINUTE);
      expect(listBotTexts(lab, 'notice').join()).toContain(
        `\`${gitCommit}\`, which is on no branch of this repository: ferrybot could not launch the job again`,
      );
      await commentAndReadAnswer(lab, 'mira', issue, '/accept');
      await until(lab, 'the gates', async () => (await readState(lab, runOf(issue)))?.gate != null, {
        limitMs: 60 * MINUTE,
      });
      await lab.clock.advance(10 * MINUTE);
      const state = await readState(lab, runOf(issue));
      expect(state?.end?.status).toBe('FAILED');
      expect(state === null ? null : listOpenGates(state)).toContain('entrypoint-known commit-missing');
      expect(listBotTexts(lab, 'card').join()).toContain(
        `no branch of this repository has the commit \`${gitCommit}\``,
      );
      expect(lab.engine.startCount()).toBe(0);
    },
  );

  // threat T143
  it('makes no automatic fix at a commit that only a fork has, even for a small error in the log', async () => {
    lab = await openAdoptingLab({}, '    fixScope: [experiments]\n');
    await pushFile(lab, 'ada', 'main', 'experiments/sweep.py', 'import json\n\nprint(math.pi)\nprint(json)\n');
    startJobByHand(lab, {
      origin: { submitter: 'ada', entrypoint: 'python3 experiments/sweep.py', gitCommit: await strayCommit(lab) },
      says: [
        'Traceback (most recent call last):',
        '  File "/home/ada/lab/experiments/sweep.py", line 3, in <module>',
        "NameError: name 'math' is not defined. Did you forget to import 'math'?",
      ],
      exitCode: 1,
    });
    const issue = await openIssue(lab);
    await commentAndReadAnswer(lab, 'mira', issue, WATCH);
    await until(lab, 'what the job is', async () => (await readState(lab, runOf(issue)))?.description != null);
    await commentAndReadAnswer(lab, 'mira', issue, '/accept');
    await until(lab, 'the end', async () => (await readState(lab, runOf(issue)))?.end != null, { stepMs: MINUTE });
    await lab.clock.advance(10 * MINUTE);
    const state = await readState(lab, runOf(issue));
    expect(state?.end?.diagnosis?.class).toBe('code-small');
    expect(state?.incidents.filter(({ code }) => code?.startsWith('fix-') === true)).toEqual([]);
  });

  it('does not launch again at a commit whose branch was deleted after adoption was requested', async () => {
    lab = await openAdoptingLab();
    await branchOff(lab, 'ada', 'ada/sweep');
    await pushFile(lab, 'ada', 'ada/sweep', 'lib/sweep.py', 'x = 1\n');
    const gitCommit = await branchHead(lab, 'ada/sweep');
    const origin = { submitter: 'ada', entrypoint: 'python3 experiments/ferries/daily.py', gitCommit };
    startJobByHand(lab, { origin, exitCode: 1 });
    const issue = await openIssue(lab);
    await commentAndReadAnswer(lab, 'mira', issue, WATCH);
    await until(lab, 'what the job is', async () => (await readState(lab, runOf(issue)))?.description != null);
    expect((await readState(lab, runOf(issue)))?.description).toMatchObject({ commitIsHere: true });
    await lab.as('ada', 'DELETE', '/git/refs/heads/ada/sweep');
    await commentAndReadAnswer(lab, 'mira', issue, '/accept');
    await until(lab, 'the gates', async () => (await readState(lab, runOf(issue)))?.gate != null, {
      limitMs: 60 * MINUTE,
    });
    const state = await readState(lab, runOf(issue));
    expect(state === null ? null : listOpenGates(state)).toContain('entrypoint-known unreadable');
    expect(state?.gate?.digest).toBeNull();
    await lab.clock.advance(10 * MINUTE);
    expect(listBotTexts(lab, 'card').join()).toContain(
      `no branch of this repository has ${gitCommit.slice(0, 12)} any more`,
    );
  });

  // threat T140
  it('refuses an /accept that arrives before the cluster has described the job', async () => {
    lab = await openAdoptingLab();
    startJobByHand(lab);
    const issue = await openIssue(lab);
    lab.engine.loseNextAnswer('describe');
    await commentAndReadAnswer(lab, 'mira', issue, WATCH);
    expect(await commentAndReadAnswer(lab, 'mira', issue, '/accept')).toBe('job-not-told');
    await until(lab, 'what the job is', async () => {
      return (await readState(lab, runOf(issue)))?.description?.found === 'described';
    });
    const state = await readState(lab, runOf(issue));
    expect(state === null || isAdopted(state)).toBe(false);
  });

  // threat T141
  it('refuses an /accept while the description comment is edited or was restored, and posts a deleted one again', async () => {
    lab = await openAdoptingLab();
    startJobByHand(lab);
    const issue = await openIssue(lab);
    await commentAndReadAnswer(lab, 'mira', issue, WATCH);
    const told = () =>
      listBotComments(lab).find(({ kind, text }) => kind === 'notice' && text.includes('Is this the job?'));
    await until(lab, 'what the job is', () => told() !== undefined);
    const { id = 0, source = '' } = told() ?? {};
    const edit = (body: string) => lab.as('ada', 'PATCH', `/issues/comments/${id}`, { body });
    await edit(source.replace('by-hand', 'harmless'));
    expect(await commentAndReadAnswer(lab, 'mira', issue, '/accept')).toBe('job-told-otherwise');
    await edit(source);
    expect(await commentAndReadAnswer(lab, 'mira', issue, '/accept')).toBe('job-told-otherwise');
    await lab.as('mira', 'DELETE', `/issues/comments/${id}`);
    await until(lab, 'it anew', () => told() !== undefined, { stepMs: MINUTE });
    await lab.clock.advance(MINUTE);
    expect(await commentAndReadAnswer(lab, 'mira', issue, '/accept')).toBe('job-adopted');
  });

  it('leaves the job untouched if the issue is closed before acceptance', async () => {
    lab = await openAdoptingLab();
    startJobByHand(lab);
    const issue = await openIssue(lab);
    await commentAndReadAnswer(lab, 'mira', issue, WATCH);
    await lab.as('ada', 'PATCH', `/issues/${issue}`, { state: 'closed' });
    await until(lab, 'the end', async () => (await readState(lab, runOf(issue)))?.closed != null);
    await lab.clock.advance(MINUTE);
    expect(listBotTexts(lab, 'closed').join()).toContain('the job was not adopted');
  });
});
