/** Probot: an App of a few lines, started by `probot run`. */

import { join } from 'node:path';
import { execa } from 'execa';
import { expectTrue, freePort, type Site, waitUntil } from './site.ts';

/** As Probot's documentation begins, and a deployment as ChatOps bots make one: reaction, permission, deployment, statuses, check. */
const APP = `export default (app) => {
  app.on('issues.opened', (context) =>
    context.octokit.rest.issues.createComment(context.issue({ body: 'Thanks for opening this issue!' })));
  app.on('issue_comment.created', async (context) => {
    const { comment, issue } = context.payload;
    if (comment.body !== '.deploy' || !issue.pull_request) return;
    const { rest } = context.octokit;
    await rest.reactions.createForIssueComment(context.repo({ comment_id: comment.id, content: 'rocket' }));
    const { data: role } = await rest.repos.getCollaboratorPermissionLevel(context.repo({ username: comment.user.login }));
    if (role.permission !== 'write') return;
    const { data: pull } = await rest.pulls.get(context.pullRequest());
    const { data: check } = await rest.checks.create(context.repo({ name: 'deploy', head_sha: pull.head.sha, status: 'in_progress' }));
    const { data: made } = await rest.repos.createDeployment(context.repo({
      ref: pull.head.ref, environment: 'staging', auto_merge: false, required_contexts: [] }));
    const about = context.repo({ deployment_id: made.id });
    await rest.repos.createDeploymentStatus({ ...about, state: 'in_progress' });
    await rest.repos.createDeploymentStatus({ ...about, state: 'success', environment_url: 'http://staging.test/' });
    await rest.checks.update(context.repo({ check_run_id: check.id, conclusion: 'success' }));
  });
};
`;

export async function playProbot(site: Site, home: string): Promise<readonly string[]> {
  const { lab } = site;
  await lab.push({ 'a.txt': 'one\n' });
  await lab.push({ 'a.txt': 'two\n' }, { branch: 'ferry' });
  const app = await site.write('app.mjs', APP);
  await using _running = await startProbot(site, home, app, ['issues', 'issue_comment']);
  await lab.api('POST', '/issues', { title: 'Flat' });
  const { comments } = lab.world.state;
  await waitUntil('the App greets', () => Object.values(comments).some(({ body }) => body.startsWith('Thanks')));
  await lab.api('POST', '/pulls', { title: 'Sail', head: 'ferry', base: 'main', body: 'b' });
  await lab.api('POST', '/issues/2/comments', { body: '.deploy' });
  const { deployments, checkRuns } = lab.world.state;
  await waitUntil('the deployment is over', () =>
    Object.values(checkRuns).some(({ conclusion }) => conclusion === 'success'),
  );
  const states = Object.values(deployments).flatMap(({ statuses }) => statuses.map(({ state }) => state));
  expectTrue(states.join() === 'in_progress,success', `the deployment went its way: ${states.join()}`);
  return ['heard webhooks', 'commented', 'reacted', 'asked for a permission', 'deployed with statuses', 'ran a check'];
}

async function startProbot(site: Site, home: string, app: string, events: readonly string[]): Promise<AsyncDisposable> {
  const port = await freePort();
  const { id, privateKey, secret } = site.app(port, events);
  const running = execa(process.execPath, [join(home, 'node_modules/probot/bin/probot.js'), 'run', app], {
    cwd: site.folder,
    reject: false,
    all: true,
    extendEnv: false,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: site.folder,
      APP_ID: `${id}`,
      PRIVATE_KEY: privateKey,
      WEBHOOK_SECRET: secret,
      PORT: `${port}`,
      // Probot 12 listens elsewhere by itself.
      WEBHOOK_PATH: '/api/github/webhooks',
      HOST: '127.0.0.1',
      GHE_HOST: new URL(site.lab.url).host,
      GHE_PROTOCOL: 'http',
      LOG_LEVEL: 'info',
      NODE_ENV: 'production',
    },
  });
  const over = running.then((done) => done.all);
  await waitUntil('the App listens', async () => {
    const ended = await Promise.race([over, Promise.resolve(null)]);
    if (ended !== null) throw new Error(`Probot ended: ${ended.slice(-2_000)}`);
    return fetch(`http://127.0.0.1:${port}/ping`).then(
      () => true,
      () => false,
    );
  });
  return {
    [Symbol.asyncDispose]: async () => {
      running.kill();
      await over;
    },
  };
}
