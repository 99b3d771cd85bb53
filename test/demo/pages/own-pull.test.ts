/** A newcomer tries a pull request: the page opens it, and the bot makes a ferry of it. */

import { expect, it } from 'vitest';
import { ownRunName, readGates } from '../../support/own-pull.ts';
import { postComment, readBranchFile } from '../../support/talk.ts';
import { openFerrySite } from './ferry-site.ts';

it('a pull request is opened by a button, and becomes a ferry with a command', async () => {
  const site = await openFerrySite();
  const press = (cookie: string): Promise<Response> =>
    fetch(`${site.home}/own-pull`, {
      method: 'POST',
      headers: { ...site.headers, cookie, accept: 'application/json', 'sec-fetch-site': 'same-origin' },
      redirect: 'manual',
    });
  expect(await (await fetch(`${site.home}/pulls`, { headers: site.headers })).text()).toContain(
    'Try a pull request of your own',
  );
  const opened = await press('playground_speaker=ada');
  expect(opened.status).toBeLessThan(400);
  const [pull] = Object.values(site.lab.world.state.issues).filter((one) => one.pull !== null);
  expect(pull?.pull?.headRef).toMatch(/^ada\/warmup-80$/);
  const number = pull?.number ?? 0;
  await postComment(site.lab, 'ada', number, '/propose');
  expect((await readGates(site.lab, ownRunName(number))).proposal.own).toEqual({ label: null });
  expect((await press('playground_speaker=ada')).status).toBeGreaterThanOrEqual(400);
  await site.close();
});

it('another button opens a pull request with a missing import', async () => {
  const site = await openFerrySite();
  expect(await (await fetch(`${site.home}/pulls`, { headers: site.headers })).text()).toContain(
    'a job that dies of a missing import',
  );
  const opened = await fetch(`${site.home}/slip`, {
    method: 'POST',
    headers: {
      ...site.headers,
      cookie: 'playground_speaker=ada',
      accept: 'application/json',
      'sec-fetch-site': 'same-origin',
    },
    redirect: 'manual',
  });
  expect(opened.status).toBeLessThan(400);
  const [pull] = Object.values(site.lab.world.state.issues).filter((one) => one.pull !== null);
  expect(pull?.pull?.headRef).toBe('ada/tidy-imports');
  const text = await readBranchFile(site.lab, 'ada/tidy-imports', 'lib/smalllab/config.py');
  expect(text).toContain('@dataclasses.dataclass');
  expect(text).not.toContain('import dataclasses');
  await site.close();
});
