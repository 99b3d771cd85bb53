// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are GitHub's expressions, not templates
/**
 * Third-party checkers for our workflows: actionlint, and zizmor with its strictest persona. Both are tested
 * to detect known faults.
 */

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { describeWith, TOOLS } from '../../packages/playground/test/support/outside-tools.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDERS = ['.github/workflows', 'fixtures/lab/.github/workflows'];
const files = FOLDERS.flatMap((folder) => readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`));
const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

describeWith('actionlint', 'actionlint', () => {
  /** `-`: the text comes from standard input. The config file names the labels of a lab's own machines. */
  const found = async (text: string): Promise<readonly string[]> => {
    const config = ['-config-file', join(ROOT, '.github/actionlint.yaml')];
    const options = ['-oneline', '-no-color', '-shellcheck=', '-pyflakes='];
    const said = await execa(TOOLS.actionlint, [...options, ...config, '-'], { input: text, reject: false });
    if (said.exitCode !== 0 && said.exitCode !== 1) throw new Error(`actionlint said ${said.stderr}`);
    return said.stdout.split('\n').filter((line) => line !== '');
  };

  it.each(files)('reports no finding in %s', async (file) => {
    expect(await found(textOf(file))).toEqual([]);
  });

  it.each([
    ['an issue title in a script', 'steps: [{run: "echo ${{ github.event.issue.title }}"}]', 'untrusted'],
    ['an undefined context', 'steps: [{run: "echo ${{ nothing.there }}"}]', 'undefined variable'],
    ['an unknown permission', 'permissions: {content: read}\n    steps: [{run: a}]', 'permission'],
  ])('detects %s', async (_, job, message) => {
    const text = `on: issues\njobs:\n  a:\n    runs-on: ubuntu-latest\n    ${job}\n`;
    expect((await found(text)).join('\n')).toContain(message);
  });
});

describeWith('zizmor', 'zizmor', () => {
  const audit = async (...paths: readonly string[]): Promise<readonly string[]> => {
    const options = ['--offline', '--no-progress', '--persona', 'auditor', '--format', 'json'];
    const config = ['--config', join(ROOT, '.github/zizmor.yml')];
    const said = await execa(TOOLS.zizmor, [...options, ...config, ...paths], { cwd: ROOT, reject: false });
    const findings: unknown = JSON.parse(said.stdout);
    if (!Array.isArray(findings)) throw new Error(`zizmor said ${said.stdout}`);
    return findings.map((finding: { readonly ident: string; readonly desc: string }) =>
      [finding.ident, finding.desc].join(': '),
    );
  };

  it('reports no finding in any workflow or the action with its strictest persona', async () => {
    expect(await audit(...FOLDERS, 'action.yml')).toEqual([]);
  });

  it('detects a comment in a script, an unpinned action, and write permission for everything', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ferrybot-zizmor-'));
    try {
      const file = join(folder, 'bad.yml');
      const step = '{uses: actions/checkout@v7}, {run: "echo ${{ github.event.comment.body }}"}';
      writeFileSync(
        file,
        `name: bad\non: issue_comment\npermissions: write-all\njobs: {a: {name: a, runs-on: ubuntu-latest, steps: [${step}]}}\n`,
      );
      const idents = (await audit(file)).map((line) => line.split(':')[0]);
      expect(idents).toEqual(expect.arrayContaining(['template-injection', 'unpinned-uses', 'excessive-permissions']));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
