/** The logbook, comments and mentions of a hero run, from the contract to the seal. */

import { beforeAll, describe, expect, it } from 'vitest';
import type { LogbookEvent } from '../../src/domain/logbook/define.ts';
import { type CheckpointFolders, checkpointFolders } from '../support/checkpoint-folders.ts';
import { ferryScript } from '../support/ferry-script.ts';
import { ANSWERS, openHeroIssue, openHeroLab, RUN } from '../support/hero-run.ts';
import { approve, readEventsOf, readState, seal, until } from '../support/play.ts';
import { listBotComments, listBotTexts, listRepeatedComments, readBranchFile, SHORT_FERRY } from '../support/talk.ts';
import type { VirtualLab } from '../support/virtual-lab.ts';

const MINUTE_MS = 60_000;
const LOGBOOK = 'ferrybot/logbook';
const PREEMPTED = 'trainer Received a preemption notice: this TPU slice was preempted by the cloud';

let lab: VirtualLab;
let issue = 0;
let folders: CheckpointFolders;
let events: readonly LogbookEvent[] = [];
let subjects: readonly string[] = [];
let watched = { all: 0, open: 0 };
let later = { all: 0, open: 0 };

/** Jobs of the watch workflow: all that started, and those not completed. */
function watches(): { readonly all: number; readonly open: number } {
  const { runs, workflows } = lab.world.state;
  const all = Object.values(runs).filter((run) => workflows[run.workflowId]?.path.endsWith('-watch.yml'));
  return { all: all.length, open: all.filter(({ status }) => status !== 'completed').length };
}

/** A job that is preempted once, resumes from its checkpoint, succeeds and is sealed. */
beforeAll(async () => {
  folders = await checkpointFolders();
  let jobs = 0;
  lab = await openHeroLab({
    script: () => {
      jobs += 1;
      const failAt = { step: 900, line: PREEMPTED, exitCode: 1 };
      return ferryScript(jobs === 1 ? { ...SHORT_FERRY, failAt } : SHORT_FERRY);
    },
  });
  const Command = `${ANSWERS['Command']} --resume={checkpoint}`;
  issue = await openHeroIssue(lab, { answers: { Command, 'Output root': folders.root } });
  await approve(lab, 'mira', issue, RUN);
  await until(lab, 'step 810', async () => Number((await readState(lab, RUN))?.observation?.step ?? 0) >= 810);
  await folders.write(800, lab.clock.now());
  await until(lab, 'the second attempt', () => jobs === 2);
  await until(lab, 'its steps', async () => {
    const state = await readState(lab, RUN);
    return state?.submission?.attempt === 2 && Number(state.observation?.step ?? 0) >= 810;
  });
  await folders.write(1_200, lab.clock.now());
  await until(lab, 'the end', async () => (await readState(lab, RUN))?.end?.status === 'SUCCEEDED');
  await seal(lab, RUN, issue);
  await lab.clock.advance(2 * MINUTE_MS);
  events = await readEventsOf(lab, RUN);
  watched = watches();
  await lab.clock.advance(60 * MINUTE_MS);
  later = watches();
  const ref = `refs/heads/${LOGBOOK}`;
  const from = (await lab.store.refs(ref)).get(ref) ?? '';
  const log = await lab.store.log({ from, paths: [`runs/2026/11/${RUN}`], limit: 500 });
  subjects = log.map(({ message }) => message.split('\n')[0] ?? '').toReversed();
  return async () => {
    await lab.close();
    await folders.close();
  };
});

describe('the logbook of a hero run', () => {
  // rules HR-23, HR-73
  it('is pushed with the commit subjects of the policy, from before the launch on', () => {
    const occasions = subjects.filter((one) => /: (start|log (launch|relaunch|final seal))/.test(one));
    expect(occasions).toEqual([
      `${RUN}: start hero-run logbook`,
      `${RUN}: log launch`,
      `${RUN}: log relaunch`,
      `${RUN}: log final seal`,
    ]);
  });

  // rule HR-20
  it('links the issue, and the card in the issue links the logbook', async () => {
    const markdown = (await readBranchFile(lab, LOGBOOK, `runs/2026/11/${RUN}/logbook.md`)) ?? '';
    expect(markdown).toContain(`- Issue: lab/ferries#${issue}\n`);
    const card = listBotComments(lab).findLast(({ kind, text }) => kind === 'card' && text.includes(`Run \`${RUN}\``));
    expect(card?.thread).toBe(issue);
    expect(card?.text).toContain(`runs/2026/11/${RUN}/events.jsonl`);
    expect(card?.text).toContain(LOGBOOK);
  });

  it('lists for each attempt the DRI, hardware, tracker name, output root and start checkpoint', async () => {
    const markdown = (await readBranchFile(lab, LOGBOOK, `runs/2026/11/${RUN}/logbook.md`)) ?? '';
    const [contract = '', instances = '', log = ''] = markdown.split(/^## (?:Launched Instances|Event Log)$/m);
    expect(contract).toContain(`- Goal: ${ANSWERS['Goal']}\n`);
    expect(contract).toContain(`- Stop/escalation criteria: ${ANSWERS['Stop and escalation criteria']}\n`);
    const [, first = '', second = ''] = instances.split(/^### .+ - /m);
    expect(first).toContain('- Babysitter/check cadence: every 1 min, for @ada\n');
    // With the time in its heading, this is all that the policy wants recorded of a launched instance.
    for (const attempt of [first, second])
      expect([...attempt.matchAll(/^- ([^:]+): \S.*$/gm)].map(([, label]) => label)).toEqual([
        'DRI',
        'W&B run',
        'Output root',
        'Command',
        'Git SHA',
        'Dirty tree',
        'Source bundle/container',
        'Hardware/topology',
        '`initialize_from`',
        'Final step',
        'Checkpoint policy',
        'Babysitter/check cadence',
      ]);
    for (const attempt of [first, second])
      for (const line of [
        '- DRI: @ada',
        `- W&B run: \`${RUN}\``,
        `- Output root: \`${folders.root}\``,
        `- Hardware/topology: ${ANSWERS['Hardware and topology']}, \`us-central1\` through`,
        '- Final step: 1200',
      ])
        expect(attempt).toContain(line);
    expect(first).toContain('- `initialize_from`: (none)\n');
    expect(second).toContain(`- \`initialize_from\`: \`${folders.root}/checkpoints/step-800\`\n`);
    expect(log).toContain(`attempt 2 is ordered, after attempt 1; it starts at step 800, \`${folders.root}`);
    expect(log).toContain(`final checkpoint \`${folders.root}/checkpoints/step-1200\` of step 1200; not looked`);
  });

  it('leaves no field empty, and names no person as the next step if ferrybot continues itself', async () => {
    const markdown = (await readBranchFile(lab, LOGBOOK, `runs/2026/11/${RUN}/logbook.md`)) ?? '';
    const log = markdown.slice(markdown.indexOf('## Event Log'));
    expect(log.match(/^- (?:Status|Evidence|Decision|Next):$/gm)).toBeNull();
    const crashed = /^- Status: FAILED[\s\S]*?^- Next: .+$/gm;
    const next = log.match(crashed)?.map((entry) => entry.split('\n').at(-1));
    expect(new Set(next)).toEqual(
      new Set([
        '- Next: the watch records its end',
        '- Next: another attempt if the approval covers one that can help; otherwise a person decides',
      ]),
    );
  });

  it('is titled as a hero run, uses no ferry terms or code names, and dates each statement about the store', async () => {
    const markdown = (await readBranchFile(lab, LOGBOOK, `runs/2026/11/${RUN}/logbook.md`)) ?? '';
    expect(markdown).toContain(`# ${RUN}: Hero Run Logbook\n`);
    expect(markdown).not.toMatch(/interval since|no earlier ferry|finalStep|trackerName/);
    expect(markdown).toContain('tracker name `');
    const stored = markdown.split('\n').filter((line) => line.includes('in the store'));
    expect(stored.length).toBeGreaterThan(0);
    for (const line of stored) expect(line).toMatch(/in the store .* as of \d{4}-\d\d-\d\dT[\d:.]+Z/);
    expect(markdown).toMatch(/^- Status: SUCCEEDED, last exact step \d+\/1200$/m);
  });

  it('has an entry for each observation', () => {
    const looks = events.filter(({ type }) => type === 'observed');
    expect(looks.length).toBeGreaterThan(4);
  });
});

describe('the issue of a hero run', () => {
  // rules HR-18, HR-22
  it('gets a comment for the launch, start and end of each attempt, and the seal', () => {
    const moments = listBotComments(lab).filter(({ kind }) => ['launch', 'ended', 'sealed'].includes(kind));
    expect(moments.map(({ kind }) => kind)).toEqual(['launch', 'ended', 'launch', 'ended', 'sealed']);
    expect(new Set(moments.map(({ thread }) => thread))).toEqual(new Set([issue]));
    expect(listRepeatedComments(lab)).toEqual([]);
  });

  it('shows the whole launch command in the seal comment, at any length', () => {
    const whole = events.findLast((event) => event.type === 'submitted')?.data.command.at(-1) ?? 'none';
    expect(listBotTexts(lab, 'sealed').at(-1)).toContain('Launch command (scrubbed):');
    expect(listBotTexts(lab, 'sealed').at(-1)).toContain(`${whole}\n\`\`\``);
  });

  // rule HR-31
  it('mentions the DRI at a crash that is restarted, and not at a success', () => {
    const [crashed, well] = listBotTexts(lab, 'ended');
    expect(crashed).toMatch(/@ada/);
    // No ferry follows a hero run, and an automatic restart fixed nothing.
    const said = `${crashed}\n${well}`.match(/^(?:Recommendation|No sealed|Fixed).*$/gm)?.join('\n');
    expect(said).toContain('Recommendation: seal the run.');
    expect(said).not.toMatch(/ferry\b|Fixed/);
    // An automatic restart asks nobody to find the cause first.
    expect(crashed).toMatch(/^Recommendation: nothing; ferrybot starts the next attempt unchanged\.$/m);
    expect(well).toMatch(new RegExp(`^Experiment link: the contract in #${issue} at [0-9a-f]{40}$`, 'm'));
    expect(well).not.toMatch(/@ada/);
  });

  // rule HR-67
  it('shows in the seal comment the result, the final checkpoint, the paths and the command', () => {
    const [sealed = ''] = listBotTexts(lab, 'sealed');
    for (const part of ['SUCCEEDED at step', 'Final metrics: ', `; planned was \`${RUN}\``, folders.root, 'python3'])
      expect(sealed).toContain(part);
    expect(sealed).toContain('step-1200');
    expect(sealed).not.toContain('Tomorrow');
  });

  it('stays open when the watch ends with the run', () => {
    expect(watched.all).toBeGreaterThan(0);
    expect(later).toEqual({ all: watched.all, open: 0 });
  });
});
