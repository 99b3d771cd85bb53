/** Invalid input and GitHub failures: clear answers with the next step, and nothing is lost or done twice. */

import { describe, expect, it } from 'vitest';
import { approve, approveAndFinish, playFerry, propose, readState, seal } from '../support/play.ts';
import {
  listAnswersTo,
  listBotComments,
  listRepeatedComments,
  postComment,
  pushFile,
  readBranchFile,
  SHORT_FERRY,
} from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

const MINUTE = 60_000;
const CONFIG = '.github/ferrybot.yml';
const EXPERIMENT = 'experiments/ferries/daily.py';

/** Makes the default branch a first commit, so that no earlier config exists. */
async function forgetHistory(lab: VirtualLab): Promise<void> {
  const ref = 'refs/heads/main';
  const head = await lab.store.readCommit((await lab.store.refs(ref)).get(ref) ?? '');
  if (head === null) throw new Error('main has no commit');
  const sha = await lab.store.writeCommit({ ...head, parents: [] });
  await lab.store.updateRef({ ref, sha, force: true });
}

/** Every command was answered once, the job ran once, and the run is sealed. */
async function expectOneGoodFerry(lab: VirtualLab, run: string): Promise<void> {
  const state = await readState(lab, run);
  expect(state?.seal?.verdict).toBe('pass');
  expect(lab.engine.startCount()).toBe(1);
  expect(listRepeatedComments(lab)).toEqual([]);
  const kinds = listBotComments(lab)
    .map((comment) => comment.kind)
    .sort();
  expect(kinds).toEqual(['answer', 'answer', 'card', 'ended', 'first-eval', 'launch', 'sealed', 'tracker']);
  expect([...(state?.commands.values() ?? [])].every((command) => command.answer !== null)).toBe(true);
}

describe('invalid input', () => {
  it('an invalid config leaves the last valid one in force, and blocks launches until it is fixed', async () => {
    const lab = await openVirtualLab({ ferry: SHORT_FERRY });
    const good = (await readBranchFile(lab, 'main', CONFIG)) ?? '';
    await pushFile(lab, 'ada', 'main', CONFIG, good.replace('quorum: 1', 'quorum: many'));
    const { run, pull, issue } = await propose(lab);
    expect(lab.log.join('\n')).toMatch(/config line \d+: /);
    const early = await postComment(lab, 'mira', pull, '/approve-launch');
    await lab.clock.advance(5 * MINUTE);
    expect(listAnswersTo(lab, early)).toEqual([
      expect.stringMatching(/not approved[\s\S]*config-valid[\s\S]*line \d+/),
    ]);
    await pushFile(lab, 'ada', 'main', CONFIG, good);
    await lab.clock.advance(40 * MINUTE);
    await approveAndFinish(lab, run, pull);
    await seal(lab, run, issue);
    expect((await readState(lab, run))?.seal?.verdict).toBe('pass');
    await lab.close();
  });

  it('a config that was never valid is reported with line and column, and nothing is proposed', async () => {
    const lab = await openVirtualLab({ config: (text) => text.replace('quorum: 1', 'quorum: many') });
    await forgetHistory(lab);
    await lab.dispatchDaily();
    await lab.clock.advance(MINUTE);
    const line = ((await readBranchFile(lab, 'main', CONFIG)) ?? '')
      .split('\n')
      .findIndex((text) => text.includes('quorum: many'));
    expect(lab.log.join('\n')).toMatch(
      new RegExp(`propose: no-config: [^]*line ${line + 1}, column \\d+: approvals\\.quorum`),
    );
    expect(Object.keys(lab.world.state.issues)).toEqual([]);
    await lab.close();
  });

  it('an experiment file with a syntax error is reported with its line, and nothing is proposed', async () => {
    const lab = await openVirtualLab();
    const text = (await readBranchFile(lab, 'main', EXPERIMENT)) ?? '';
    await pushFile(lab, 'ada', 'main', EXPERIMENT, text.replace('TRAIN_BATCH_SIZE = 8', 'TRAIN_BATCH_SIZE = ('));
    await lab.dispatchDaily();
    await lab.clock.advance(MINUTE);
    expect(lab.log.join('\n')).toMatch(/propose: experiment-unparsable: line \d+: /);
    // A day without a ferry is reported, here in a new issue, and nothing is proposed in it.
    const [issue, ...more] = Object.values(lab.world.state.issues);
    expect([issue?.pull, more]).toEqual([null, []]);
    expect(listBotComments(lab).map(({ text }) => text)).toEqual([expect.stringMatching(/line \d+/)]);
    await lab.close();
  });

  // threat T72
  it("a file that the job's Python cannot compile is refused by the runner before its claim", async () => {
    const asked = new Set<string>();
    const lab = await openVirtualLab({
      ferry: SHORT_FERRY,
      // The runner's Python is older than the server's.
      python: (process, interpreter) => {
        asked.add(`${process}: ${interpreter}`);
        const message = "'return' outside function";
        return process === 'launch' ? { kind: 'unparsable', line: 7, message } : null;
      },
    });
    const { run, pull } = await propose(lab);
    await approve(lab, 'mira', pull, run);
    await lab.clock.advance(5 * MINUTE);
    expect([...asked]).toContain('launch: python3');
    const state = await readState(lab, run);
    expect(state?.incidents).toMatchObject([
      {
        code: 'runner-refused',
        role: 'runner',
        detail: { reason: 'delta-readable', why: "unparsable, line 7, side base, message 'return' outside function" },
      },
    ]);
    expect(state?.order?.claim).toBeNull();
    expect(lab.engine.startCount()).toBe(0);
    await lab.close();
  });
});

describe('lost, duplicated and reordered webhooks', () => {
  it('cause no duplicate comment, command or launch with two servers', async () => {
    const lab = await openVirtualLab({ ferry: SHORT_FERRY, servers: 2 });
    const { run } = await playFerry(lab);
    await lab.clock.advance(45 * MINUTE);
    await expectOneGoodFerry(lab, run);
    await lab.close();
  });
});
