/**
 * What the real bundle launches on a real runner: one job, also for a renamed approver, without tokens in the
 * job.
 */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventsPathOf } from './attacks.ts';
import { type BundleLab, openBundleLab } from './bundle-lab.ts';
import { HARBOUR } from './bundle-world.ts';

let lab: BundleLab;
beforeAll(async () => {
  lab = await openBundleLab();
});
afterAll(() => lab.close());

it('an approval by a user who was renamed since launches, because the account id counts', async () => {
  const { users } = lab.world.state;
  const mira = Object.values(users).find((user) => user.login === 'mira');
  if (mira === undefined) throw new Error('no mira');
  users[mira.id] = { ...mira, login: 'mira-of-the-quay' };
  expect(await lab.launch()).toContain('ferrybot: submitted');
  users[mira.id] = mira;
});

// threat T206
it('the job gets only what the lab configured: no token, no key and no home of the runner', async () => {
  const environment = await environmentOfJob();
  expect(environment['HARBOUR']).toBe(HARBOUR);
  expect(environment['FERRY_DATE']).toMatch(/^\d{4}-\d\d-\d\d$/);
  const names = Object.keys(environment).filter((name) => !EXPECTED.includes(name) && !WRAPPER.test(name));
  expect(names).toEqual([]);
  const ours = Object.keys(lab.world.state.tokens);
  const keys = Object.values(lab.keys.roles).map((pair) => pair.privatePem.split('\n')[1] ?? '');
  expect(keys.every((key) => key.length > 30)).toBe(true);
  for (const secret of [...ours, ...keys]) expect(JSON.stringify(environment)).not.toContain(secret);
});

// threat T245
it('the passed secret is in no workflow log, logbook or comment', async () => {
  const { state } = lab.world;
  const logs = Object.values(state.logs).join('\n');
  expect(logs).toContain('ferrybot: submitted');
  expect(logs).not.toContain(HARBOUR);
  const logbook = await lab.git('show', `ferrybot/logbook:${await eventsPathOf(lab, lab.run)}`);
  expect(logbook).toContain('"type":"submitted"');
  expect(logbook).toContain('"***"');
  const submitted = logbook.split('\n').find((line) => line.includes('"type":"submitted"')) ?? '';
  expect(submitted).not.toContain(HARBOUR);
  await lab.sweep();
  const comments = Object.values(state.comments).map((comment) => comment.body);
  expect(comments.join('\n')).toContain(lab.run);
  expect((await readdir(lab.jobs)).filter((name) => name.startsWith('ferrybot-'))).toHaveLength(1);
});

// threat T155
it('a used order is refused when its job is re-run, and when it is dispatched again', async () => {
  const runs = Object.values(lab.world.state.runs).filter((run) => run.path.endsWith('ferrybot-launch.yml'));
  await lab.as('mira', 'POST', `/actions/runs/${runs[0]?.id}/rerun`);
  expect(await lab.runJobs()).toContain('order-used');
  expect(await lab.launch()).toContain('order-used');
  expect((await readdir(lab.jobs)).filter((name) => name.startsWith('ferrybot-'))).toHaveLength(1);
});

/** What a process of the local engine needs, what the lab's config sets, and what Python adds. */
const EXPECTED = [
  'PATH',
  'LANG',
  'HOME',
  'FERRYBOT_SUBMISSION_ID',
  'GIT_COMMIT',
  'FERRY_DATE',
  'LAB_OUTPUT_ROOT',
  'HARBOUR',
  'LC_CTYPE',
];

/** If `python3` is a wrapper script, its shell adds these. */
const WRAPPER = /^(?:_?PYENV_\w+|PWD|OLDPWD|SHLVL|_)$/;

async function environmentOfJob(): Promise<Readonly<Record<string, string>>> {
  const path = join(lab.jobs, `ferrybot-${lab.run}-a1`, 'log');
  for (let look = 0; look < 300; look += 1) {
    const found = /^ENVIRONMENT (.*)$/m.exec(await readFile(path, 'utf8'))?.[1];
    if (found !== undefined) return JSON.parse(found) as Readonly<Record<string, string>>;
    await sleep(100);
  }
  throw new Error('the job told nothing');
}
