/** Which files of a change would be run while it is submitted. */

import { expect, it } from 'vitest';
import { readLabConfig } from '../../src/app/config-source.ts';
import { isBuildFile } from '../../src/run/build-files.ts';
import { changed } from '../config/small-config.ts';

it.each([
  'pyproject.toml',
  'lib/marin/pyproject.toml',
  'lib/marin/PyProject.toml',
  'uv.lock',
  '.python-version',
  'lib/a/setup.py',
  'lib/a/hatch_build.py',
  'requirements-dev.txt',
  'experiments/sitecustomize.py',
  '.venv/bin/python',
  'lib/evil.pth',
  'lib/a.egg-info/entry_points.txt',
  '.marin.yaml',
  '.tool-versions',
  'mise.toml',
  'lib/rust/.cargo/config.toml',
])('%s is one', (path) => expect(isBuildFile(path)).toBe(true));

it.each(['experiments/ferries/daily.py', 'lib/marin/setup_helpers.py', 'docs/requirements.md', 'venv.py'])(
  '%s is none',
  (path) => expect(isBuildFile(path)).toBe(false),
);

it('no ferry may have one in its scope where a script submits', () => {
  const text = (cluster: string): string =>
    changed(
      'local: { engine: local, acceleratorHoursPerRun: "2.5" }',
      `local: { engine: ray, acceleratorHoursPerRun: "2.5", ${cluster} }`,
    ).replace('scope: [experiments/daily.py]', 'scope: [experiments/daily.py, pyproject.toml]');
  const reading = readLabConfig(text('dashboard: "http://10.0.0.2:8265", scripts: {}'));
  expect(reading.kind === 'invalid' && reading.problems.map(({ code }) => code)).toContain('scope-builds');
  expect(readLabConfig(text('dashboard: "http://10.0.0.2:8265"')).kind).toBe('valid');
});
