// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are GitHub's expressions, not templates
/** The control key from outside: no workflow on a writer's own branch gets it. */

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { push } from './attacks.ts';
import { type BundleWorld, bookmark, openBundleWorld, proposedIn } from './bundle-world.ts';

let lab: BundleWorld;
let rewind: () => Promise<void>;
beforeAll(async () => {
  lab = await openBundleWorld({ server: false });
  await lab.runJobs();
  rewind = await bookmark(lab);
});
afterEach(() => rewind());
afterAll(() => lab.close());

const FOLDER = '.github/workflows';
/** Hex output is not masked in a log. */
const READS = 'run: printf %s "$KEY" | od -An -tx1 | tr -d " \\n"';
const reading = (event: string, environment: string): string =>
  `on: ${event}\njobs:\n  read:\n    runs-on: ubuntu-latest\n${environment}    steps:\n      - ${READS}\n        env: {KEY: "\${{ secrets.FERRYBOT_CONTROL_KEY }}"}\n`;
const IN_THE_ENVIRONMENT = '    environment: ferrybot-control\n';

/** Whether the jobs printed the key's text in hex. */
async function isTold(): Promise<boolean> {
  const printed = await lab.runJobs();
  return printed.includes(Buffer.from(lab.keys.roles.control.privatePem).toString('hex').slice(0, 400));
}

const conclusions = (): readonly (string | null)[] =>
  Object.values(lab.world.state.runs)
    .filter(({ path }) => path.endsWith('mine.yml'))
    .map(({ conclusion }) => conclusion);

describe('the control key', () => {
  // threat T146
  it.each([
    ['without the environment', '', 'success'],
    ['that requests the environment', IN_THE_ENVIRONMENT, 'failure'],
  ])(
    'is not given to a workflow of a branch %s',
    async (_, environment, conclusion) => {
      await push(lab, 'mine', { files: { [`${FOLDER}/mine.yml`]: reading('push', environment) } });
      expect(await isTold()).toBe(false);
      expect(conclusions()).toEqual([conclusion]);
    },
    60_000,
  );

  // threat T147
  it('is not given to a workflow of a pull request or of its review', async () => {
    const event = '{pull_request: {}, pull_request_review: {}}';
    await push(lab, 'mine', { files: { [`${FOLDER}/mine.yml`]: reading(event, IN_THE_ENVIRONMENT) } });
    const pull = (await lab.as('ada', 'POST', '/pulls', { title: 'Mine', head: 'mine', base: 'main' })) as {
      readonly number: number;
    };
    await lab.as('ravi', 'POST', `/pulls/${pull.number}/reviews`, { body: 'Well.', event: 'COMMENT' });
    expect(await isTold()).toBe(false);
    expect(conclusions()).toEqual(['failure', 'failure']);
  });

  // threat T148
  it('is not given to an edited chat workflow that is started on a branch', async () => {
    const chat = await lab.git('show', `main:${FOLDER}/ferrybot-chat.yml`);
    const edited = chat.replace(
      / {4}steps:\n[\s\S]*/,
      `    steps:\n      - ${READS}\n        env: {KEY: "\${{ secrets.FERRYBOT_CONTROL_KEY }}"}\n`,
    );
    await push(lab, 'mine', { files: { [`${FOLDER}/ferrybot-chat.yml`]: edited } });
    await lab.as('ada', 'POST', '/actions/workflows/ferrybot-chat.yml/dispatches', { ref: 'mine' });
    expect(await isTold()).toBe(false);
  });

  it('is readable if the repository has it as a secret too (so that this test can fail)', async () => {
    for (const [id, repo] of Object.entries(lab.world.state.repos))
      lab.world.state.repos[id] = { ...repo, secrets: { FERRYBOT_CONTROL_KEY: lab.keys.roles.control.privatePem } };
    await push(lab, 'mine', { files: { [`${FOLDER}/mine.yml`]: reading('push', '') } });
    expect(await isTold()).toBe(true);
  });
});

describe('a lab without a server', () => {
  it('answers a comment immediately, and a review at the next run of its cron', async () => {
    const { pull } = (await proposedIn(lab)).proposal;
    const answers = async (): Promise<number> => {
      await lab.runJobs();
      const comments = await lab.as('mira', 'GET', `/issues/${pull}/comments`);
      return (Array.isArray(comments) ? comments : []).filter(({ user }) => user.type === 'Bot').length;
    };
    const card = await answers();
    await lab.as('mira', 'POST', `/issues/${pull}/comments`, { body: '/status' });
    expect(await answers()).toBe(card + 1);
    await lab.as('mira', 'POST', `/pulls/${pull}/reviews`, { body: '/status', event: 'COMMENT' });
    expect(await answers()).toBe(card + 1);
    await lab.as('mira', 'POST', '/actions/workflows/ferrybot-chat.yml/dispatches', { ref: 'main' });
    expect(await answers()).toBe(card + 2);
  });
});
