/**
 * The source of a proposal if nobody names a knob, the checks before its push, and days without a proposal.
 */

import { describe, expect, it } from 'vitest';
import { commitFiles } from '../../packages/playground/git/store/memory-remote.ts';
import { createBackgroundHelpers, type HelperPrograms } from '../../src/app/propose/helpers.ts';
import type { ProgramResult } from '../../src/host/process.ts';
import { propose, readEventsOf, readState, until } from '../support/play.ts';
import { listAnswerCodes } from '../support/recorded.ts';
import {
  listAnswersTo,
  MINUTE,
  openExperiment,
  postComment,
  readBody,
  readBranchFile,
  SHORT_FERRY,
} from '../support/talk.ts';
import { openVirtualLab, type VirtualLab, type VirtualLabOptions } from '../support/virtual-lab.ts';

const RUN = 'ferry-daily-20261121';
const FILE = 'experiments/ferries/daily.py';
type Helpers = NonNullable<VirtualLabOptions['helpers']>;

function exited(exitCode: number, stdout: string, stderr = ''): ProgramResult {
  const kind = 'exited';
  return { kind, ok: exitCode === 0, exitCode, signal: null, code: null, timedOut: false, stdout, stderr };
}

/** A lab without candidates whose proposer answers this; its inputs are collected. */
function proposing(answer: ProgramResult, told: string[]): VirtualLabOptions {
  const helpers: Helpers = {
    ask: async ({ input }) => {
      told.push(input);
      return answer;
    },
    check: async () => null,
  };
  const config = (text: string): string =>
    text
      .replace(/^ {4}candidates:\n(?: {6}.*\n)+/m, '    candidates: []\n')
      .replace(/^ {4}proposer: null\n/m, '    proposer:\n      command: [./tools/propose]\n');
  return { ferry: SHORT_FERRY, helpers, config };
}

/** Runs the daily workflow to its end. */
async function daily(lab: VirtualLab): Promise<void> {
  await lab.dispatchDaily();
  await lab.clock.advance(2 * MINUTE);
}

describe("the lab's own proposer", () => {
  const edits = [{ path: 'train_config.SimpleTrainConfig().warmup', before: '100', after: '80' }];

  it('gets the context as JSON, and its answer is proposed with the rationale', async () => {
    const told: string[] = [];
    const answer = exited(0, JSON.stringify({ edits, rationale: 'the ramp is long', risk: 'low' }));
    const lab = await openVirtualLab(proposing(answer, told));
    const { pull } = await propose(lab);
    expect(readBody(lab, pull)).toContain('Rationale: the ramp is long');
    expect(await readBranchFile(lab, `ferrybot/proposal/${RUN}`, FILE)).toContain('warmup=80');
    expect(JSON.parse(told[0] ?? '')).toMatchObject({
      v: 1,
      run: RUN,
      objective: { kind: 'integration' },
      experiment: { path: FILE, text: await readBranchFile(lab, 'main', FILE) },
      knobs: expect.arrayContaining([expect.objectContaining({ knob: 'warmup', value: '100' })]),
      recent: [],
    });
    await lab.close();
  });

  it.each([
    ['a change of scale', { edits: [{ path: 'TRAIN_BATCH_SIZE', after: '16' }] }, 'scale-knob'],
    ['code', { edits: [{ path: edits[0]?.path, after: 'open("x")' }] }, 'value-refused'],
    ['an unknown knob', { edits: [{ path: 'nothing', after: '1' }] }, 'unknown-path'],
    ['a wrong previous value', { edits: [{ ...edits[0], before: '99' }] }, 'other-before'],
    ['no rationale', { edits, rationale: '' }, 'rationale'],
    ['an unknown field', { edits, extra: 1 }, 'extra'],
    [
      'a third knob',
      {
        edits: ['warmup', 'decay', 'weight_decay'].map((name) => ({
          path: `train_config.SimpleTrainConfig().${name}`,
          after: '0.5',
        })),
      },
      'too-many-edits',
    ],
  ])('is refused with %s', async (_, answer, why) => {
    const text = JSON.stringify({ rationale: 'because', risk: 'low', ...answer });
    const lab = await openVirtualLab(proposing(exited(0, text), []));
    await daily(lab);
    expect(await readState(lab, RUN)).toBeNull();
    expect(await readBranchFile(lab, `ferrybot/proposal/${RUN}`, FILE)).toBeNull();
    expect(lab.log.join('\n')).toMatch(new RegExp(`proposer-refused.*${why}`));
    await lab.close();
  });

  it('is reported after a failure with the end of its output, without secrets', async () => {
    const failed = exited(3, '', `trying\nHF_TOKEN=hf_abcdefghijklmnopqrstuvwx\nno idea today`);
    const lab = await openVirtualLab(proposing(failed, []));
    await daily(lab);
    expect(lab.log.join('\n')).toMatch(/proposer-failed: exited 3: trying\nHF_TOKEN=\*\*\*\nno idea today/);
    await lab.close();
  });
});

describe('the checks before a push', () => {
  const checks = (text: string): string =>
    text.replace(/^ {4}checksBeforePush: \[\]\n/m, '    checksBeforePush: [[uv, run, pre-commit]]\n');

  // rule AG-03
  it('run on the edited file, and a failed check is reported and prevents the push', async () => {
    const seen: string[] = [];
    const helpers: Helpers = {
      ask: () => Promise.reject(new Error('there is no proposer')),
      check: async ({ files, commands }) => {
        seen.push(files[FILE] ?? '');
        return { command: commands[0] ?? [], result: exited(1, 'E501 line too long\n') };
      },
    };
    const lab = await openVirtualLab({ ferry: SHORT_FERRY, helpers, config: checks });
    const comment = await postComment(lab, 'ada', await openExperiment(lab), '/propose warmup=80');
    await until(lab, 'the answer', () => listAnswersTo(lab, comment).length > 0);
    expect(listAnswersTo(lab, comment)).toEqual([
      expect.stringMatching(/nothing is pushed[\s\S]*uv run pre-commit: exit code 1\nE501 line too long/),
    ]);
    expect(seen).toEqual([expect.stringContaining('warmup=80')]);
    expect(await readBranchFile(lab, `ferrybot/proposal/${RUN}`, FILE)).toBeNull();
    await daily(lab);
    expect(await readState(lab, RUN)).toBeNull();
    await lab.close();
  });
});

describe('the default checks before a push', () => {
  const standing = (text: string): string => text.replace(/^ {4}checksBeforePush: .*\n/m, '');
  const files = {
    'uv.lock': 'version = 1\n',
    'infra/pre-commit.py': 'print("ok")\n',
    'pyproject.toml': '[tool.mypy]\nstrict = true\n',
  };

  async function setUp(check: Helpers['check']): Promise<VirtualLab> {
    const helpers: Helpers = { ask: () => Promise.reject(new Error('there is no proposer')), check };
    const lab = await openVirtualLab({ ferry: SHORT_FERRY, helpers, config: standing });
    const ref = 'refs/heads/main';
    const expected = (await lab.store.refs(ref)).get(ref) ?? null;
    const author = { name: 'Ada', email: 'ada@lab.example', atMs: lab.clock.now() - 1_000 };
    await commitFiles(lab.store, { ref, expected, files, message: 'Set up the checks', author });
    return lab;
  }

  // threat T71
  // rule AG-23
  it("are the ones the repository is set up for: pre-commit, the type check, and Python's compiler", async () => {
    const commands: string[] = [];
    const lab = await setUp(async (call) => {
      commands.push(...call.commands.map((one) => one.join(' ')));
      return { command: call.commands[2] ?? [], result: exited(1, 'daily.py:43: error: float\n') };
    });
    await daily(lab);
    expect(commands).toEqual([
      `python3 -I -m py_compile ${FILE}`,
      'uv run python infra/pre-commit.py --all-files',
      `uv run mypy ${FILE}`,
    ]);
    expect(await readState(lab, RUN)).toBeNull();
    expect(await readBranchFile(lab, `ferrybot/proposal/${RUN}`, FILE)).toBeNull();
    expect(lab.log.join('\n')).toMatch(/checks-failed.*mypy.*exit code 1/);
    await lab.close();
  });

  it('are skipped if their programs are missing, and the proposal lists what was not checked', async () => {
    const none = { ok: false, exitCode: null, signal: null, code: 'ENOENT', timedOut: false } as const;
    const lab = await setUp(async (call) => {
      const command = call.commands.find(([program]) => program === 'uv');
      const result = { ...none, kind: 'not-started', stdout: '', stderr: '' } as const;
      return command === undefined ? null : { command, result };
    });
    const { pull } = await propose(lab);
    expect(readBody(lab, pull)).toContain('Not checked before the push with `uv`');
    await lab.close();
  });
});

describe('checks that take minutes', () => {
  it('do not delay answers in other threads, and the proposal follows when they pass', async () => {
    let pass: () => void = () => undefined;
    const passed = new Promise<null>((resolve) => {
      pass = () => resolve(null);
    });
    let runs = 0;
    const own: HelperPrograms = {
      ask: () => Promise.reject(new Error('there is no proposer')),
      check: () => {
        runs += 1;
        return passed;
      },
    };
    const { helpers } = createBackgroundHelpers(own, { patienceMs: 1, answersMax: 20, onDone: () => undefined });
    const config = (text: string): string =>
      text.replace(/^ {4}checksBeforePush: \[\]\n/m, '    checksBeforePush: [[uv, run, pytest]]\n');
    const lab = await openVirtualLab({ ferry: SHORT_FERRY, helpers, config });
    const [one, other] = [await openExperiment(lab, 'one'), await openExperiment(lab, 'other')];
    const asked = await postComment(lab, 'ada', one, '/propose warmup=80');
    await until(lab, 'the checks', () => runs > 0);
    const later = await postComment(lab, 'ada', other, '/propose decay=0.3');
    const meanwhile = await postComment(lab, 'mira', other, '/status');
    await until(lab, 'the answer in the other thread', () => listAnswersTo(lab, meanwhile).length > 0);
    expect(listAnswersTo(lab, asked)).toEqual([]);
    // The second request does not overtake the first.
    expect(listAnswersTo(lab, later)).toEqual([]);
    pass();
    // The end of the checks triggers a server; here the next sweep does.
    await until(lab, 'the proposal', async () => (await readState(lab, RUN)) !== null);
    expect(await readBranchFile(lab, `ferrybot/proposal/${RUN}`, FILE)).toContain('warmup=80');
    await until(lab, 'both answers', () => listAnswersTo(lab, asked).length + listAnswersTo(lab, later).length === 2);
    expect(runs).toBe(1);
    await lab.close();
  });
});

describe('a day without a proposal', () => {
  it('results from a /hold of the day, for the schedule and /propose alike, until /unhold', async () => {
    const lab = await openVirtualLab({ ferry: SHORT_FERRY });
    const issue = await openExperiment(lab);
    await postComment(lab, 'mira', issue, '/hold date=2026-11-21 reason="maintenance of the cluster"');
    await daily(lab);
    expect(await readState(lab, RUN)).toBeNull();
    const asked = await postComment(lab, 'ada', issue, '/propose warmup=80');
    await lab.clock.advance(MINUTE);
    expect(await listAnswerCodes(lab, asked)).toEqual(['propose-held']);
    await postComment(lab, 'mira', issue, '/unhold date=2026-11-21');
    expect((await propose(lab)).run).toBe(RUN);
    await lab.close();
  });

  // rules AG-15, DF-05
  it('results from a missing objective if the lab requires one: one question, and its answer proposes', async () => {
    const config = (text: string): string => text.replace('objective: integration', 'objective: ask');
    const lab = await openVirtualLab({ ferry: SHORT_FERRY, config });
    await daily(lab);
    await daily(lab);
    expect(await readState(lab, RUN)).toBeNull();
    expect(await readBranchFile(lab, `ferrybot/proposal/${RUN}`, FILE)).toBeNull();
    const issues = Object.values(lab.world.state.issues);
    expect(issues.map(({ title }) => title)).toEqual(['What is the daily ferry of 2026-11-21 for?']);
    const thread = issues[0]?.number ?? 0;
    const bare = await postComment(lab, 'ada', thread, '/propose');
    await lab.clock.advance(MINUTE);
    expect(await listAnswerCodes(lab, bare)).toEqual(['propose-objective-unclear']);
    await postComment(lab, 'ada', thread, '/propose objective="integration"');
    await until(lab, 'the proposal', async () => (await readState(lab, RUN)) !== null);
    expect((await readEventsOf(lab, 'journal')).filter(({ type }) => type === 'command-answered')).toHaveLength(2);
    await lab.close();
  });
});
