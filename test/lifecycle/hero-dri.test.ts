/** The DRI of a hero run: if another person wrote the contract, the DRI must accept before the launch. */

import { expect, it } from 'vitest';
import { openHeroIssue, openHeroLab, RUN } from '../support/hero-run.ts';
import { openGates } from '../support/own-pull.ts';
import { approve, stateOf, until } from '../support/play.ts';
import { codesOf } from '../support/recorded.ts';
import { answersTo, botComments, saidTwice, say, told } from '../support/talk.ts';

const HOUR_MS = 3_600_000;

function card(lab: Parameters<typeof botComments>[0]): string {
  return botComments(lab).findLast(({ kind }) => kind === 'card')?.text ?? '';
}

// rule HR-15
it('the DRI is asked by name, must accept personally, and owns the watch from the launch on', async () => {
  const lab = await openHeroLab();
  const issue = await openHeroIssue(lab, { answers: { DRI: '@mira' } });
  await until(lab, 'the question', () => told(lab, 'notice').length > 0, { limitMs: HOUR_MS });
  expect(told(lab, 'notice')).toEqual([expect.stringMatching(/`mira` is the DRI of [\s\S]*@mira/)]);
  const waiting = await stateOf(lab, RUN);
  expect(waiting === null ? null : openGates(waiting)).toEqual(['dri-accepted not-accepted']);
  expect(card(lab)).toContain('**Wanted: from the named person, for the gate `dri-accepted`');
  const why = await say(lab, 'ada', issue, '/why');
  const mine = await say(lab, 'ada', issue, '/accept');
  await lab.clock.advance(120_000);
  expect(answersTo(lab, why).join()).toMatch(
    /2 gates do not pass[\s\S]*\| `dri-accepted` \|[^|]*mira[^|]*\|[^|]*`\/accept`[^|]*\| the named person \|\n\| `approver-allowed`/,
  );
  expect(await codesOf(lab, mine)).toEqual(['accept-not-yours']);
  expect((await stateOf(lab, RUN))?.watch.owner).toBeNull();
  const yes = await say(lab, 'mira', issue, '/accept');
  await lab.clock.advance(120_000);
  expect(await codesOf(lab, yes)).toEqual(['accepted']);
  const again = await say(lab, 'mira', issue, '/accept');
  await lab.clock.advance(120_000);
  expect(await codesOf(lab, again)).toEqual(['not-now']);
  const ready = await stateOf(lab, RUN);
  expect(ready === null ? null : openGates(ready)).toEqual([]);
  expect(ready?.watch.owner).toMatchObject({ login: 'mira' });
  await approve(lab, 'mira', issue, RUN);
  await until(lab, 'a look', async () => (await stateOf(lab, RUN))?.observation != null);
  // The watch started with the launch, without a command.
  expect((await stateOf(lab, RUN))?.watch).toMatchObject({ owner: { login: 'mira' }, ended: null });
  expect(saidTwice(lab)).toEqual([]);
  await lab.close();
});

it("/why lists every open gate, the contract's missing answer included", async () => {
  const lab = await openHeroLab();
  const issue = await openHeroIssue(lab, { answers: { DRI: '@mira', 'Pre-registered loss': 'about 2' } });
  await until(lab, 'the card', () => card(lab).includes('Held back'), { limitMs: HOUR_MS });
  const why = await say(lab, 'ravi', issue, '/why');
  await lab.clock.advance(120_000);
  const [told = ''] = answersTo(lab, why);
  expect(told).toContain('3 gates do not pass');
  expect(told).toMatch(/`contract-complete` \|[^|]*\|[^|]*\| people who can edit this issue[^|]*: ada \|/);
  expect(told).toContain('| `dri-accepted` |');
  expect(told).not.toContain('nothing holds it back');
  await lab.close();
});

it('a DRI without access to the repository is reported as unknown', async () => {
  const lab = await openHeroLab();
  await openHeroIssue(lab, { answers: { DRI: '@nobody-here' } });
  await until(lab, 'the word', () => told(lab, 'notice').length > 0, { limitMs: HOUR_MS });
  expect(told(lab, 'notice').join()).toContain('No collaborator of that name');
  await lab.close();
});
