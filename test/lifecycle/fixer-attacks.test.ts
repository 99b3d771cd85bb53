/** Hostile fixers and unrelated starts of the fixer's workflow: none of their output is committed. */

import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  ANSWER,
  closeFixerLabs,
  countFixerRuns,
  MENDED,
  MINUTE,
  PATCH,
  playFailure,
  SCHEDULE,
  TEXT,
} from '../support/fixer-lab.ts';
import { createSquatter } from '../support/squat.ts';
import { listBotTexts } from '../support/talk.ts';
import type { VirtualLab } from '../support/virtual-lab.ts';

afterEach(closeFixerLabs);

/** Deletes the fixer's workflow. */
async function renamed(lab: VirtualLab): Promise<void> {
  const path = '.github/workflows/ferrybot-fix.yml';
  const { sha } = z.object({ sha: z.string() }).parse(await lab.as('ada', 'GET', `/contents/${path}?ref=main`));
  await lab.as('ada', 'DELETE', `/contents/${path}`, { message: 'Take it away', branch: 'main', sha });
}

describe('a fixer with an unusable patch', () => {
  const says = (text: string): string => `sys.stdout.write('''${text}''')`;
  const headed = (header: string): string => PATCH.replace('index 1234567..89abcde 100644\n', `${header}\n`);
  const hostile: readonly (readonly [what: string, program: string, reason: string])[] = [
    ['it prints nothing', 'pass', 'patch-none'],
    ['it exits with an error after a valid patch', `${ANSWER}\nsys.exit(1)`, 'fixer-failed'],
    ['it does not end', 'time.sleep(600)', 'fixer-failed'],
    ['it prints endlessly', 'while True: print("+" * 1000)', 'fixer-failed'],
    [
      'its patch has too many lines',
      says(PATCH.replace('-3,4 +3,4', '-3,4 +3,44').replace(/\+HALF.*\n/, '+A = 1\\n'.repeat(41))),
      'patch-too-large',
    ],
    ['it adds prose to the patch', says(`Here is your patch:\n${PATCH}`), 'patch-unreadable'],
    ['it changes the experiment', says(PATCH.replaceAll(SCHEDULE, 'experiments/ferries/daily.py')), 'outside-scope'],
    [
      'it changes a workflow',
      says(PATCH.replaceAll(SCHEDULE, '.github/workflows/ferrybot-launch.yml')),
      'patch-unreadable',
    ],
    ['its path leaves the scope', says(PATCH.replaceAll(SCHEDULE, 'lib/../scripts/run.py')), 'patch-unreadable'],
    ['it adds a file', says(headed('new file mode 100644')), 'patch-unreadable'],
    ['it adds a file without a header', says(PATCH.replace(`--- a/${SCHEDULE}`, '--- /dev/null')), 'patch-unreadable'],
    ['it removes the file', says(PATCH.replace(`+++ b/${SCHEDULE}`, '+++ /dev/null')), 'patch-unreadable'],
    ['it changes the file mode', says(headed('old mode 100644\nnew mode 100755')), 'patch-unreadable'],
    ['it turns the file into a link', says(headed('index 1234567..89abcde 120000')), 'patch-unreadable'],
    ['the patch is binary', says(headed('GIT binary patch')), 'patch-unreadable'],
    ['it edits a missing file', says(PATCH.replaceAll('schedule.py', 'other.py')), 'not-in-tree'],
    ['it applies to another text', says(PATCH.replace('-HALF_TURN', '-QUARTER_TURN')), 'patch-does-not-apply'],
    ['it contains hidden characters', says(PATCH.replace('3.14159', "'\\u202e3'")), 'patch-hidden-signs'],
    [
      'its code looks like a secret, so that readers would see a redaction',
      says(PATCH.replace('+HALF', '+# -----BEGIN PRIVATE KEY-----\n+HALF').replace('-3,4 +3,4', '-3,4 +3,5')),
      'patch-like-secret',
    ],
    ['the result is not valid Python', says(PATCH.replace('3.14159', '(3.14159')), 'not-mended'],
  ];
  // threat T217
  it.each(hostile)('commits nothing and posts the reason if %s', async (_what, program, reason) => {
    const { lab, tries, file } = await playFailure({ program, timeoutMs: 3_000 });
    expect(await tries()).toEqual({ made: [], not: [reason] });
    expect(await file()).toBe(TEXT);
    expect(listBotTexts(lab, 'incident').join()).toContain('ferrybot has no fix for this failure');
    expect(lab.engine.startCount()).toBe(1);
  });

  it('commits nothing if the workflow does not exist', async () => {
    const { tries } = await playFailure({ program: ANSWER, meanwhile: ({ lab }) => renamed(lab) });
    expect(await tries()).toEqual({ made: [], not: ['fixer-not-started'] });
  });

  it('commits nothing if its runner is not available in time', async () => {
    const { tries, lab } = await playFailure({
      program: ANSWER,
      beforeJob: (mode) => (mode === 'fix' ? new Promise(() => undefined) : Promise.resolve()),
    });
    expect(await tries()).toEqual({ made: [], not: [] });
    await lab.clock.advance(150 * MINUTE);
    expect(await tries()).toEqual({ made: [], not: ['fixer-late'] });
  });
});

describe('a single attempt of the fixer', () => {
  type Of = { lab?: VirtualLab };

  function fixRuns({ world }: VirtualLab): readonly { readonly id: number }[] {
    return Object.values(world.state.runs)
      .filter(({ displayTitle }) => displayTitle.startsWith('ferrybot fix'))
      .toSorted((a, b) => a.id - b.id);
  }

  /** Disturbs the first `times` runs of the fixer's workflow when they start. */
  async function meddled(times: number, meddle: (lab: VirtualLab, run: number) => Promise<void>) {
    const of: Of = {};
    let begun = 0;
    return playFailure({
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
  it('is started again if a writer cancels its workflow run', async () => {
    const { lab, tries, file } = await meddled(2, cancel);
    expect(await tries()).toEqual({ made: [], not: [] });
    // The pause before the retry ends unnoticed; the next sweep starts it.
    await lab.clock.advance(60 * MINUTE);
    expect((await tries()).not).toEqual([]);
    expect(await file()).toBe(MENDED);
    expect(countFixerRuns(lab)).toBe(3);
  });

  it('ends with an incident if its workflow run is cancelled again and again', async () => {
    const { lab, tries, file } = await meddled(100, cancel);
    await lab.clock.advance(150 * MINUTE);
    expect(await tries()).toEqual({ made: [], not: ['fixer-cancelled'] });
    expect(listBotTexts(lab, 'incident').join()).toContain('`fixer-cancelled`');
    expect(await file()).toBe(TEXT);
    expect(countFixerRuns(lab)).toBe(4);
  });

  // threat T220
  it("succeeds although a writer starts the workflow so often that it fills GitHub's list of runs", async () => {
    const { lab, tries, file } = await meddled(1, async (lab, run) => {
      const failure = lab.world.state.runs[run]?.displayTitle.split(' ').at(-1) ?? '';
      const squat = await createSquatter(lab, 'ferrybot-fix.yml');
      for (let count = 0; count < 30; count += 1) await squat({ run: 'ferry-daily', failure });
    });
    await lab.clock.advance(30 * MINUTE);
    expect((await tries()).not).toEqual([]);
    expect(await file()).toBe(MENDED);
    expect(countFixerRuns(lab)).toBe(31);
  });

  it('is started again if a writer deletes its artifact', async () => {
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

  it('succeeds after a long outage of GitHub, even if control sees its result late', async () => {
    const { lab, tries, file } = await playFailure({
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
