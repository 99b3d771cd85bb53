/** A newcomer starts a job by hand: the page starts it, the bot adopts it, and the owner hands it off. */

import { expect, it } from 'vitest';
import { isAdopted } from '../../../src/domain/logbook/holdings.ts';
import { commentAndReadAnswer, JOB_ID, openAdoptingLab, runOf, startJobByHand } from '../../support/adopted-job.ts';
import { readState, until } from '../../support/play.ts';
import { type FerrySite, openFerrySite } from './ferry-site.ts';

const pressAsAda = ({ home, headers }: FerrySite): Promise<Response> =>
  fetch(`${home}/own-job`, {
    method: 'POST',
    headers: {
      ...headers,
      cookie: 'playground_speaker=ada',
      accept: 'application/json',
      'sec-fetch-site': 'same-origin',
    },
    redirect: 'manual',
  });

const issues = async ({ home, headers }: FerrySite): Promise<string> =>
  (await fetch(`${home}/issues`, { headers })).text();

it('a job is started by a button, adopted with the command in its issue, and handed off', async () => {
  const started: string[] = [];
  const site = await openFerrySite({
    open: openAdoptingLab,
    pages: (lab) => ({
      startOwnJob: async (login) => {
        started.push(login);
        startJobByHand(lab);
        return { jobId: JOB_ID, cluster: 'us-central1', experiment: 'experiments/ferries/daily.py' };
      },
    }),
  });
  const { lab } = site;
  expect(await issues(site)).toContain('Try a job of your own');
  expect((await pressAsAda(site)).status).toBeLessThan(400);
  expect(started).toEqual(['ada']);
  const [issue] = Object.values(lab.world.state.issues);
  if (issue === undefined) throw new Error('no issue was opened');
  const line = /^\/watch .*$/m.exec(issue.body ?? '')?.[0] ?? '';
  // A command in a code block does not count yet.
  expect(await readState(lab, runOf(issue.number))).toBeNull();
  expect(await commentAndReadAnswer(lab, 'mira', issue.number, line)).toBe('adopt-asked');
  const run = runOf(issue.number);
  await until(lab, 'what the job is', async () => (await readState(lab, run))?.description != null);
  await lab.clock.advance(60_000);
  expect(await commentAndReadAnswer(lab, 'mira', issue.number, '/accept')).toBe('job-adopted');
  await commentAndReadAnswer(lab, 'mira', issue.number, '/handoff @ada');
  expect(await commentAndReadAnswer(lab, 'ada', issue.number, '/accept')).toBe('accepted');
  const state = await readState(lab, run);
  expect(state !== null && isAdopted(state)).toBe(true);
  expect(state?.watch.owner?.login).toBe('ada');
  await site.close();
});

it("the button to start a job is not offered if the lab's cluster is not this machine", async () => {
  const site = await openFerrySite();
  expect(await issues(site)).not.toContain('Try a job of your own');
  expect((await pressAsAda(site)).status).toBeGreaterThanOrEqual(400);
  await site.close();
});
