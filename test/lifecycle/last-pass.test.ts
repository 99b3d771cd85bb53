/**
 * The base of the next ferry: the configuration of the lane's last sealed pass, merged with later changes on
 * the target branch.
 */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { RunState } from '../../src/domain/logbook/run-state.ts';
import { brandAs, isRunId, isSha } from '../../src/domain/values.ts';
import { forge, forgeProposing, type Pushing } from '../campaign/forging.ts';
import { ferryScript, type JobScript } from '../support/ferry-script.ts';
import { approve, approveAndFinish, finish, playFerry, propose, readState, seal, until } from '../support/play.ts';
import {
  listBotComments,
  listBotTexts,
  nextMorning,
  postComment,
  pushExperiment,
  pushFile,
  readBody,
  readBranchFile,
  SHORT_FERRY,
} from '../support/talk.ts';
import { openVirtualLab, type VirtualLab, type VirtualLabOptions } from '../support/virtual-lab.ts';

const MINUTE = 60_000;
const FILE = 'experiments/ferries/daily.py';
const RATE = 'train_config.SimpleTrainConfig().learning_rate';
const WARMUP = 'train_config.SimpleTrainConfig().warmup';
const FIRST = 'ferry-daily-20261121';
const SECOND = 'ferry-daily-20261122';

/** The config tries the rate once, then the warmup; the memory of tried values is one day. */
function ratesFirst(text: string): string {
  const from = text.indexOf('    candidates:');
  const to = text.indexOf('    # A value that was tried within');
  const candidates = `    candidates:
      - { id: rate, path: ${RATE}, values: ['2.5e-3'], bucket: optimizer, risk: low, reason: a lower rate }
      - { id: warmup, path: ${WARMUP}, values: ['80', '150'], bucket: optimizer, risk: medium, reason: a shorter warmup }
`;
  return (text.slice(0, from) + candidates + text.slice(to)).replace('memoryDays: 14', 'memoryDays: 1');
}

async function openLab(options: VirtualLabOptions = {}): Promise<VirtualLab> {
  return openVirtualLab({ ferry: SHORT_FERRY, config: ratesFirst, ...options });
}

async function known(lab: VirtualLab, run: string): Promise<RunState> {
  const state = await readState(lab, run);
  if (state === null) throw new Error(`there is no ${run}`);
  return state;
}

/** The experiment file on a run's branch. */
async function proposedFile(lab: VirtualLab, run: string): Promise<string> {
  return (await readBranchFile(lab, `ferrybot/proposal/${run}`, FILE)) ?? '';
}

/** Commits to the target branch as a person. */
async function onMain(lab: VirtualLab, edit: (text: string) => string): Promise<void> {
  await pushFile(lab, 'mira', 'main', FILE, edit((await readBranchFile(lab, 'main', FILE)) ?? ''));
}

function cardOf(lab: VirtualLab, run: string): string {
  return listBotComments(lab).findLast((one) => one.kind === 'card' && one.run === run)?.text ?? '';
}

function verdictOn(state: RunState, gate: string): unknown {
  return state.gate?.verdicts.find((verdict) => verdict.gate === gate);
}

describe('the ferry after a sealed pass with a closed pull request', () => {
  it('starts from the configuration of that pass, lists new and inherited changes, and launches after approval', async () => {
    const lab = await openLab();
    const first = await playFerry(lab);
    expect((await known(lab, FIRST)).proposal.base).toBeUndefined();
    expect(readBody(lab, first.pull)).toContain(
      'Starts from `main`: there is no sealed pass of this lane to go on from.',
    );
    expect(listBotTexts(lab, 'sealed').at(-1)).toContain('the next ferry starts from this configuration');
    expect(await readBranchFile(lab, 'main', FILE)).toContain('learning_rate=3e-3');

    await nextMorning(lab);
    const second = await propose(lab);
    const main = (await readBranchFile(lab, 'main', FILE)) ?? '';
    expect(await proposedFile(lab, SECOND)).toBe(
      main.replace('learning_rate=3e-3', 'learning_rate=2.5e-3').replace('warmup=100', 'warmup=80'),
    );
    const launched = (await known(lab, FIRST)).submission?.commit;
    const state = await known(lab, SECOND);
    expect(state.proposal.base).toEqual({ run: FIRST, commit: launched });
    expect(state.gate?.manifest?.delta).toMatchObject([
      { path: RATE, before: '3e-3', after: '2.5e-3' },
      { path: WARMUP, before: '100', after: '80' },
    ]);
    expect(state.gate?.manifest?.base).toEqual({
      run: FIRST,
      commit: launched,
      changes: [expect.objectContaining({ path: WARMUP, before: '100', after: '80' })],
      notTaken: [],
    });
    const body = readBody(lab, second.pull);
    expect(body).toContain('| `learning_rate` | `3e-3` | `2.5e-3` |');
    expect(body).toContain(`Starts from what \`${FIRST}\` ran`);
    expect(body).toContain(`- new today: \`${WARMUP}\`, from \`100\` to \`80\``);
    expect(body).toContain(`- as that ferry ran it: \`${RATE}\`, \`2.5e-3\``);
    expect(cardOf(lab, SECOND)).toMatch(/learning_rate` \| `3e-3` \| `2\.5e-3` \| optimizer \| ran so \|/);
    expect(cardOf(lab, SECOND)).toMatch(/warmup` \| `100` \| `80` \| optimizer \| new, ran `100` \|/);
    expect(verdictOn(state, 'budget')).toMatchObject({ code: 'within', found: { knobs: 1, against: FIRST } });

    await approveAndFinish(lab, SECOND, second.pull);
    await seal(lab, SECOND, second.issue);
    expect((await known(lab, SECOND)).submission?.commit).toBe(state.gate?.commit);

    await nextMorning(lab);
    await propose(lab);
    const third = await known(lab, 'ferry-daily-20261123');
    expect(third.proposal.base?.run).toBe(SECOND);
    // The rate stays as accepted. Its memory has expired, so the candidate list alone would try it again.
    expect(third.gate?.manifest?.base?.changes).toMatchObject([{ path: WARMUP, before: '80', after: '150' }]);
    await lab.close();
  });

  it('repeats the pass unchanged if a person requests a regression check', async () => {
    const lab = await openLab();
    await playFerry(lab);
    await nextMorning(lab);
    const issue = (await known(lab, FIRST)).proposal.issue;
    await postComment(lab, 'ada', issue, '/propose objective="regression: is it still as good?"');
    await until(lab, 'its gates', async () => ((await readState(lab, SECOND))?.gate?.digest ?? null) !== null);
    expect(await proposedFile(lab, SECOND)).toContain('learning_rate=2.5e-3');
    const state = await known(lab, SECOND);
    expect(state.gate?.manifest?.base?.changes).toEqual([]);
    expect(state.gate?.manifest?.delta).toMatchObject([{ path: RATE, after: '2.5e-3' }]);
    expect(verdictOn(state, 'identical-rerun')).toMatchObject({ code: 'declared-regression' });
    expect(readBody(lab, state.proposal.pull)).toContain('- new today: nothing');
    await lab.close();
  });
});

describe('the base of the next ferry', () => {
  it('is not a ferry that failed', async () => {
    let isBad = false;
    const bad = { failAt: { step: 900, line: 'RESOURCE_EXHAUSTED: Out of memory', exitCode: 1 } };
    const script = (): JobScript => ferryScript(isBad ? { ...SHORT_FERRY, ...bad } : SHORT_FERRY);
    const lab = await openLab({ script });
    await playFerry(lab);
    await nextMorning(lab);
    isBad = true;
    const second = await propose(lab);
    await approveAndFinish(lab, SECOND, second.pull);
    await postComment(lab, 'mira', second.issue, '/ack');
    await lab.clock.advance(2 * MINUTE);
    expect((await known(lab, SECOND)).closed?.outcome).toBe('failed');
    expect(listBotTexts(lab, 'closed').at(-1)).toContain('from the configuration of the last sealed pass');
    await nextMorning(lab);
    await propose(lab);
    const third = await known(lab, 'ferry-daily-20261123');
    expect(third.proposal.base?.run).toBe(FIRST);
    expect(third.gate?.manifest?.base?.changes).toMatchObject([{ path: WARMUP, before: '100', after: '150' }]);
    await lab.close();
  });

  it('is the target branch if the only ferry was rejected', async () => {
    const lab = await openLab();
    const first = await propose(lab);
    await approveAndFinish(lab, FIRST, first.pull);
    await postComment(lab, 'mira', first.issue, '/ack reject="the data was wrong"');
    await lab.clock.advance(2 * MINUTE);
    expect((await known(lab, FIRST)).closed?.outcome).toBe('rejected');
    await nextMorning(lab);
    await propose(lab);
    expect((await known(lab, SECOND)).proposal.base).toBeUndefined();
    expect(await proposedFile(lab, SECOND)).toContain('learning_rate=3e-3');
    await lab.close();
  });

  it('is not a ferry that was accepted without a pass, and its seal comment says this', async () => {
    const lab = await openLab();
    const first = await propose(lab);
    await approve(lab, 'mira', first.pull);
    await until(lab, 'the job', async () => (await known(lab, FIRST)).observation?.firstStepCompleted === true);
    await postComment(lab, 'ada', first.issue, '/stop');
    await finish(lab, FIRST);
    expect((await known(lab, FIRST)).end?.status).toBe('STOPPED');
    await postComment(lab, 'mira', first.issue, '/seal accept="stopped on purpose, metrics complete"');
    await lab.clock.advance(2 * MINUTE);
    expect((await known(lab, FIRST)).seal?.verdict).toBe('accepted');
    expect(listBotTexts(lab, 'sealed').at(-1)).toContain('starts from the last sealed pass, and not from this');
    await nextMorning(lab);
    await propose(lab);
    expect((await known(lab, SECOND)).proposal.base).toBeUndefined();
    expect(await proposedFile(lab, SECOND)).toContain('learning_rate=3e-3');
    await lab.close();
  });
});

describe('a later commit on the target branch', () => {
  it('is kept in the next ferry if it changes another line than the pass', async () => {
    const lab = await openLab();
    await playFerry(lab);
    await onMain(lab, (text) => text.replace('decay=0.2', 'decay=0.3'));
    await nextMorning(lab);
    const second = await propose(lab);
    const file = await proposedFile(lab, SECOND);
    expect(file).toContain('learning_rate=2.5e-3');
    expect(file).toContain('decay=0.3');
    await approveAndFinish(lab, SECOND, second.pull);
    expect((await known(lab, SECOND)).end?.status).toBe('SUCCEEDED');
    await lab.close();
  });

  it('overrides the pass if it changes the same knob, and the proposal and card show both values', async () => {
    const lab = await openLab();
    await playFerry(lab);
    await onMain(lab, (text) => text.replace('learning_rate=3e-3', 'learning_rate=4e-3'));
    await nextMorning(lab);
    const second = await propose(lab);
    expect(await proposedFile(lab, SECOND)).toContain('learning_rate=4e-3');
    const both = `\`${RATE}\`: that ferry ran \`2.5e-3\`, \`main\` has \`4e-3\`; used is \`4e-3\``;
    expect(readBody(lab, second.pull)).toContain(both);
    expect(cardOf(lab, SECOND)).toContain(both);
    const state = await known(lab, SECOND);
    expect(state.gate?.manifest?.base?.notTaken).toEqual([{ path: RATE, ran: '2.5e-3', target: '4e-3', why: 'moved' }]);
    await approveAndFinish(lab, SECOND, second.pull);
    expect((await known(lab, SECOND)).end?.status).toBe('SUCCEEDED');
    await lab.close();
  });

  it("overrides the pass if it reverts the pass's value", async () => {
    const lab = await openLab();
    await playFerry(lab);
    await onMain(lab, (text) => text.replace('learning_rate=3e-3', 'learning_rate=2.5e-3'));
    await onMain(lab, (text) => text.replace('learning_rate=2.5e-3', 'learning_rate=3e-3'));
    await nextMorning(lab);
    await propose(lab);
    expect(await proposedFile(lab, SECOND)).toContain('learning_rate=3e-3');
    expect((await known(lab, SECOND)).gate?.manifest?.base?.notTaken).toMatchObject([{ path: RATE, why: 'moved' }]);
    await lab.close();
  });

  it('leaves no inherited change if it merges the pass itself', async () => {
    const lab = await openLab({ config: (text) => ratesFirst(text).replace('afterSeal: close', 'afterSeal: merge') });
    await playFerry(lab);
    expect(await readBranchFile(lab, 'main', FILE)).toContain('learning_rate=2.5e-3');
    await nextMorning(lab);
    await propose(lab);
    const { manifest } = (await known(lab, SECOND)).gate ?? {};
    expect(manifest?.base).toMatchObject({ run: FIRST, changes: [{ path: WARMUP }], notTaken: [] });
    expect(manifest?.delta).toMatchObject([{ path: WARMUP }]);
    await lab.close();
  });
});

describe('a writer', () => {
  it('cannot pass a change off as inherited, and a reverted value counts as new', async () => {
    const lab = await openLab();
    await playFerry(lab);
    await nextMorning(lab);
    const second = await propose(lab);
    await pushExperiment(lab, SECOND, (text) =>
      text.replace('decay=0.2', 'decay=0.9').replace('learning_rate=2.5e-3', 'learning_rate=3e-3'),
    );
    await lab.as('ada', 'PATCH', `/pulls/${second.pull}`, {
      body: readBody(lab, second.pull)
        .replace('| `learning_rate` | `3e-3` | `2.5e-3` |', '| `decay` | `0.2` | `0.9` |')
        .replace(`- as that ferry ran it: \`${RATE}\`, \`2.5e-3\``, '- as that ferry ran it: `decay`, `0.9`'),
    });
    await until(
      lab,
      'the gates of it',
      async () => (await known(lab, SECOND)).gate?.manifest?.delta[0]?.knob !== 'learning_rate',
    );
    const state = await known(lab, SECOND);
    const fresh = state.gate?.manifest?.base?.changes ?? [];
    expect(fresh.map(({ knob, before, after }) => [knob, before, after])).toEqual([
      ['learning_rate', '2.5e-3', '3e-3'],
      ['warmup', '100', '80'],
      ['decay', '0.2', '0.9'],
    ]);
    expect(verdictOn(state, 'budget')).toMatchObject({ outcome: 'warn', found: { knobs: 3, against: FIRST } });
    expect(cardOf(lab, SECOND)).toMatch(/decay` \| `0\.2` \| `0\.9` \| optimizer \| new, ran `0\.2` \|/);
    expect(cardOf(lab, SECOND)).toContain('that ferry ran `2.5e-3`, and it is back at `3e-3`');
    await lab.close();
  });

  it('with the stolen control key cannot name another commit as the base', async () => {
    const lab = await openLab();
    const first = await playFerry(lab);
    await nextMorning(lab);
    const branch = `ferrybot/proposal/${SECOND}`;
    const shown = async (path: string): Promise<string> =>
      z.object({ object: z.object({ sha: z.string() }) }).parse(await lab.as('ada', 'GET', path)).object.sha;
    const sha = await shown('/git/ref/heads/main');
    await lab.as('ada', 'POST', '/git/refs', { ref: `refs/heads/${branch}`, sha });
    const text = ((await readBranchFile(lab, 'main', FILE)) ?? '').replace('learning_rate=3e-3', 'learning_rate=9e-2');
    await pushFile(lab, 'ada', branch, FILE, text);
    const opened = await lab.as('ada', 'POST', '/pulls', {
      title: 'Daily ferry',
      head: branch,
      base: 'main',
      body: readBody(lab, first.pull),
    });
    const pull = z.object({ number: z.number() }).parse(opened).number;
    const { head: _head, texts: _texts, ...like } = (await known(lab, FIRST)).proposal;
    const base = { run: brandAs(FIRST, isRunId), commit: brandAs(await shown(`/git/ref/heads/${branch}`), isSha) };
    const data = {
      ...like,
      date: '2026-11-22',
      runName: 'ferry_daily_125m_2026-11-22',
      pull,
      headBranch: branch,
      base,
    };
    const pushing: Pushing = {
      lab,
      deeds: [],
      // Every request succeeds except the one for the forged file, which does not exist.
      ask: async (_, method, path, body) =>
        method === 'GET' && path.includes(`/${SECOND}/`)
          ? { status: 404, json: null }
          : { status: 200, json: await lab.as('ada', method, path, body) },
    };
    expect(await forgeProposing(pushing, SECOND)).toBe(true);
    expect(await forge(pushing, SECOND, [{ type: 'proposed', role: 'control', data }])).toBe(true);
    await lab.clock.advance(40 * MINUTE);
    const { gate } = await known(lab, SECOND);
    expect(gate?.digest).toBeNull();
    expect(gate?.verdicts.find((one) => one.gate === 'budget')).toMatchObject({
      outcome: 'unknown',
      found: { why: expect.stringContaining('the record does not say') },
    });
    await lab.close();
  });
});
