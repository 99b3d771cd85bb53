/**
 * Adoption of a job that was launched by hand: request, description, acceptance, watch, and approved
 * relaunch.
 */

import { afterEach, describe, expect, it } from 'vitest';
import { filterIncidents } from '../../src/domain/incidents.ts';
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
import { approve, readState, until, untilState } from '../support/play.ts';
import {
  listBotComments,
  listBotTexts,
  listRepeatedComments,
  MINUTE,
  pushFile,
  readBranchFile,
} from '../support/talk.ts';
import type { VirtualLab, VirtualLabOptions } from '../support/virtual-lab.ts';

let lab: VirtualLab;
afterEach(async () => {
  expect(listRepeatedComments(lab)).toEqual([]);
  expect(lab.world.state.unserved).toEqual([]);
  await lab.close();
});

const SWEEP = 'experiments/sweep.py';
const cardOf = (run: string): string =>
  listBotComments(lab).find((one) => one.kind === 'card' && one.run === run)?.text ?? '';

/** A lane that reminds after one hour and gives up after three. */
const REMINDING = '    reminders: { everyHours: 1, closeAfterHours: 3 }\n';
/** Requests adoption and waits until the cluster has described the job. */
async function describedJob(
  options: VirtualLabOptions = {},
  job: Parameters<typeof startJobByHand>[1] = {},
  more = '',
) {
  lab = await openAdoptingLab(options, more);
  startJobByHand(lab, job);
  const issue = await openIssue(lab);
  expect(await commentAndReadAnswer(lab, 'mira', issue, WATCH)).toBe('adopt-asked');
  const run = runOf(issue);
  await until(lab, 'what the job is', async () => (await readState(lab, run))?.description != null);
  await lab.clock.advance(MINUTE);
  return { issue, run };
}

describe('a job that was launched by hand', () => {
  // rule ML-01
  it('asks one question for all missing options, and creates no run', async () => {
    lab = await openAdoptingLab();
    const issue = await openIssue(lab);
    expect(await commentAndReadAnswer(lab, 'mira', issue, '/watch')).toBe('adopt-what');
    expect(await commentAndReadAnswer(lab, 'mira', issue, `/watch job=${JOB_ID}`)).toBe('adopt-what');
    expect(await readState(lab, runOf(issue))).toBeNull();
  });

  it('is not part of the daily proposals: the adoption lane posts nothing when other lanes are due', async () => {
    lab = await openAdoptingLab();
    await lab.dispatchDaily();
    await lab.clock.advance(10 * MINUTE);
    expect(listBotComments(lab).filter(({ source }) => source.includes('lane `people`'))).toEqual([]);
    expect(Object.values(lab.world.state.issues).filter(({ title }) => title.includes('people'))).toEqual([]);
  });

  it('is described with submitter and command, and its log is read only after /accept', async () => {
    const { issue, run } = await describedJob({}, { says: ['a-line-of-the-log'] });
    const [shown] = listBotTexts(lab, 'notice');
    expect(shown).toContain('**Is this the job?**');
    expect(shown).toContain('| Submitter | ada |');
    expect(shown).toContain('python3 experiments/ferries/daily.py');
    expect(cardOf(run)).toContain('**Wanted: `/accept` by a person who may approve launches');
    await lab.clock.advance(20 * MINUTE);
    expect((await readState(lab, run))?.observation).toBeNull();
    expect(await commentAndReadAnswer(lab, 'mira', issue, '/accept')).toBe('job-adopted');
    await until(lab, 'a look', async () => (await readState(lab, run))?.observation?.status === 'RUNNING');
    expect((await readState(lab, run))?.watch.owner?.login).toBe('mira');
    expect(cardOf(run)).toContain('Owner: mira owns the watch');
  });

  it('is withdrawn without being watched if nobody accepts it, after exactly one reminder', async () => {
    const { issue, run } = await describedJob({}, { says: ['a-line-of-the-log'] }, REMINDING);
    const shownAt = Date.parse((await readState(lab, run))?.description?.at ?? '');
    await lab.clock.advance(58 * MINUTE);
    expect(listBotTexts(lab, 'notice')).toHaveLength(1);
    await lab.clock.advance(30 * MINUTE);
    expect(listBotTexts(lab, 'notice').at(-1)).toContain('@mira');
    await lab.clock.advance(60 * MINUTE);
    expect(listBotTexts(lab, 'notice')).toHaveLength(2);
    expect((await readState(lab, run))?.closed).toBeNull();
    await until(lab, 'the end', async () => (await readState(lab, run))?.closed != null, { stepMs: MINUTE });
    const state = await readState(lab, run);
    expect(Date.parse(state?.closed?.at ?? '') - shownAt).toBeGreaterThanOrEqual(180 * MINUTE);
    expect(state).toMatchObject({ observation: null, submission: null, closed: { outcome: 'withdrawn' } });
    await lab.clock.advance(5 * MINUTE);
    expect(listBotTexts(lab, 'closed')).toHaveLength(1);
    // The job is neither held nor watched, so adoption can be requested again.
    await commentAndReadAnswer(lab, 'mira', issue, WATCH);
    await until(lab, 'what the job is', async () => (await readState(lab, `${run}-2`))?.description != null);
  });

  it('stays adopted if the /accept arrives shortly before the deadline', async () => {
    const { issue, run } = await describedJob({}, {}, REMINDING);
    await lab.clock.advance(175 * MINUTE);
    await commentAndReadAnswer(lab, 'mira', issue, '/accept');
    await lab.clock.advance(60 * MINUTE);
    expect((await readState(lab, run))?.closed).toBeNull();
    expect((await readState(lab, run))?.observation?.status).toBe('RUNNING');
    expect(listBotTexts(lab, 'notice')).toHaveLength(2);
  });

  it('is given up at the same deadline if the cluster never describes it, with one reminder', async () => {
    lab = await openAdoptingLab({}, REMINDING);
    startJobByHand(lab);
    const issue = await openIssue(lab);
    const run = runOf(issue);
    Object.assign(lab.engine, { describe: async () => ({ kind: 'unknown', message: 'it is away' }) });
    await commentAndReadAnswer(lab, 'mira', issue, WATCH);
    await untilState(lab, run, (state) => state.closed != null, { stepMs: MINUTE, limitMs: 200 * MINUTE });
    expect((await readState(lab, run))?.description?.found).toBe('unknown');
    await lab.clock.advance(5 * MINUTE);
    expect(listBotTexts(lab, 'notice')).toHaveLength(1);
    expect(listBotTexts(lab, 'closed')).toHaveLength(1);
  });

  it('is diagnosed when it fails, and the user who accepted the handoff closes the run', async () => {
    const { issue, run } = await describedJob(
      {},
      {
        says: [
          'Traceback (most recent call last):',
          '  File "/app/experiments/ferries/daily.py", line 12, in <module>',
          '    main()',
          "NameError: name 'optax' is not defined",
        ],
        exitCode: 1,
        endAtMs: 40 * MINUTE,
      },
    );
    await commentAndReadAnswer(lab, 'mira', issue, '/accept');
    await commentAndReadAnswer(lab, 'mira', issue, '/handoff @ada');
    expect(await commentAndReadAnswer(lab, 'ada', issue, '/accept')).toBe('accepted');
    await until(lab, 'the end', async () => (await readState(lab, run))?.end != null, { stepMs: MINUTE });
    const state = await readState(lab, run);
    expect(state?.end).toMatchObject({
      status: 'FAILED',
      diagnosis: { class: 'code-small', place: { file: '/app/experiments/ferries/daily.py', line: 12 } },
    });
    await lab.clock.advance(5 * MINUTE);
    expect(cardOf(run)).toContain('experiments/ferries/daily.py');
    expect(lab.engine.startCount()).toBe(0);
    expect(await commentAndReadAnswer(lab, 'ada', issue, '/ack')).toBe('closed');
    expect((await readState(lab, run))?.closed?.outcome).toBe('failed');
  });

  // threat T144
  it('is stopped only by its owner or a person who may approve launches', async () => {
    const { issue, run } = await describedJob();
    expect(await commentAndReadAnswer(lab, 'mira', issue, '/stop')).toBe('not-now');
    await commentAndReadAnswer(lab, 'mira', issue, '/accept');
    expect(await commentAndReadAnswer(lab, 'ada', issue, '/stop')).toBe('watch-not-yours');
    await lab.clock.advance(2 * MINUTE);
    expect((await readState(lab, run))?.end).toBeNull();
    expect(await commentAndReadAnswer(lab, 'mira', issue, '/stop')).toBe('stop-requested');
    await until(lab, 'the end', async () => (await readState(lab, run))?.end != null);
    expect((await readState(lab, run))?.end?.status).toBe('STOPPED');
    expect(await commentAndReadAnswer(lab, 'mira', issue, '/seal accept="fine"')).toBe('seal-adopted');
    await commentAndReadAnswer(lab, 'mira', issue, '/ack');
    expect((await readState(lab, run))?.closed?.outcome).toBe('unsealed');
  });

  it('is launched again at its own commit after that attempt is approved', async () => {
    lab = await openAdoptingLab({ config: (text) => text.replace('\n  adopt: null\n', '\n  adopt: write\n') });
    const commit = await branchHead(lab);
    startJobByHand(lab, {
      origin: {
        submitter: 'ada',
        entrypoint: 'FERRY_DATE=again python3 experiments/ferries/daily.py',
        gitCommit: commit,
      },
      says: ['connection reset by peer'],
      exitCode: 1,
    });
    const issue = await openIssue(lab, 'ada', ['experiment']);
    const run = runOf(issue);
    await commentAndReadAnswer(lab, 'ada', issue, WATCH);
    await until(lab, 'what the job is', async () => (await readState(lab, run))?.description != null);
    await commentAndReadAnswer(lab, 'ada', issue, '/accept');
    await untilState(lab, run, (state) => state.gate?.digest != null, { limitMs: 3_600_000 });
    const gated = await readState(lab, run);
    expect(gated?.gate).toMatchObject({
      commit,
      manifest: { command: ['FERRY_DATE=again', 'python3', 'experiments/ferries/daily.py'] },
    });
    expect(lab.engine.startCount()).toBe(0);
    expect(cardOf(run)).toContain('It was launched by hand; the next attempt uses its command and its commit');
    await lab.clock.advance(MINUTE);
    await approve(lab, 'mira', issue, run);
    await until(lab, 'the second attempt', async () => (await readState(lab, run))?.submission?.attempt === 2);
    const state = await readState(lab, run);
    expect(state?.submission).toMatchObject({ commit, adopted: false });
    expect(state?.order?.order.parent).toEqual({ run, attempt: 1 });
    expect(lab.engine.startCount()).toBe(1);
    await untilState(lab, run, (after) => after.end?.attempt === 2, { limitMs: 12 * 3_600_000 });
    expect(await commentAndReadAnswer(lab, 'mira', issue, '/seal')).toBe('sealed');
    await lab.clock.advance(5 * MINUTE);
    // No word of a ferry, and no card that says that the issue has no run.
    const said = listBotComments(lab).filter(({ thread }) => thread === issue);
    for (const { text } of said) expect(text).not.toMatch(/(?<![`\w/])ferr(?:y|ies)\b(?![\\/])|knob|Tomorrow/);
    expect(said.filter(({ text }) => text.includes('no run belongs to it now'))).toEqual([]);
    expect(listBotTexts(lab, 'incident').join()).not.toContain('green-no-op');
  });

  it('has a small error fixed on a separate branch, and is launched at the fix once it is approved', async () => {
    lab = await openAdoptingLab(
      { config: (text) => text.replace('\n  adopt: null\n', '\n  adopt: write\n') },
      '    fixScope: [experiments]\n',
    );
    const text = 'import json\n\nprint(math.pi)\nprint(json)\n';
    await pushFile(lab, 'ada', 'main', SWEEP, text);
    const commit = await branchHead(lab);
    startJobByHand(lab, {
      origin: { submitter: 'ada', entrypoint: `python3 ${SWEEP}`, gitCommit: commit },
      says: [
        'Traceback (most recent call last):',
        `  File "/home/ada/lab/${SWEEP}", line 3, in <module>`,
        '    print(math.pi)',
        "NameError: name 'math' is not defined. Did you forget to import 'math'?",
      ],
      exitCode: 1,
    });
    const issue = await openIssue(lab, 'ada', ['experiment']);
    const run = runOf(issue);
    await commentAndReadAnswer(lab, 'ada', issue, WATCH);
    await until(lab, 'what the job is', async () => (await readState(lab, run))?.description != null);
    await commentAndReadAnswer(lab, 'ada', issue, '/accept');
    const made = async () => filterIncidents((await readState(lab, run))?.incidents ?? [], 'fix-made')[0]?.detail;
    await until(lab, 'the fix', async () => (await made()) !== undefined, { limitMs: 3_600_000 });
    const fix = await made();
    expect(fix).toMatchObject({ attempt: 1, base: commit, place: `${SWEEP}:3` });
    expect(await readBranchFile(lab, `ferrybot/fix/${run}`, SWEEP)).toBe(`import json\nimport math\n${text.slice(12)}`);
    expect(await readBranchFile(lab, 'main', SWEEP)).toBe(text);
    const gated = async () => (await readState(lab, run))?.gate;
    await until(lab, 'the gates', async () => (await gated())?.commit === fix?.commit, { limitMs: 3_600_000 });
    expect(listBotTexts(lab, 'incident').join()).toContain('\n+import math\n');
    expect(lab.engine.startCount()).toBe(0);
    await lab.clock.advance(MINUTE);
    await approve(lab, 'mira', issue, run);
    await until(lab, 'the second attempt', async () => (await readState(lab, run))?.submission?.attempt === 2);
    expect((await readState(lab, run))?.submission?.commit).toBe(fix?.commit);
    expect(lab.engine.startCount()).toBe(1);
  });

  it('is not launched again if its command or commit is unknown, and the card gives the reason', async () => {
    const { issue, run } = await describedJob({}, { exitCode: 1 });
    await commentAndReadAnswer(lab, 'mira', issue, '/accept');
    await untilState(lab, run, (state) => state.gate != null, { limitMs: 3_600_000 });
    await lab.clock.advance(10 * MINUTE);
    expect(cardOf(run)).toContain('the cluster reports no command or no GIT_COMMIT');
    expect((await readState(lab, run))?.order?.order.attempt).toBe(1);
    expect(lab.engine.startCount()).toBe(0);
  });
});
