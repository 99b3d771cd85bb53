/** A failed hero run continues as another run: from its checkpoint, under a new id, with a new approval. */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { JobSpec } from '../../src/domain/engine.ts';
import { checkpointFolders } from '../support/checkpoint-folders.ts';
import { ferryScript } from '../support/ferry-script.ts';
import { ANSWERS, type Answers, branchHead, formBody, openHeroIssue, openHeroLab } from '../support/hero-run.ts';
import { listOpenGates } from '../support/own-pull.ts';
import { approve, logbookText, readEventsOf, readState, until, untilState } from '../support/play.ts';
import { listAnswerCodes } from '../support/recorded.ts';
import {
  listBotComments,
  listBotTexts,
  listRepeatedComments,
  postComment,
  pushFile,
  readBranchFile,
  SHORT_FERRY,
} from '../support/talk.ts';

const OLD = 'grug-moe-1e23-ep8';
const NEW = 'grug-moe-1e23-router';
const MINUTE_MS = 60_000;
const NAN = 'FloatingPointError: loss is nan at step 900';
const COMMAND =
  'FERRY_DATE=hero LAB_OUTPUT_ROOT={outputRoot} python3 experiments/ferries/daily.py --resume={checkpoint}';

/** A run that failed at step 900 and left a complete checkpoint of step 800. */
async function begin() {
  const [folders, others] = [await checkpointFolders(), await checkpointFolders()];
  const jobs: JobSpec[] = [];
  const lab = await openHeroLab({
    script: (spec) => {
      jobs.push(spec);
      const failAt = { step: 900, line: NAN, exitCode: 1 };
      return ferryScript(jobs.length === 1 ? { ...SHORT_FERRY, failAt } : SHORT_FERRY);
    },
  });
  onTestFinished(async () => {
    await lab.close();
    await folders.close();
    await others.close();
  });
  const issue = await openHeroIssue(lab, { answers: { Command: COMMAND, 'Output root': folders.root } });
  await approve(lab, 'mira', issue, OLD);
  await until(lab, 'step 810', async () => Number((await readState(lab, OLD))?.observation?.step ?? 0) >= 810);
  const from = await folders.write(800, lab.clock.now());
  const ask = async (root: string | null, who: 'ada' | 'mira' | 'sol' = 'ada', id = NEW): Promise<string> => {
    const place = root === null ? '' : ` root=${root}`;
    const line = `/resume-as id=${id} from=${from}${place} reason="the router is mended"`;
    const comment = await postComment(lab, who, issue, line);
    await lab.clock.advance(5 * MINUTE_MS);
    return (await listAnswerCodes(lab, comment)).join(' ');
  };
  const ended = () => untilState(lab, OLD, (state) => state.end?.status === 'FAILED', { stepMs: 10_000 });
  return { lab, issue, jobs, from, folders, root: others.root, ask, ended };
}

// rule HR-52
it('/resume-as starts a new run from the checkpoint, with its own names, output root and approval', async () => {
  const { lab, issue, jobs, from, root, ask, ended } = await begin();
  expect(await ask(root)).toBe('not-now');
  await ended();
  expect(await ask(root, 'ada', OLD)).toBe('resume-as-unclear');
  expect((await readState(lab, OLD))?.closed).toBeNull();
  expect(await ask(root)).toBe('resumed-as');
  expect((await readState(lab, OLD))?.closed).toMatchObject({
    outcome: 'failed',
    reason: `goes on as ${NEW}: the router is mended`,
  });
  await untilState(lab, NEW, (state) => state.gate?.digest != null, { limitMs: 60 * MINUTE_MS });
  const state = await readState(lab, NEW);
  expect(state === null ? null : listOpenGates(state)).toEqual([]);
  expect(state?.proposal).toMatchObject({
    issue,
    requestedBy: { login: 'ada' },
    continues: { run: OLD, reason: 'the router is mended' },
  });
  expect(state?.gate?.manifest).toMatchObject({
    runName: NEW,
    outputRoot: root,
    tracker: { runId: NEW },
    resume: { initializeFrom: from, initializeStep: 800 },
  });
  expect(state?.gate?.digest).not.toBe((await readState(lab, OLD))?.order?.order.digest);
  expect(jobs).toHaveLength(1);
  await approve(lab, 'mira', issue, NEW);
  await until(lab, 'its job', () => jobs.length === 2);
  expect(jobs[1]?.command.at(-1)).toBe(`--resume=${from}`);
  expect(JSON.stringify(jobs[1])).not.toContain(`${OLD}-a`);
  expect((await readEventsOf(lab, OLD)).at(-1)?.type).not.toBe('ordered');
  expect(listRepeatedComments(lab)).toEqual([]);
});

// rule HR-53
it('/resume-as records the reason, run names, checkpoint, output root and commit in issue and logbook', async () => {
  const { lab, issue, from, root, ask, ended } = await begin();
  await ended();
  await ask(root);
  const answer = listBotTexts(lab, 'answer').at(-1);
  for (const part of [OLD, NEW, from, root, 'the router is mended']) expect(answer).toContain(part);
  await approve(lab, 'mira', issue, NEW);
  await until(lab, 'the launch', async () => (await readState(lab, NEW))?.submission != null);
  await lab.clock.advance(MINUTE_MS);
  const markdown = (await readBranchFile(lab, 'ferrybot/logbook', `runs/2026/11/${NEW}/logbook.md`)) ?? '';
  expect(markdown).toContain(`\`${OLD}\` goes on as \`${NEW}\`: the router is mended`);
  const commit = (await readState(lab, NEW))?.submission?.commit ?? 'none';
  for (const part of [join(from), root, commit]) expect(markdown).toContain(part);
  expect(await logbookText(lab, OLD)).toContain(`goes on as ${NEW}: the router is mended`);
  const cards = listBotComments(lab).filter(({ kind, text }) => kind === 'card' && text.includes(`Run \`${NEW}\``));
  expect(cards.at(-1)?.text).toContain(`Continues the run \`${OLD}\` under a new identity`);
});

it('/resume-as can be repeated from the original run if the first continuation is withdrawn', async () => {
  const { lab, issue, from, folders, root, ask, ended } = await begin();
  await ended();
  expect(await ask(root)).toBe('resumed-as');
  expect(await ask(root, 'ada', 'third-one')).toBe('not-now');
  // The checkpoint in the command is deleted, and nothing in the issue names another one.
  await rm(join(from, 'metadata.json'));
  await approve(lab, 'mira', issue, NEW);
  await lab.clock.advance(5 * MINUTE_MS);
  const refused = listBotTexts(lab, 'incident').filter((text) => text.includes('may not be used'));
  expect(refused.join()).toMatch(/Close this issue.*open it again.*`\/resume-as`/);
  await folders.write(800, lab.clock.now());
  await lab.as('ada', 'PATCH', `/issues/${issue}`, { state: 'closed' });
  await lab.clock.advance(5 * MINUTE_MS);
  expect((await readState(lab, NEW))?.closed).toMatchObject({ outcome: 'withdrawn' });
  await lab.as('ada', 'PATCH', `/issues/${issue}`, { state: 'open' });
  expect(await ask(root, 'ada', 'third-one')).toBe('resumed-as');
  expect((await readState(lab, 'third-one'))?.proposal.continues).toMatchObject({ run: OLD });
});

// threat T123
it('/resume-as is refused during a hold on the run', async () => {
  const { lab, issue, root, ask, ended } = await begin();
  await ended();
  await postComment(lab, 'mira', issue, '/hold reason="nobody knows why it diverged"');
  await lab.clock.advance(MINUTE_MS);
  expect(await ask(root)).toBe('not-now');
  expect((await readState(lab, OLD))?.closed).toBeNull();
  expect(await readState(lab, NEW)).toBeNull();
  await postComment(lab, 'mira', issue, '/unhold');
  await lab.clock.advance(MINUTE_MS);
  expect(await ask(root)).toBe('resumed-as');
});

// threat T114
it('/resume-as rejects a shared output root, a reserved run name, and an untrusted user', async () => {
  const { lab, folders, root, ask, ended } = await begin();
  await ended();
  expect(await ask(null, 'sol', 'x1y')).toBe('not-permitted');
  expect(await ask(root, 'ada', 'journal')).toBe('not-understood');
  expect((await readState(lab, OLD))?.closed).toBeNull();
  expect(await ask(null, 'ada', 'x1y')).toBe('resumed-as');
  await until(lab, 'the gates', async () => (await readState(lab, 'x1y'))?.gate != null, { limitMs: 60 * MINUTE_MS });
  const state = await readState(lab, 'x1y');
  expect(state === null ? null : listOpenGates(state)).toEqual(['output-root-own taken']);
  expect(state?.gate?.manifest?.outputRoot).toBe(folders.root);
});

it('/resume-as refuses unusable values and leaves the old run open, so that the user can ask again', async () => {
  const { lab, issue, from, folders, root, ended } = await begin();
  await ended();
  const [complete, newer] = [from, join(folders.root, 'checkpoints', 'step-900')];
  const rejected = await postComment(lab, 'mira', issue, '/reject-checkpoint step=800 reason="the loss had jumped"');
  await lab.clock.advance(MINUTE_MS);
  expect(await listAnswerCodes(lab, rejected)).toEqual(['checkpoint-rejected']);
  const older = await folders.write(400, lab.clock.now() - 10 * MINUTE_MS);
  const asked = async (what: string): Promise<string> => {
    const comment = await postComment(lab, 'ada', issue, `/resume-as id=${NEW} ${what} reason="as before the jump"`);
    await lab.clock.advance(5 * MINUTE_MS);
    return (await listAnswerCodes(lab, comment)).join(' ');
  };
  expect(await asked(`from=${complete} root=${root}`)).toBe('resume-as-refused');
  expect(await asked(`from=${newer} root=${root}`)).toBe('resume-as-refused');
  expect(await asked(`from=step-400 root=${root}`)).toBe('resume-as-unclear');
  expect(await asked(`from=${older} root="${root} b"`)).toBe('resume-as-unclear');
  expect(await asked(`from=${older} root=${folders.root}`)).toBe('resume-as-unclear');
  expect((await readState(lab, OLD))?.closed).toBeNull();
  expect(await readState(lab, NEW)).toBeNull();
  expect(await asked(`from=${older} root=${root}`)).toBe('resumed-as');
});

it('a continuation is blocked if a setting differs from the old run, and its gate lists changed code', async () => {
  const { lab, issue, root, ask, ended } = await begin();
  await ended();
  await pushFile(lab, 'ada', 'main', 'lib/smalllab/router.py', 'def route(x):\n    return x\n');
  const reword = async (says: Answers): Promise<void> => {
    const answers = { Command: COMMAND, 'Source SHA': await branchHead(lab), ...says };
    await lab.as('ada', 'PATCH', `/issues/${issue}`, { body: formBody({ ...ANSWERS, ...answers }) });
    await lab.clock.advance(MINUTE_MS);
  };
  const drift = async () => (await readState(lab, NEW))?.gate?.verdicts.find(({ gate }) => gate === 'config-drift');
  const judged = (outcome: string): Promise<void> =>
    until(lab, outcome, async () => (await drift())?.outcome === outcome, { limitMs: 60 * MINUTE_MS });
  await reword({ 'Token budget': '9B' });
  await ask(root);
  await judged('fail');
  expect(await drift()).toMatchObject({ code: 'drift', found: expect.objectContaining({ names1: 'Token budget' }) });
  await reword({});
  await judged('pass');
  expect(await drift()).toMatchObject({ code: 'as-another-run', found: { names1: 'lib/smalllab/router.py' } });
});

it('/resume-as closes the old run in the push that records the new one, and is refused during a lane hold', async () => {
  const { lab, issue, root, ask, ended } = await begin();
  await ended();
  const lane = (await readState(lab, OLD))?.proposal.lane ?? '';
  await postComment(lab, 'mira', issue, `/hold lane=${lane} reason="the cluster moves"`);
  expect(await ask(root)).toBe('propose-held');
  expect((await readState(lab, OLD))?.closed).toBeNull();
  await postComment(lab, 'mira', issue, `/unhold lane=${lane}`);
  expect(await ask(root)).toBe('resumed-as');
  const [closed, proposed] = [(await readEventsOf(lab, OLD)).at(-1), (await readEventsOf(lab, NEW))[0]];
  expect([closed?.type, proposed?.type]).toEqual(['closed', 'proposed']);
  expect(closed?.at).toBe(proposed?.at);
});
