/** The card before a hero run's launch, and the record of a source commit outside the target branch. */

import { expect, it, onTestFinished } from 'vitest';
import { filterIncidents } from '../../src/domain/incidents.ts';
import { branchHead, openHeroIssue, openHeroLab, RUN } from '../support/hero-run.ts';
import { branchOff } from '../support/own-pull.ts';
import { approve, readState, seal, until, untilState } from '../support/play.ts';
import { listBotTexts, MINUTE, pushFile, readBranchFile } from '../support/talk.ts';
import type { VirtualLab } from '../support/virtual-lab.ts';

const CONTAINER = 'ghcr.io/lab/trainer@sha256:5f70bf18';

async function open(): Promise<VirtualLab> {
  const lab = await openHeroLab();
  onTestFinished(() => lab.close());
  return lab;
}

const cardOf = (lab: VirtualLab): string =>
  listBotTexts(lab, 'card').findLast((text) => text.includes(`Run \`${RUN}\``)) ?? '';

// rule HR-09
it("a hero run's card lists for each value its origin (given, inferred or missing) and its gate", async () => {
  const lab = await open();
  await openHeroIssue(lab, { answers: { 'Final step': null, 'Container or bundle': CONTAINER } });
  await untilState(lab, RUN, (state) => state.gate != null, { limitMs: 60 * MINUTE });
  await lab.clock.advance(5 * MINUTE);
  const card = cardOf(lab);
  expect((await readState(lab, RUN))?.submission).toBeNull();
  for (const row of [
    '| DRI | `ada` | given | ✅ passes (`dri-accepted`): ',
    `| W&B run id | \`${RUN}\` | given | ✅ passes (\`tracker-own\`): `,
    `| W&B display name | \`${RUN}\` | inferred from the W&amp;B run id |  |`,
    '| Command | `FERRY_DATE=hero LAB_OUTPUT_ROOT={outputRoot} python3 experiments/ferries/daily.py` | given | ✅ passes (`manifest-complete`): ',
    '| Resume policy | `allow` | given | ✅ passes (`tracker-own`), as above |',
    '| Hardware and topology | `one machine of the lab` | given | ✅ passes (`cluster-matches`): ',
    '| Output root | `outputs/grug-moe-1e23-ep8` | given | ✅ passes (`output-root-own`): ',
    '| Checkpoints kept for rollback | `10` | given |  |',
    '| initialize_from | `none` | given | ✅ passes (`checkpoint-proven`): ',
    '| Final step |  | **missing** | ❌ fails (`contract-complete`) |',
    `| Container or bundle | \`${CONTAINER}\` | given | ✅ passes (\`container-built\`): `,
    '| FLOP budget | `1.88e18` | inferred from six operations a parameter and token |  |',
  ])
    expect(card).toContain(row);
  expect(card).toMatch(/What the launch rests on: \d+ given, \d+ inferred, 0 unclear, 1 missing/);
});

// rules HR-07, HR-14, HR-69
it('an unmerged source commit is recorded with approver, branch and container, and tagged at launch and seal', async () => {
  const lab = await open();
  await branchOff(lab, 'ada', 'ada/moe');
  await pushFile(lab, 'ada', 'ada/moe', 'lib/moe.py', 'x = 1\n');
  const source = await branchHead(lab, 'ada/moe');
  const answers = { 'Source SHA': source, Branch: 'ada/moe', 'Container or bundle': CONTAINER };
  const issue = await openHeroIssue(lab, { answers });
  await approve(lab, 'mira', issue, RUN);
  await until(lab, 'the launch', async () => (await readState(lab, RUN))?.submission != null);
  await lab.clock.advance(2 * MINUTE);
  // The source is tagged at launch too, because the branch may be deleted before the seal.
  const [kept] = filterIncidents((await readState(lab, RUN))?.incidents ?? [], 'source-kept');
  const name = `refs/tags/${kept?.detail.tag}`;
  const at = (await lab.store.refs(name)).get(name) ?? '';
  expect(await lab.store.readTag(at)).toMatchObject({
    object: source,
    message: expect.stringContaining('approved by mira'),
  });
  await until(lab, 'the end', async () => (await readState(lab, RUN))?.end != null);
  const saying = listBotTexts(lab, 'incident').filter((text) => text.includes('The tag `ferry/hero/'));
  expect(saying).toHaveLength(1);
  const markdown = (await readBranchFile(lab, 'ferrybot/logbook', `runs/2026/11/${RUN}/logbook.md`)) ?? '';
  expect(markdown).toContain(`- Git SHA: \`${source}\``);
  expect(markdown).toContain(
    `- Dirty tree: yes, pushed to \`ada/moe\`, approved by @mira, patch identity \`${source}\``,
  );
  expect(markdown).toMatch(/^- Source bundle\/container: `\S+` at `[0-9a-f]{40}`.*, in ghcr\.io\/lab\/trainer/m);
  await lab.as('ada', 'DELETE', '/git/refs/heads/ada/moe');
  await seal(lab, RUN, issue);
  const { tag = '' } = (await readState(lab, RUN))?.seal ?? {};
  const tagged = (await lab.store.refs(`refs/tags/${tag}`)).get(`refs/tags/${tag}`) ?? '';
  expect((await lab.store.readTag(tagged))?.object).toBe(source);
});
