/** act: a workflow of the repository on this machine, whose step speaks to the playground's API. */

import { join } from 'node:path';
import { expectTrue, type Site } from './site.ts';

const WORKFLOW = `name: CI
on: [push]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - env: {TOKEN: "\${{ secrets.GITHUB_TOKEN }}"}
        run: |
          curl -sf -A act -X POST -H "authorization: Bearer $TOKEN" \\
            -d '{"state":"success","context":"act"}' "$API_OF_LAB/repos/lab/model/statuses/$GITHUB_SHA"
`;

export async function playAct(site: Site): Promise<readonly string[]> {
  const { lab } = site;
  await lab.push({ '.github/workflows/ci.yml': WORKFLOW });
  const cwd = await site.clone('ada');
  const program = join(import.meta.dirname, '../../.tools/bin/act');
  const flags = ['-P', 'ubuntu-latest=-self-hosted', '--env', `API_OF_LAB=${lab.url}/api/v3`];
  const secrets = ['-s', `GITHUB_TOKEN=${site.token('ada')}`];
  await site.run(program, ['push', ...flags, ...secrets], { cwd, env: { XDG_CACHE_HOME: join(site.folder, 'cache') } });
  expectTrue(
    Object.values(lab.world.state.statuses).some(({ context }) => context === 'act'),
    'the step set a status',
  );
  return ['ran a workflow of a clone', 'set a status from its step'];
}
