/** A fixer that answers whatever it likes, and a workflow that somebody else started in its place: nothing of it is committed. */

import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  ANSWER,
  asksOf,
  closeFixerLabs,
  died,
  MENDED,
  MINUTE,
  PATCH,
  SCHEDULE,
  TEXT,
} from '../support/fixer-lab.ts';
import { squatOn } from '../support/squat.ts';
import { told } from '../support/talk.ts';
import type { VirtualLab } from '../support/virtual-lab.ts';

afterEach(closeFixerLabs);

/** Takes the workflow away: nothing has its name any more. */
async function renamed(lab: VirtualLab): Promise<void> {
  const path = '.github/workflows/ferrybot-fix.yml';
  const { sha } = z
    .object({ sha: z.string() })
    .parse(await lab.as('ada', 'GET', `/contents/${path}?ref=main`));
  await lab.as('ada', 'DELETE', `/contents/${path}`, { message: 'Take it away', branch: 'main', sha });
}

describe('nothing is committed, and the thread says why,', () => {
  const says = (text: string): string => `sys.stdout.write('''${text}''')`;
  const headed = (header: string): string => PATCH.replace('index 1234567..89abcde 100644\n', `${header}\n`);
  const hostile: readonly (readonly [what: string, program: string, reason: string])[] = [
    ['it answers nothing', 'pass', 'patch-none'],
    ['it exits with an error, whatever it printed', `${ANSWER}\nsys.exit(1)`, 'fixer-failed'],
    ['it never ends', 'time.sleep(600)', 'fixer-failed'],
    ['it prints without end', 'while True: print("+" * 1000)', 'fixer-failed'],
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
    ['it adds a file', says(headed('new file mode 100644')), 'patch-unreadable'],
    [
      'it adds a file from nowhere',
      says(PATCH.replace(`--- a/${SCHEDULE}`, '--- /dev/null')),
      'patch-unreadable',
    ],
    ['it removes the file', says(PATCH.replace(`+++ b/${SCHEDULE}`, '+++ /dev/null')), 'patch-unreadable'],
    ['it changes the mode', says(headed('old mode 100644\nnew mode 100755')), 'patch-unreadable'],
    ['it makes it a link', says(headed('index 1234567..89abcde 120000')), 'patch-unreadable'],
    ['it is of bytes', says(headed('GIT binary patch')), 'patch-unreadable'],
    ['it edits a file that is not there', says(PATCH.replaceAll('schedule.py', 'other.py')), 'not-in-tree'],
    ['it fits another text', says(PATCH.replace('-HALF_TURN', '-QUARTER_TURN')), 'patch-does-not-apply'],
    ['it hides what it says', says(PATCH.replace('3.14159', "'\\u202e3'")), 'patch-hidden-signs'],
    [
      'it has its reader see a secret left out in the place of what it does',
      says(PATCH.replace('+HALF', '+# -----BEGIN PRIVATE KEY-----\n+HALF').replace('-3,4 +3,4', '-3,4 +3,5')),
      'patch-like-secret',
    ],
    ['what comes of it is no Python', says(PATCH.replace('3.14159', '(3.14159')), 'not-mended'],
  ];
  // threat T217
  it.each(hostile)('where %s', async (_what, program, reason) => {
    const { lab, tries, file } = await died({ program, timeoutMs: 3_000 });
    expect(await tries()).toEqual({ made: [], not: [reason] });
    expect(await file()).toBe(TEXT);
    expect(told(lab, 'incident').join()).toContain('ferrybot has no fix for this failure');
    expect(lab.engine.startCount()).toBe(1);
  });

  it('where the lab has no such workflow', async () => {
    const { tries } = await died({ program: ANSWER, meanwhile: ({ lab }) => renamed(lab) });
    expect(await tries()).toEqual({ made: [], not: ['fixer-not-started'] });
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

describe('the one try is not spent', () => {
  type Of = { lab?: VirtualLab };

  function fixRuns({ world }: VirtualLab): readonly { readonly id: number }[] {
    return Object.values(world.state.runs)
      .filter(({ displayTitle }) => displayTitle.startsWith('ferrybot fix'))
      .toSorted((a, b) => a.id - b.id);
  }

  /** What somebody does to the first so many runs of the fixer's workflow as they begin. */
  async function meddled(times: number, meddle: (lab: VirtualLab, run: number) => Promise<void>) {
    const of: Of = {};
    let begun = 0;
    return died({
      program: ANSWER,
      meanwhile: async ({ lab }) => {
        of.lab = lab;
      },
      beforeJob: async (mode) => {
        if (mode !== 'fix' || of.lab === undefined || begun >= times) return;
        begun += 1;
        await meddle(of.lab, fixRuns(of.lab).at(-1)?.id ?? 0);
      },
    });
  }

  const cancel = async (lab: VirtualLab, run: number): Promise<void> => {
    await lab.as('ada', 'POST', `/actions/runs/${run}/cancel`);
  };

  // threat T221
  it('by somebody who cancels it: it is asked again', async () => {
    const { lab, tries, file } = await meddled(2, cancel);
    expect(await tries()).toEqual({ made: [], not: [] });
    // The pause before another try ends unnoticed; the next sweep asks.
    await lab.clock.advance(60 * MINUTE);
    expect((await tries()).not).toEqual([]);
    expect(await file()).toBe(MENDED);
    expect(asksOf(lab)).toBe(3);
  });

  it('unless they go on with it: then people are told', async () => {
    const { lab, tries, file } = await meddled(100, cancel);
    await lab.clock.advance(150 * MINUTE);
    expect(await tries()).toEqual({ made: [], not: ['fixer-cancelled'] });
    expect(told(lab, 'incident').join()).toContain('`fixer-cancelled`');
    expect(await file()).toBe(TEXT);
    expect(asksOf(lab)).toBe(4);
  });

  // threat T220
  it('by somebody who starts the workflow so often that GitHub lists no other run of it first', async () => {
    const { lab, tries, file } = await meddled(1, async (lab, run) => {
      const failure = lab.world.state.runs[run]?.displayTitle.split(' ').at(-1) ?? '';
      const squat = await squatOn(lab, 'ferrybot-fix.yml');
      for (let count = 0; count < 30; count += 1) await squat({ run: 'ferry-daily', failure });
    });
    await lab.clock.advance(30 * MINUTE);
    expect((await tries()).not).toEqual([]);
    expect(await file()).toBe(MENDED);
    expect(asksOf(lab)).toBe(31);
  });

  it('by somebody who deletes what it left', async () => {
    const { lab, tries, file } = await meddled(1, async (lab) => {
      const route = 'GET /repos/*/actions/runs/*';
      lab.world.state.settings.faults = [
        { kind: 'server-error', rate: 1, seed: 1, route, people: false, durationMs: 0 },
      ];
    });
    expect(await tries()).toEqual({ made: [], not: [] });
    const [left] = Object.values(lab.world.state.artifacts);
    await lab.as('ada', 'DELETE', `/actions/artifacts/${left?.id}`);
    lab.world.state.settings.faults = [];
    await lab.clock.advance(60 * MINUTE);
    expect((await tries()).not).toEqual([]);
    expect(await file()).toBe(MENDED);
  });

  it('by an error of GitHub, however long after the end of the job control sees it', async () => {
    const { lab, tries, file } = await died({
      program: ANSWER,
      meanwhile: async ({ lab }) => {
        const route = 'GET /repos/*/actions/runs/*';
        lab.world.state.settings.faults = [
          { kind: 'server-error', rate: 1, seed: 1, route, people: false, durationMs: 0 },
        ];
      },
    });
    await lab.clock.advance(150 * MINUTE);
    expect(await tries()).toEqual({ made: [], not: [] });
    lab.world.state.settings.faults = [];
    await lab.clock.advance(60 * MINUTE);
    expect((await tries()).not).toEqual([]);
    expect(await file()).toBe(MENDED);
  });
});
