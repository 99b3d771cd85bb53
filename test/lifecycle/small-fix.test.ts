/**
 * A job fails because of a small error; ferrybot fixes it on the branch, a person approves, and the run
 * continues.
 */

import { describe, expect, it } from 'vitest';
import { filterIncidents } from '../../src/domain/incidents.ts';
import { findShownApprovalLine } from '../support/approve.ts';
import { Crash } from '../support/crash.ts';
import { ferryScript } from '../support/ferry-script.ts';
import { approve, type Ferry, propose, readState, seal, until, untilState } from '../support/play.ts';
import { listAnswerCodes } from '../support/recorded.ts';
import {
  listBotComments,
  listBotTexts,
  listRepeatedComments,
  MINUTE,
  postComment,
  pushFile,
  readBranchFile,
  SHORT_FERRY,
} from '../support/talk.ts';
import { openVirtualLab, type VirtualLab, type VirtualLabOptions } from '../support/virtual-lab.ts';

const SCHEDULE = 'lib/smalllab/schedule.py';
const TEXT = '"""How the rate falls."""\n\nimport json\n\nHALF_TURN = math.pi\nprint(json)\n';

function traceback(error: string, file = SCHEDULE, line = 5): string {
  return `Traceback (most recent call last):
  File "/tmp/job/experiments/ferries/daily.py", line 12, in <module>
    from smalllab.train import default_train
  File "/tmp/job/lib/smalllab/train.py", line 3, in <module>
    from smalllab.schedule import HALF_TURN
  File "/tmp/job/${file}", line ${line}, in <module>
    HALF_TURN = math.pi
${error}`;
}

const MISSING = "NameError: name 'math' is not defined. Did you forget to import 'math'?";

type Play = VirtualLabOptions & {
  readonly log?: string;
  readonly text?: string;
  /** How many attempts fail with it. */
  readonly deaths?: number;
  /** Runs when the attempt ends, before ferrybot processes the end. */
  readonly meanwhile?: (played: Omit<Ferry, 'issue'>) => Promise<void>;
};

/** Plays a lab with the error in its library until the first attempt has ended and ferrybot has reacted. */
async function died({ log = traceback(MISSING), text = TEXT, deaths = 1, meanwhile, ...options }: Play = {}) {
  let started = 0;
  const script = () => {
    started += 1;
    return ferryScript({ ...SHORT_FERRY, failAt: started > deaths ? null : { step: 1, line: log, exitCode: 1 } });
  };
  const lab = await openVirtualLab({ ...options, script });
  await pushFile(lab, 'ada', 'main', SCHEDULE, text);
  await lab.clock.advance(MINUTE);
  const proposed = await propose(lab);
  await approve(lab, 'mira', proposed.pull);
  await until(lab, 'the job', async () => (await readState(lab, proposed.run))?.submission != null);
  await meanwhile?.({ lab, ...proposed });
  await untilState(lab, proposed.run, (state) => state.end != null, { stepMs: 10_000 });
  await lab.clock.advance(3 * MINUTE);
  const branch = `ferrybot/proposal/${proposed.run}`;
  return {
    lab,
    ...proposed,
    branch,
    now: () => readState(lab, proposed.run),
    file: () => readBranchFile(lab, branch, SCHEDULE),
  };
}

async function triesOf({ now }: Pick<Awaited<ReturnType<typeof died>>, 'now'>) {
  const incidents = (await now())?.incidents ?? [];
  return {
    made: filterIncidents(incidents, 'fix-made').map(({ detail }) => detail),
    not: filterIncidents(incidents, 'fix-not-made').map(({ detail }) => detail.reason),
  };
}

/** The commits of a branch on top of `base`, newest first. */
async function commitsAbove(lab: VirtualLab, branch: string, base: string): Promise<readonly string[]> {
  const ref = `refs/heads/${branch}`;
  const tip = (await lab.store.refs(ref)).get(ref) ?? '';
  const found = await lab.store.log({ from: tip, not: base, paths: [], limit: 10 });
  return found.map(({ sha }) => sha);
}

describe('a job that fails because of a missing import', () => {
  // rule ML-26
  it('is fixed on its branch with the diff posted, approved, launched and sealed', async () => {
    const played = await died();
    const { lab, run, pull, issue, now, file } = played;
    expect(listBotTexts(lab, 'ended')[0]).toContain(`\`/tmp/job/${SCHEDULE}:5\`: \`${MISSING}\``);
    expect(await file()).toBe(TEXT.replace('import json\n', 'import json\nimport math\n'));
    const { made } = await triesOf(played);
    expect(made).toMatchObject([{ attempt: 1, place: `${SCHEDULE}:5`, commit: (await now())?.gate?.commit }]);
    const comment = listBotTexts(lab, 'incident').join('\n');
    expect(comment).toContain('ferrybot committed a fix to the branch');
    expect(comment).toContain('\n+import math\n');
    expect(comment).not.toContain('The job is not started again');
    const card = listBotComments(lab).findLast(({ kind }) => kind === 'card')?.text ?? '';
    expect(card).toContain('\n+import math\n');
    expect(card).toContain(`- Files: \`${SCHEDULE}\``);
    expect(lab.engine.startCount()).toBe(1);

    await approve(lab, 'mira', pull, run);
    await until(lab, 'the second attempt', async () => (await now())?.submission?.attempt === 2);
    expect((await now())?.submission?.commit).toBe(made[0]?.commit);
    await until(lab, 'its end', async () => (await now())?.end?.attempt === 2, { stepMs: MINUTE });
    await seal(lab, run, issue);
    expect((await now())?.seal).toMatchObject({ verdict: 'pass', commit: made[0]?.commit });
    expect(listRepeatedComments(lab)).toEqual([]);
    await lab.close();
  });

  it('shows no secret from a line next to the fix, and leaves the secret in the file', async () => {
    const token = 'hf_abcdefghijklmnopqrstuvwxyz012345';
    const text = TEXT.replace('import json\n', `import json\nKEY = "${token}"\n`);
    const played = await died({ text, log: traceback(MISSING, SCHEDULE, 6) });
    expect((await triesOf(played)).made).toHaveLength(1);
    expect(await played.file()).toContain(token);
    expect(JSON.stringify(listBotComments(played.lab))).not.toContain(token.slice(0, 12));
    expect(JSON.stringify(await played.now())).not.toContain(token.slice(0, 12));
    await played.lab.close();
  });

  it('is fixed without a server too, by the workflow that the watch starts', async () => {
    const played = await died({ server: false });
    await played.lab.clock.advance(20 * MINUTE);
    expect((await triesOf(played)).made).toHaveLength(1);
    expect(findShownApprovalLine(played.lab, played.run)).not.toBeNull();
    await played.lab.close();
  });
});

describe('no fix is committed', () => {
  const refusals: readonly (readonly [what: string, play: Play, reason: string])[] = [
    [
      'if the log suggests another name',
      { log: traceback("NameError: name 'math' is not defined. Did you mean: 'json'?") },
      'other-suggestion',
    ],
    [
      'if the named line has other content',
      { log: traceback("NameError: name 'json' is not defined. Did you forget to import 'json'?") },
      'tree-unlike',
    ],
    ['for a file outside the fix scope', { log: traceback(MISSING, 'scripts/compare_runs.py') }, 'outside-scope'],
    [
      'for the experiment, whose code is reviewed',
      { log: traceback(MISSING, 'experiments/ferries/daily.py') },
      'outside-scope',
    ],
    [
      'for the config or a workflow',
      { log: traceback(MISSING, '.github/workflows/ferrybot-launch.yml') },
      'outside-scope',
    ],
    ['for a missing file', { log: traceback(MISSING, 'lib/smalllab/other.py') }, 'not-in-tree'],
    ['for an extremely large file', { text: `${TEXT}${'# filler\n'.repeat(30_000)}` }, 'too-long'],
  ];
  // threat T214
  it.each(refusals)('%s, and the incident reports this', async (_what, play, reason) => {
    const played = await died(play);
    const tries = await triesOf(played);
    expect(tries).toEqual({ made: [], not: [reason] });
    expect(await played.file()).toBe(play.text ?? TEXT);
    expect(listBotTexts(played.lab, 'incident').join()).toContain('ferrybot has no fix for this failure');
    await played.lab.close();
  });

  it('if another user pushed to the branch meanwhile, and that push is kept', async () => {
    const mine = TEXT.replace('math.pi', '3.14');
    const played = await died({
      meanwhile: ({ lab, run }) => pushFile(lab, 'ada', `ferrybot/proposal/${run}`, SCHEDULE, mine),
    });
    expect(await triesOf(played)).toEqual({ made: [], not: ['branch-moved'] });
    expect(await played.file()).toBe(mine);
    await played.lab.close();
  });

  it('if the pull request is closed', async () => {
    const played = await died({
      meanwhile: async ({ lab, pull }) => {
        await lab.as('ada', 'PATCH', `/pulls/${pull}`, { state: 'closed' });
      },
    });
    expect(await triesOf(played)).toEqual({ made: [], not: [] });
    await played.lab.close();
  });

  it('until a /hold on the lane is lifted', async () => {
    const played = await died({
      meanwhile: async ({ lab, pull }) => {
        await postComment(lab, 'mira', pull, '/hold lane=daily reason="let me look"');
      },
    });
    expect(await triesOf(played)).toEqual({ made: [], not: [] });
    await postComment(played.lab, 'mira', played.pull, '/unhold lane=daily');
    await played.lab.clock.advance(3 * MINUTE);
    expect((await triesOf(played)).made).toHaveLength(1);
    await played.lab.close();
  });

  it('in a lane without a fix scope', async () => {
    const played = await died({
      config: (text) => text.replace('fixScope: [lib]', 'fixScope: []').replace(/preApprovedFixes: .*/, ''),
    });
    expect(await triesOf(played)).toEqual({ made: [], not: [] });
    await played.lab.close();
  });
});

describe('a fix that ferrybot pushed', () => {
  it('is recorded by the next process if the pushing process crashed', async () => {
    let isFirst = true;
    let crashes = 0;
    const played = await died({
      atBoundary: (_, kind, moment) => {
        if (kind !== 'push-branch' || moment !== 'after') return;
        // The first one is the proposal's own branch.
        crashes += 1;
        if (crashes !== 2 || !isFirst) return;
        isFirst = false;
        throw new Crash();
      },
    });
    const { lab, branch, now } = played;
    expect(isFirst).toBe(false);
    await lab.clock.advance(20 * MINUTE);
    const { made } = await triesOf(played);
    expect(made).toHaveLength(1);
    expect(await commitsAbove(lab, branch, (await now())?.submission?.commit ?? '')).toEqual([made[0]?.commit]);
    expect(findShownApprovalLine(lab, played.run)).not.toBeNull();
    await lab.close();
  });

  it('does not cover a later commit by another user, who then cannot approve', async () => {
    const played = await died();
    const { lab, run, pull, branch } = played;
    await pushFile(lab, 'mira', branch, SCHEDULE, `${await played.file()}# mine\n`);
    await lab.clock.advance(3 * MINUTE);
    const verdicts = (await played.now())?.gate?.verdicts ?? [];
    expect(verdicts.filter(({ outcome }) => outcome === 'fail').map(({ gate }) => gate)).toContain('issue-updated');
    await postComment(lab, 'mira', played.issue, 'A remark of mine.');
    await lab.clock.advance(3 * MINUTE);
    const line = findShownApprovalLine(lab, run) ?? '';
    const asked = await postComment(lab, 'mira', pull, line);
    await lab.clock.advance(2 * MINUTE);
    expect(await listAnswerCodes(lab, asked)).toEqual(['approval-by-author']);
    await lab.close();
  });
});
