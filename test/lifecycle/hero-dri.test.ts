/** The DRI of a hero run: if another person wrote the contract, the DRI must accept before the launch. */

import { expect, it } from 'vitest';
import { openHeroIssue, openHeroLab, RUN } from '../support/hero-run.ts';
import { listOpenGates } from '../support/own-pull.ts';
import { approve, readState, until } from '../support/play.ts';
import { listAnswerCodes } from '../support/recorded.ts';
import { listAnswersTo, listBotComments, listBotTexts, listRepeatedComments, postComment } from '../support/talk.ts';

const HOUR_MS = 3_600_000;

function card(lab: Parameters<typeof listBotComments>[0]): string {
  return listBotComments(lab).findLast(({ kind }) => kind === 'card')?.text ?? '';
}

// rule HR-15
it('the DRI is asked by name, must accept personally, and owns the watch from the launch on', async () => {
  const lab = await openHeroLab();
  const issue = await openHeroIssue(lab, { answers: { DRI: '@mira' } });
  await until(lab, 'the question', () => listBotTexts(lab, 'notice').length > 0, { limitMs: HOUR_MS });
  expect(listBotTexts(lab, 'notice')).toEqual([expect.stringMatching(/`mira` is the DRI of [\s\S]*@mira/)]);
  const waiting = await readState(lab, RUN);
  expect(waiting === null ? null : listOpenGates(waiting)).toEqual(['dri-accepted not-accepted']);
  expect(card(lab)).toContain('**Wanted: from the named person, for the gate `dri-accepted`');
  const why = await postComment(lab, 'ada', issue, '/why');
  const mine = await postComment(lab, 'ada', issue, '/accept');
  await lab.clock.advance(120_000);
  expect(listAnswersTo(lab, why).join()).toMatch(
    /2 gates do not pass[\s\S]*\| `dri-accepted` \|[^|]*mira[^|]*\|[^|]*`\/accept`[^|]*\| the named person \|\n\| `approver-allowed`/,
  );
  expect(await listAnswerCodes(lab, mine)).toEqual(['accept-not-yours']);
  expect((await readState(lab, RUN))?.watch.owner).toBeNull();
  const yes = await postComment(lab, 'mira', issue, '/accept');
  await lab.clock.advance(120_000);
  expect(await listAnswerCodes(lab, yes)).toEqual(['accepted']);
  const again = await postComment(lab, 'mira', issue, '/accept');
  await lab.clock.advance(120_000);
  expect(await listAnswerCodes(lab, again)).toEqual(['not-now']);
  const ready = await readState(lab, RUN);
  expect(ready === null ? null : listOpenGates(ready)).toEqual([]);
  expect(ready?.watch.owner).toMatchObject({ login: 'mira' });
  await approve(lab, 'mira', issue, RUN);
  await until(lab, 'a look', async () => (await readState(lab, RUN))?.observation != null);
  // The watch started with the launch, without a command.
  expect((await readState(lab, RUN))?.watch).toMatchObject({ owner: { login: 'mira' }, ended: null });
  expect(listRepeatedComments(lab)).toEqual([]);
  await lab.close();
});

it("/why lists every open gate, the contract's missing answer included", async () => {
  const lab = await openHeroLab();
  const issue = await openHeroIssue(lab, { answers: { DRI: '@mira', 'Pre-registered loss': 'about 2' } });
  await until(lab, 'the card', () => card(lab).includes('Held back'), { limitMs: HOUR_MS });
  const why = await postComment(lab, 'ravi', issue, '/why');
  await lab.clock.advance(120_000);
  const [told = ''] = listAnswersTo(lab, why);
  expect(told).toContain('3 gates do not pass');
  expect(told).toMatch(/`contract-complete` \|[^|]*\|[^|]*\| people who can edit this issue[^|]*: ada \|/);
  expect(told).toContain('| `dri-accepted` |');
  expect(told).not.toContain('nothing holds it back');
  await lab.close();
});

it('a DRI without access to the repository is reported as unknown', async () => {
  const lab = await openHeroLab();
  await openHeroIssue(lab, { answers: { DRI: '@nobody-here' } });
  await until(lab, 'the word', () => listBotTexts(lab, 'notice').length > 0, { limitMs: HOUR_MS });
  expect(listBotTexts(lab, 'notice').join()).toContain('No collaborator of that name');
  await lab.close();
});
