/** A job dies of what ferrybot knows no correction of: the lab's own fixer, a real program, is asked, and believed nothing. */

import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createFixerRunner } from '../../src/app/fixer/run-fixer.ts';
import { incidentsWith } from '../../src/domain/incidents.ts';
import { shownApprovalLine } from '../support/approve.ts';
import { ferryScript } from '../support/ferry-script.ts';
import { approve, propose, seal, stateOf, until } from '../support/play.ts';
import { botComments, fileOf, pushFile, SHORT_FERRY, saidTwice, told } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab, type VirtualLabOptions } from '../support/virtual-lab.ts';

const MINUTE = 60_000;
const SCHEDULE = 'lib/smalllab/schedule.py';
const REPORT = 'lib/smalllab/report.py';
const TEXT = '"""How the rate falls."""\n\nimport json\n\nHALF_TURN = turn_by_half\nprint(json)\n';
const MENDED = TEXT.replace('turn_by_half', '3.14159');
const LOG = `Traceback (most recent call last):
  File "/tmp/job/experiments/ferries/daily.py", line 12, in <module>
    from smalllab.train import default_train
  File "/tmp/job/${SCHEDULE}", line 5, in <module>
    HALF_TURN = turn_by_half
NameError: name 'turn_by_half' is not defined`;

/** As `git diff` writes it. */
const PATCH = `diff --git a/${SCHEDULE} b/${SCHEDULE}
index 1234567..89abcde 100644
--- a/${SCHEDULE}
+++ b/${SCHEDULE}
@@ -3,4 +3,4 @@ import something
 import json
 
-HALF_TURN = turn_by_half
+HALF_TURN = 3.14159
 print(json)
`;

let lab: VirtualLab | null = null;
let folder: string | null = null;
afterEach(async () => {
  vi.unstubAllEnvs();
  await lab?.close();
  if (folder !== null) await rm(folder, { recursive: true });
  lab = null;
  folder = null;
});

const REF = z.object({ object: z.object({ sha: z.string() }) });

type Play = VirtualLabOptions & {
  /** The program of the lab: Python, which finds its question in `asked`. */
  readonly program: string;
  readonly timeoutMs?: number;
  /** In place of the schedule: the file with the slip, which the lane lets go without an approval. */
  readonly preApproved?: string;
  readonly meanwhile?: (played: { readonly lab: VirtualLab; readonly run: string }) => Promise<void>;
};

const ANSWER = `sys.stdout.write('''${PATCH}''')`;

/** A lab with such a fixer, up to the end of the first attempt and what is done about it. */
async function died({ program, timeoutMs = 20_000, preApproved, meanwhile, ...options }: Play) {
  const slipped = preApproved ?? SCHEDULE;
  folder = await mkdtemp(join(tmpdir(), 'ferrybot-lab-fixer-'));
  const path = join(folder, 'fix.py');
  await writeFile(path, `import json, os, sys, time\nasked = json.load(sys.stdin)\n${program}\n`);
  await chmod(path, 0o755);
  let started = 0;
  const opened = await openVirtualLab({
    fixer: createFixerRunner(process.env['PATH'] ?? ''),
    ...options,
    config: (text) =>
      text
        .replace(
          '    fixer: null\n',
          `    fixer: { command: [python3, '${path}'], timeoutMs: ${timeoutMs} }\n`,
        )
        .replace('preApprovedFixes: []', `preApprovedFixes: [${preApproved ?? ''}]`),
    script: () => {
      started += 1;
      return ferryScript({
        ...SHORT_FERRY,
        failAt: started > 1 ? null : { step: 1, line: LOG.replace(SCHEDULE, slipped), exitCode: 1 },
      });
    },
  });
  lab = opened;
  await pushFile(opened, 'ada', 'main', slipped, TEXT);
  await opened.clock.advance(MINUTE);
  const proposed = await propose(opened);
  await approve(opened, 'mira', proposed.pull);
  await until(opened, 'the job', async () => (await stateOf(opened, proposed.run))?.submission != null);
  await meanwhile?.({ lab: opened, ...proposed });
  await until(opened, 'the end', async () => (await stateOf(opened, proposed.run))?.end != null, {
    stepMs: 10_000,
  });
  await opened.clock.advance(5 * MINUTE);
  const now = () => stateOf(opened, proposed.run);
  const tries = async () => {
    const incidents = (await now())?.incidents ?? [];
    return {
      made: incidentsWith(incidents, 'fix-made').map(({ detail }) => detail),
      not: incidentsWith(incidents, 'fix-not-made').map(({ detail }) => detail.reason),
    };
  };
  const branch = `ferrybot/proposal/${proposed.run}`;
  return { lab: opened, ...proposed, now, tries, branch, file: () => fileOf(opened, branch, slipped) };
}

/** Takes the workflow away: nothing has its name any more. */
async function renamed(lab: VirtualLab): Promise<void> {
  const path = '.github/workflows/ferrybot-fix.yml';
  const { sha } = z
    .object({ sha: z.string() })
    .parse(await lab.as('ada', 'GET', `/contents/${path}?ref=main`));
  await lab.as('ada', 'DELETE', `/contents/${path}`, { message: 'Take it away', branch: 'main', sha });
}

/** The runs of the fixer's workflow. */
function asksOf({ world }: VirtualLab): number {
  return Object.values(world.state.runs).filter(({ displayTitle }) => displayTitle.startsWith('ferrybot fix'))
    .length;
}

describe('a slip of which ferrybot knows no correction', () => {
  it('is patched by the fixer of the lane, shown as a difference, approved by somebody, launched past it, and sealed', async () => {
    const { lab, run, pull, issue, now, tries, file } = await died({ program: ANSWER });
    expect(await file()).toBe(MENDED);
    const { made, not } = await tries();
    expect(made).toMatchObject([
      { attempt: 1, place: `${SCHEDULE}:5`, by: 'fixer', commit: (await now())?.gate?.commit },
    ]);
    expect(not).toEqual([]);
    const comment = told(lab, 'incident').join('\n');
    expect(comment).toContain('The fixer of the lane proposes this');
    expect(comment).toContain('\n-HALF_TURN = turn_by_half\n+HALF_TURN = 3.14159\n');
    expect(comment).not.toContain('import something');
    expect(comment).not.toContain('The job is not started again');
    const card = botComments(lab).findLast(({ kind }) => kind === 'card')?.text ?? '';
    expect(card).toContain('What the fixer of the lane changed');
    expect(card).toContain(`- Files: \`${SCHEDULE}\``);
    expect(lab.engine.startCount()).toBe(1);
    expect(asksOf(lab)).toBe(1);

    await approve(lab, 'mira', pull, run);
    await until(lab, 'the second attempt', async () => (await now())?.submission?.attempt === 2);
    expect((await now())?.submission?.commit).toBe(made[0]?.commit);
    await until(lab, 'its end', async () => (await now())?.end?.attempt === 2, { stepMs: MINUTE });
    await seal(lab, run, issue);
    expect((await now())?.seal).toMatchObject({ verdict: 'pass', commit: made[0]?.commit });
    expect(saidTwice(lab)).toEqual([]);
  });

  it('is told to it as JSON, with the files that a fix may change, and with no variable of ours but the path', async () => {
    const check = `
failure = asked['failure']
assert asked['version'] == 1 and asked['attempt'] == 1 and len(asked['commit']) == 40, asked
assert failure['class'] == 'code-small' and failure['line'] == 5, failure
assert failure['file'].endswith('${SCHEDULE}') and 'turn_by_half' in failure['error'], failure
assert any('Traceback' in line for line in failure['log']), failure
assert '${SCHEDULE}' in asked['mayChange'] and not any(p.startswith('experiments') for p in asked['mayChange'])
assert os.environ['HOME'] == os.environ['TMPDIR'] and 'FERRYBOT_SENTINEL' not in os.environ, os.environ
${ANSWER}`;
    vi.stubEnv('FERRYBOT_SENTINEL', 'a secret of the job');
    const { tries } = await died({ program: check });
    expect((await tries()).not).toEqual([]);
    expect((await tries()).made).toHaveLength(1);
  });

  it('is patched without a server too, by the job that comes after the fixer', async () => {
    const { lab, run, tries } = await died({ program: ANSWER, server: false });
    await lab.clock.advance(20 * MINUTE);
    expect((await tries()).made).toHaveLength(1);
    expect(shownApprovalLine(lab, run)).not.toBeNull();
    expect(asksOf(lab)).toBe(1);
  });

  it('is patched at once when the job of the fixer has ended, however long that waited for a machine', async () => {
    const of: { lab?: VirtualLab } = {};
    const { lab, tries } = await died({
      program: ANSWER,
      meanwhile: async ({ lab }) => void Object.assign(of, { lab }),
      beforeJob: async (mode) => (mode === 'fix' ? of.lab?.clock.sleep(17 * MINUTE) : undefined),
    });
    await lab.clock.advance(10 * MINUTE);
    expect((await tries()).made).toEqual([]);
    await lab.clock.advance(4 * MINUTE);
    expect((await tries()).made).toHaveLength(1);
  });

  it('is asked about once, and committed once, where two controls see the end at once', async () => {
    const { lab, tries } = await died({ program: ANSWER, servers: 2 });
    await lab.clock.advance(40 * MINUTE);
    expect((await tries()).made).toHaveLength(1);
    expect(asksOf(lab)).toBeLessThanOrEqual(2);
  });

  it('is launched on an approval of its own alone, also where the lane lets a fix of that file go without one', async () => {
    const { lab, tries, now } = await died({
      program: ANSWER.replaceAll(SCHEDULE, REPORT),
      preApproved: REPORT,
    });
    await lab.clock.advance(60 * MINUTE);
    expect((await tries()).made).toMatchObject([{ by: 'fixer' }]);
    expect(told(lab, 'incident').join()).not.toContain('Nothing has to be done');
    expect(lab.engine.startCount()).toBe(1);
    expect((await now())?.order?.order.attempt).toBe(1);
  });
});

describe('nothing is committed, and the thread says why,', () => {
  const says = (text: string): string => `sys.stdout.write('''${text}''')`;
  const headed = (header: string): string => PATCH.replace('index 1234567..89abcde 100644\n', `${header}\n`);
  const hostile: readonly (readonly [what: string, program: string, reason: string])[] = [
    ['it answers nothing', 'pass', 'patch-none'],
    ['it exits with an error, whatever it printed', `${ANSWER}\nsys.exit(1)`, 'fixer-failed'],
    ['it never ends', 'time.sleep(600)', 'fixer-timed-out'],
    ['it prints without end', 'while True: print("+" * 1000)', 'fixer-too-long'],
    [
      'its patch has more lines than a slip',
      says(PATCH.replace('-3,4 +3,4', '-3,4 +3,44').replace(/\+HALF.*\n/, '+A = 1\\n'.repeat(41))),
      'patch-too-large',
    ],
    ['it talks', says(`Here is your patch:\n${PATCH}`), 'patch-unreadable'],
    [
      'it changes the experiment',
      says(PATCH.replaceAll(SCHEDULE, 'experiments/ferries/daily.py')),
      'outside-scope',
    ],
    [
      'it changes a workflow',
      says(PATCH.replaceAll(SCHEDULE, '.github/workflows/ferrybot-launch.yml')),
      'patch-unreadable',
    ],
    [
      'it climbs out of the scope',
      says(PATCH.replaceAll(SCHEDULE, 'lib/../scripts/run.py')),
      'patch-unreadable',
    ],
    ['it adds a file', says(headed('new file mode 100644')), 'patch-not-an-edit'],
    [
      'it adds a file from nowhere',
      says(PATCH.replace(`--- a/${SCHEDULE}`, '--- /dev/null')),
      'patch-not-an-edit',
    ],
    ['it removes the file', says(PATCH.replace(`+++ b/${SCHEDULE}`, '+++ /dev/null')), 'patch-not-an-edit'],
    ['it changes the mode', says(headed('old mode 100644\nnew mode 100755')), 'patch-not-an-edit'],
    ['it makes it a link', says(headed('index 1234567..89abcde 120000')), 'patch-not-an-edit'],
    ['it renames it', says(headed('similarity index 90%\nrename from lib/a.py')), 'patch-not-an-edit'],
    ['it is of bytes', says(headed('GIT binary patch')), 'patch-not-an-edit'],
    ['it edits a file that is not there', says(PATCH.replaceAll('schedule.py', 'other.py')), 'not-in-tree'],
    ['it fits another text', says(PATCH.replace('-HALF_TURN', '-QUARTER_TURN')), 'patch-does-not-apply'],
    ['it fits another place', says(PATCH.replace('@@ -3,4 +3,4', '@@ -2,4 +2,4')), 'patch-does-not-apply'],
    ['it hides what it says', says(PATCH.replace('3.14159', "'\\u202e3'")), 'patch-hidden-signs'],
    ['what comes of it is no Python', says(PATCH.replace('3.14159', '(3.14159')), 'not-mended'],
  ];
  it.each(hostile)('where %s', async (_what, program, reason) => {
    const { lab, tries, file } = await died({ program, timeoutMs: 3_000 });
    expect(await tries()).toEqual({ made: [], not: [reason] });
    expect(await file()).toBe(TEXT);
    expect(told(lab, 'incident').join()).toContain('No program puts this right');
    expect(lab.engine.startCount()).toBe(1);
  });

  it.each([
    ['a branch of somebody', 'ada/fixes'],
    ['a tag that somebody named as the branch', 'main'],
  ])('where the workflow ran by the files of %s', async (_what, headBranch) => {
    const of: { lab?: VirtualLab; headSha?: string } = {};
    const { tries } = await died({
      program: ANSWER,
      meanwhile: async ({ lab }) => {
        const { object } = REF.parse(await lab.as('ada', 'GET', '/git/ref/heads/main'));
        await lab.as('ada', 'POST', '/git/refs', { ref: 'refs/heads/ada/fixes', sha: object.sha });
        await pushFile(lab, 'ada', 'ada/fixes', '.github/workflows/ferrybot-fix.yml', 'on: push\n');
        const pushed = REF.parse(await lab.as('ada', 'GET', '/git/ref/heads/ada/fixes'));
        Object.assign(of, { lab, headSha: pushed.object.sha });
      },
      beforeJob: async (mode) => {
        const runs = of.lab?.world.state.runs ?? {};
        for (const run of Object.values(runs))
          if (mode === 'fix' && run.displayTitle.startsWith('ferrybot fix'))
            runs[run.id] = { ...run, headBranch, headSha: of.headSha ?? '' };
      },
    });
    expect(await tries()).toEqual({ made: [], not: ['fixer-other-ref'] });
  });

  it('where the lab has no such workflow', async () => {
    const { tries, lab } = await died({
      program: ANSWER,
      meanwhile: ({ lab }) => renamed(lab),
    });
    await lab.clock.advance(150 * MINUTE);
    expect(await tries()).toEqual({ made: [], not: ['fixer-unknown'] });
  });

  it('where its machine is not to be had', async () => {
    const { tries, lab } = await died({
      program: ANSWER,
      beforeJob: (mode) => (mode === 'fix' ? new Promise(() => undefined) : Promise.resolve()),
    });
    expect(await tries()).toEqual({ made: [], not: [] });
    await lab.clock.advance(150 * MINUTE);
    expect(await tries()).toEqual({ made: [], not: ['fixer-late'] });
  });
});
