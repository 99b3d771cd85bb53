/**
 * The runner's own check of files that a change would build near the token, independent of earlier gate
 * results. On real git.
 */

import { expect, it } from 'vitest';
import { readLabConfig } from '../../src/app/config-source.ts';
import type { OpenLab } from '../../src/app/open-lab.ts';
import { checkBuildFiles } from '../../src/app/runner/ship-job.ts';
import { replaceInConfig } from '../config/small-config.ts';
import { AT_MS, createBareRepository, pushFirstCommit } from '../host/git/scratch-repository.ts';
import { inLane } from '../support/run-parts.ts';

const configOf = (cluster: string): OpenLab['config'] => {
  const reading = readLabConfig(
    replaceInConfig(
      'local: { engine: local, acceleratorHoursPerRun: "2.5" }',
      `local: { ${cluster}, acceleratorHoursPerRun: "2.5" }`,
    ),
  );
  if (reading.kind !== 'valid') throw new Error(JSON.stringify(reading.problems));
  return reading.config;
};
const SCRIPTS = 'engine: ray, dashboard: "http://10.0.0.2:8265", scripts: {}';

// threat T61
it('refuses a change to a build file and names it, but ignores later changes on main', async () => {
  const git = (await createBareRepository()).client() as unknown as OpenLab['git'];
  const base = await pushFirstCommit(git, { 'pyproject.toml': '[project]\n', 'experiments/daily.py': 'a = 1\n' });
  const commit = async (ref: string, parent: typeof base, files: Readonly<Record<string, string>>) => {
    const expected = ref === 'refs/heads/main' ? parent : null;
    const made = await git.commitAndPush({ ref, expected, parent, files, message: 'more', atMs: AT_MS });
    if (made.kind !== 'pushed') throw new Error(JSON.stringify(made));
    return made.sha;
  };
  const honest = await commit('refs/heads/honest', base, { 'experiments/daily.py': 'a = 2\n' });
  const evil = await commit('refs/heads/evil', base, {
    'pyproject.toml': '[build-system]\n',
    'lib/new/.python-version': './python\n',
  });
  await commit('refs/heads/main', base, { 'uv.lock': 'newer\n' });
  await git.fetch();
  const config = inLane(configOf(SCRIPTS));
  expect(await checkBuildFiles({ config, git }, honest, 'main')).toEqual({ kind: 'same', isBuilt: true });
  expect(await checkBuildFiles({ config, git }, evil, 'main')).toEqual({
    kind: 'refused',
    code: 'build-files-changed',
    effect: 'ending',
    why: 'lib/new/.python-version, pyproject.toml',
  });
  expect(await checkBuildFiles({ config, git }, honest, 'nowhere')).toMatchObject({ code: 'unreadable' });
  const local = inLane(configOf('engine: local'));
  expect(await checkBuildFiles({ config: local, git }, evil, 'main')).toEqual({ kind: 'same', isBuilt: false });
});
