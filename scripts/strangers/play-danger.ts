/** Danger: the rules of a team, told on a pull request by a comment and a status, and told anew in the same comment. */

import { join } from 'node:path';
import { expectTrue, type Site } from './site.ts';

const RULES = `const { danger, warn, message, fail } = require('danger');
warn('The pull request has no description.');
message('Files: ' + danger.git.modified_files.join(', '));
if (danger.github.pr.title === 'Sail') fail('The title says too little.');
`;

export async function playDanger(site: Site, home: string): Promise<readonly string[]> {
  const { lab } = site;
  await lab.push({ 'a.txt': 'one\n', 'dangerfile.js': RULES });
  await lab.push({ 'a.txt': 'two\n' }, { branch: 'ferry' });
  await lab.api('POST', '/pulls', { title: 'Sail', head: 'ferry', base: 'main', body: 'b' });
  const cwd = await site.clone('ada');
  const { body } = await lab.api('GET', '/pulls/1');
  const event = await site.write(
    'event.json',
    JSON.stringify({ pull_request: body, repository: { full_name: 'lab/model' } }),
  );
  const env = {
    GITHUB_WORKFLOW: 'CI',
    GITHUB_EVENT_NAME: 'pull_request',
    GITHUB_EVENT_PATH: event,
    GITHUB_REPOSITORY: 'lab/model',
    DANGER_GITHUB_API_BASE_URL: `${lab.url}/api/v3`,
    DANGER_GITHUB_API_TOKEN: site.token('mira'),
  };
  const danger = (): Promise<string> =>
    site.run(process.execPath, [join(home, 'node_modules/danger/distribution/commands/danger.js'), 'ci'], { cwd, env });
  await danger();
  const comments = (): readonly string[] => Object.values(lab.world.state.comments).map((one) => one.body);
  expectTrue(
    comments().length === 1 && (comments()[0] ?? '').includes('The title says too little.'),
    'one comment with the failure',
  );
  const statuses = (): readonly string[] => Object.values(lab.world.state.statuses).map((one) => one.state);
  expectTrue(statuses().at(-1) === 'failure', `the status is red: ${statuses().join()}`);
  await lab.api('PATCH', '/pulls/1', { title: 'Sail to the south' });
  await danger();
  expectTrue(
    comments().length === 1 && !(comments()[0] ?? '').includes('The title says too little.'),
    'the same comment, told anew',
  );
  expectTrue(statuses().at(-1) === 'success', 'the status is green');
  return [
    'read the pull request and its diff',
    'commented',
    'set a red status',
    'edited its comment',
    'set a green status',
  ];
}
