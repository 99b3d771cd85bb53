/** What users check in a repository before they trust its releases: owners, updates, and release notes. */

import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { OWN_JOBS } from './workflow-parts.ts';
import { readWorkflow } from './workflow-shape.ts';

const ROOT = join(import.meta.dirname, '../..');
const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

describe('CODEOWNERS', () => {
  const rows = textOf('.github/CODEOWNERS')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(/\s+/));
  /** The last matching pattern decides, as on GitHub. */
  const ownersOf = (path: string): readonly string[] =>
    rows
      .findLast(
        ([pattern = '']) =>
          pattern === '*' || path === pattern.slice(1) || (pattern.endsWith('/') && path.startsWith(pattern.slice(1))),
      )
      ?.slice(1) ?? [];

  it('gives every path an owner, and names only existing paths', () => {
    expect(rows.filter(([, ...owners]) => owners.length === 0)).toEqual([]);
    expect(ownersOf('docs/anything.md')).toEqual(['@ferrybot/maintainers']);
    const paths = rows.flatMap(([pattern = '']) => (pattern === '*' ? [] : [pattern]));
    expect(paths.filter((path) => !path.startsWith('/') || !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it.each([
    '.github/workflows/release.yml',
    '.github/CODEOWNERS',
    'action.yml',
    'package-lock.json',
    'src/actions/verify-order.ts',
    'src/app/runner/ship-job.ts',
    'src/engines/ray/scripts/submit.ts',
    'src/gates/gate.ts',
    'src/logbook/store/append.ts',
    'src/host/process.ts',
    'test/trust/attacks.ts',
    'fixtures/lab/.github/workflows/ferrybot-launch.yml',
  ])('requires a security review for %s', (path) => {
    expect(ownersOf(path)).toEqual(['@ferrybot/maintainers', '@ferrybot/security']);
  });
});

describe('updates', () => {
  const updates = z
    .object({
      version: z.literal(2),
      updates: z.array(
        z.looseObject({
          'package-ecosystem': z.string(),
          directory: z.string(),
          schedule: z.object({ interval: z.string() }),
          cooldown: z.object({ 'default-days': z.int().min(7) }),
        }),
      ),
    })
    .parse(parse(textOf('.github/dependabot.yml')));

  it('cover actions, packages and the Python of the tests, and wait a week before each update', () => {
    const kinds = updates.updates.map((one) => `${one['package-ecosystem']} ${one.directory}`);
    expect(kinds.toSorted()).toEqual(['github-actions /', 'npm /', 'npm /checks', 'pip /scripts/setup']);
    for (const { directory } of updates.updates) expect(existsSync(join(ROOT, directory))).toBe(true);
  });
});

describe('a release', () => {
  const workflow = readWorkflow(textOf('.github/workflows/release.yml'));
  const notes = (...args: readonly string[]) =>
    execa(process.execPath, [join(ROOT, 'scripts/release-notes.ts'), ...args], { reject: false });
  const COMMIT = 'fedcba98'.repeat(5);

  it('signs the bundle that another job built, and is published after that', () => {
    const { build, attest, publish } = workflow.jobs;
    expect(Object.keys(workflow.jobs)).toEqual(['build', 'attest', 'publish', 'npm', 'image']);
    expect(build?.steps.map(({ run }) => run)).toContain('node scripts/pack-package.ts .');
    expect([attest?.['needs'], publish?.['needs']]).toEqual(['build', 'attest']);
    for (const name of ['npm', 'image']) expect(workflow.jobs[name]?.['needs']).toBe('attest');
    const subjects = String(attest?.steps.at(-1)?.with['subject-path']).trim().split('\n');
    expect(subjects).toEqual(['action.yml', 'dist/index.js', 'dist/program.js', 'ferrybot-*.tgz']);
    expect(Object.keys(OWN_JOBS)).toEqual(expect.arrayContaining(['release/attest', 'release/publish']));
  });

  it('is a branch with the bundle, and with workflows that name the commit of the bundle', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ferrybot-release-'));
    const [origin, checkout] = [join(folder, 'origin.git'), join(folder, 'checkout')];
    const git = async (...args: readonly string[]): Promise<string> =>
      (await execa('git', ['-C', checkout, ...args])).stdout;
    await execa('git', ['init', '--quiet', '--bare', origin]);
    await execa('git', ['clone', '--quiet', origin, checkout]);
    await cp(join(ROOT, '.github/workflows'), join(checkout, '.github/workflows'), { recursive: true });
    await writeFile(join(checkout, '.gitignore'), '/dist/\n');
    for (const name of ['action.yml', 'LICENSE', 'package.json', 'src.ts']) await writeFile(join(checkout, name), name);
    await git('add', '--all');
    await git('-c', 'user.name=Ada', '-c', 'user.email=ada@lab.example', 'commit', '--quiet', '-m', 'Main');
    await mkdir(join(checkout, 'dist'));
    for (const name of ['index.js', 'program.js', 'licenses.txt', 'other.js'])
      await writeFile(join(checkout, 'dist', name), name);
    const { stdout: pinned } = await execa(process.execPath, [join(ROOT, 'scripts/release-branch.ts'), 'v0.1.0'], {
      cwd: checkout,
    });
    expect(await git('ls-remote', 'origin', 'release/v0.1.0')).toContain(pinned);
    const bundled = await git('rev-parse', `${pinned}^`);
    const names = await git('ls-tree', '-r', '--name-only', bundled);
    expect(names.split('\n').toSorted()).toEqual(
      ['LICENSE', 'action.yml', 'dist/index.js', 'dist/licenses.txt', 'dist/program.js', 'package.json'].toSorted(),
    );
    expect(await git('ls-remote', 'origin', 'refs/tags/v0')).toContain(pinned);
    const chat = await git('show', `${pinned}:.github/workflows/chat.yml`);
    expect(chat).toContain(`uses: ferrybot/ferrybot@${bundled}`);
    expect(await git('log', '--format=%an', `${pinned}~2..${pinned}`)).toBe('Ada\nAda');
    await rm(folder, { recursive: true });
  });

  it('is built only from a commit on main, which is checked before its code runs', async () => {
    const steps = workflow.jobs['build']?.steps ?? [];
    const at = steps.findIndex(({ run }) => run?.includes('merge-base') === true);
    expect(steps.slice(0, at).map(({ run }) => run)).toEqual([undefined]);
    expect(steps[0]?.with['fetch-depth']).toBe(0);
    const folder = await mkdtemp(join(tmpdir(), 'ferrybot-release-'));
    const git = async (...args: readonly string[]): Promise<string> =>
      (await execa('git', ['-C', folder, '-c', 'user.name=Ada', '-c', 'user.email=ada@lab.example', ...args])).stdout;
    const commit = async (message: string): Promise<string> => {
      await git('commit', '--quiet', '--allow-empty', '-m', message);
      return git('rev-parse', 'HEAD');
    };
    const checked = (COMMIT: string) =>
      execa('bash', ['-e', '-c', steps[at]?.run ?? ''], { cwd: folder, env: { COMMIT }, reject: false });
    await git('init', '--quiet');
    const old = await commit('Old');
    const tip = await commit('New');
    await git('update-ref', 'refs/remotes/origin/main', tip);
    const beside = await commit('Never merged');
    expect([(await checked(old)).exitCode, (await checked(tip)).exitCode]).toEqual([0, 0]);
    const refused = await checked(beside);
    expect([refused.exitCode, refused.stdout]).toEqual([1, expect.stringContaining('is not on main')]);
    await rm(folder, { recursive: true });
  });

  it('has its own section of the changelog, the line to pin, and instructions to verify it', async () => {
    const version = z.object({ version: z.string() }).parse(JSON.parse(textOf('package.json'))).version;
    const isReleased = new RegExp(`^## ${version.replaceAll('.', '\\.')}\\b`, 'm').test(textOf('CHANGELOG.md'));
    const told = await notes(`v${version}`, COMMIT);
    // Until its section is written, a tag of this version is no release.
    expect(told.exitCode).toBe(isReleased ? 0 : 1);
    expect(isReleased ? told.stdout : told.stderr).toContain(
      isReleased ? `@${COMMIT} # v${version}` : 'CHANGELOG.md has no part',
    );
  });

  it.each([[[]], [['v1', COMMIT]], [['v0.1.0', 'fedcba98']]])('rejects the arguments %j', async (args) => {
    expect((await notes(...args)).exitCode).toBe(2);
  });

  it('is rejected for a version that package.json does not have', async () => {
    expect(await notes('v99.0.0', COMMIT)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('package.json'),
    });
  });
});
