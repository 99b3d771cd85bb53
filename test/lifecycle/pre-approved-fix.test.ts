/**
 * A small error in a file that the approved manifest pre-approves is fixed and relaunched once without
 * another approval.
 */

import { describe, expect, it } from 'vitest';
import { filterIncidents, incidentDraft } from '../../src/domain/incidents.ts';
import { forge, type Pushing } from '../campaign/forging.ts';
import { ferryScript } from '../support/ferry-script.ts';
import { approve, propose, readState, until } from '../support/play.ts';
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
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

const REPORT = 'lib/smalllab/report.py';
const TEXT = '"""What is told of a run."""\n\nimport json\n\nHALF_TURN = math.pi\nprint(json)\n';
const FIXED = TEXT.replace('import json\n', 'import json\nimport math\n');
const MISSING = "NameError: name 'math' is not defined. Did you forget to import 'math'?";

function traceback(file: string, name = 'math'): string {
  return `Traceback (most recent call last):
  File "/tmp/job/experiments/ferries/daily.py", line 12, in <module>
    from smalllab.train import default_train
  File "/tmp/job/${file}", line 5, in <module>
    HALF_TURN = ${name}.pi
${MISSING}`;
}

type Play = {
  readonly file?: string;
  readonly named?: string;
  readonly deaths?: number;
  readonly meanwhile?: (lab: VirtualLab, run: string, pull: number) => Promise<unknown>;
};

async function died({ file = REPORT, named = 'lib/smalllab', deaths = 1, meanwhile }: Play = {}) {
  let started = 0;
  const script = () => {
    started += 1;
    const failAt = started > deaths ? null : { step: 1, line: traceback(file), exitCode: 1 };
    return ferryScript({ ...SHORT_FERRY, failAt });
  };
  const config = (text: string) => text.replace(/preApprovedFixes: .*/, `preApprovedFixes: [${named}]`);
  const lab = await openVirtualLab({ script, config });
  await pushFile(lab, 'ada', 'main', file, TEXT);
  await lab.clock.advance(MINUTE);
  const { run, pull } = await propose(lab);
  await approve(lab, 'mira', pull);
  await until(lab, 'the job', async () => (await readState(lab, run))?.submission != null);
  const launched = await readState(lab, run);
  await meanwhile?.(lab, run, pull);
  const hasEnded = async () => {
    const state = await readState(lab, run);
    return state !== null && (state.end !== null || state.attempts.length > 0);
  };
  await until(lab, 'the end', hasEnded, { stepMs: 5_000 });
  return { lab, run, pull, launched, now: () => readState(lab, run) };
}

async function refusals({ now }: Pick<Awaited<ReturnType<typeof died>>, 'now'>): Promise<readonly string[]> {
  return filterIncidents((await now())?.incidents ?? [], 'runner-refused').map(({ detail }) => detail.reason);
}

describe('a small error in a pre-approved file', () => {
  it('is fixed, posted as a diff, and relaunched without another approval', async () => {
    const played = await died();
    const { lab, launched, now } = played;
    await until(lab, 'the second attempt', async () => (await now())?.submission?.attempt === 2);
    const state = await now();
    expect(state?.order?.order.preApprovedBy).toBe(launched?.order?.order.digest);
    expect(state?.order?.order.approvals).toEqual(launched?.order?.order.approvals);
    expect(await readBranchFile(lab, `ferrybot/proposal/${played.run}`, REPORT)).toBe(FIXED);
    expect(await refusals(played)).toEqual([]);
    await lab.clock.advance(2 * MINUTE);
    expect(listBotTexts(lab, 'incident').join()).toContain('without another approval');
    expect(listBotTexts(lab, 'incident').join()).toContain('\n+import math\n');
    const launch = listBotComments(lab).findLast(({ kind }) => kind === 'launched' || kind === 'launch')?.text ?? '';
    expect(launch).toContain('which permits one automatic fix');
    expect(launch).toContain('\n+import math\n');
    await until(lab, 'its end', async () => (await now())?.end?.attempt === 2, { stepMs: MINUTE });
    expect((await now())?.end?.status).toBe('SUCCEEDED');
    expect(listRepeatedComments(lab)).toEqual([]);
    await lab.close();
  });

  it('needs an approval if the manifest does not name the file', async () => {
    const played = await died({ named: 'lib/marin' });
    await played.lab.clock.advance(20 * MINUTE);
    expect(filterIncidents((await played.now())?.incidents ?? [], 'fix-made')).toHaveLength(1);
    expect(played.lab.engine.startCount()).toBe(1);
    await played.lab.close();
  });

  it('needs an approval if the file concerns the optimizer, even if it is named', async () => {
    const played = await died({ file: 'lib/smalllab/schedule.py' });
    await played.lab.clock.advance(20 * MINUTE);
    expect(filterIncidents((await played.now())?.incidents ?? [], 'fix-made')).toHaveLength(1);
    expect(played.lab.engine.startCount()).toBe(1);
    await played.lab.close();
  });

  it('is relaunched once: the same failure again needs a person', async () => {
    const { lab, now } = await died({ deaths: 2 });
    await until(lab, 'the second end', async () => (await now())?.end?.attempt === 2, { stepMs: MINUTE });
    await lab.clock.advance(30 * MINUTE);
    expect(filterIncidents((await now())?.incidents ?? [], 'fix-made')).toHaveLength(1);
    expect(lab.engine.startCount()).toBe(2);
    await lab.close();
  });

  it('is not relaunched during a `/hold`', async () => {
    const { lab } = await died({ meanwhile: (at, _, pull) => postComment(at, 'mira', pull, '/hold reason="look"') });
    await lab.clock.advance(20 * MINUTE);
    expect(lab.engine.startCount()).toBe(1);
    await lab.close();
  });
});

// threat T215
it('a foreign commit recorded as the fix with the stolen control key is refused with fix-not-approved', async () => {
  const { lab, now } = await died({
    meanwhile: async (at, run) => {
      const ref = `refs/heads/ferrybot/proposal/${run}`;
      await pushFile(at, 'ada', `ferrybot/proposal/${run}`, REPORT, `${FIXED}print("mine")\n`);
      const commit = (await at.store.refs(ref)).get(ref) ?? '';
      const base = (await readState(at, run))?.submission?.commit ?? '';
      const pushing: Pushing = {
        lab: at,
        deeds: [],
        ask: async (_, method, path, body) => ({ status: 200, json: await at.as('ada', method, path, body) }),
      };
      const made = { attempt: 1, commit, base, place: `${REPORT}:5`, diff: '+import math' };
      expect(await forge(pushing, run, [incidentDraft('control', 'fix-made', made)])).toBe(true);
    },
  });
  await postComment(lab, 'ada', (await now())?.proposal.issue ?? 0, 'Mended on the branch.');
  await lab.clock.advance(20 * MINUTE);
  expect(await refusals({ now })).toEqual(['fix-not-approved']);
  expect(lab.engine.startCount()).toBe(1);
  await lab.close();
});
