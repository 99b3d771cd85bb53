/**
 * Compares our list of files that Ray leaves out with the packaging of the real SDK, on random trees and
 * rules.
 */

import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { listFilesLeftOutByScript } from '../../src/engines/ray/engine.ts';
import { listFilesOnDisk } from '../../src/host/git/tree-on-disk.ts';
import { describeWithRay, RAY_BIN } from '../support/ray-tools.ts';

/** Lists, for each folder, the files that the SDK would package. */
const PACKS = `
import json, sys
from pathlib import Path
from ray._private import ray_constants
from ray._private.runtime_env import packaging
for folder, gitignore in json.loads(sys.stdin.read()):
    root, found = Path(folder), []
    excludes = [packaging._get_excludes(root, ray_constants.get_runtime_env_default_excludes())]
    packaging._dir_travel(root, excludes, lambda path: found.append(path), include_gitignore=gitignore)
    print(json.dumps(sorted(str(path.relative_to(root)) for path in found if path.is_file())))
`;

const NAME = fc.constantFrom('a', 'b.py', 'c.bin', 'docs', 'venv', 'lib', '.hidden');
const PATH = fc.array(NAME, { minLength: 1, maxLength: 4 }).map((parts) => `${parts.join('/')}.f`);
const PATTERN = fc.oneof(
  fc.constantFrom('*', '**', '*.f', '/a*', 'docs/', 'lib/**', '**/b.py.f', '!a.f', '!*.f', '?.f', '# no', '[ab].f'),
  PATH,
  PATH.map((path) => `!${path}`),
);
const IGNORE_FILE = fc.record({
  folder: fc.array(NAME, { maxLength: 2 }),
  name: fc.constantFrom('.gitignore', '.rayignore'),
  patterns: fc.array(PATTERN, { minLength: 1, maxLength: 3 }),
});
const TREE = fc.record({
  paths: fc.array(PATH, { minLength: 1, maxLength: 8 }),
  ignores: fc.array(IGNORE_FILE, { maxLength: 3 }),
  heedsGitignore: fc.boolean(),
});

describeWithRay('what Ray leaves out', () => {
  it('leaves out only files that we report as left out, for random trees and rules (300 trees)', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ferrybot-packs-'));
    try {
      const trees = fc.sample(TREE, { numRuns: 300, seed: 20_261_122 });
      const asked: (readonly [string, boolean])[] = [];
      for (const [index, tree] of trees.entries()) {
        const root = join(folder, String(index));
        for (const path of tree.paths) await put(join(root, path), '');
        for (const { folder: at, name, patterns } of tree.ignores)
          await put(join(root, ...at, name), `${patterns.join('\n')}\n`);
        asked.push([root, tree.heedsGitignore]);
      }
      const output = execFileSync(join(RAY_BIN, 'python'), ['-c', PACKS], {
        input: JSON.stringify(asked),
        env: { PATH: process.env['PATH'] ?? '', HOME: folder },
        maxBuffer: 64 * 1024 * 1024,
        stdio: ['pipe', 'pipe', 'ignore'],
      }).toString();
      const answers = output.trim().split('\n');
      expect(answers).toHaveLength(trees.length);
      let [same, dropped] = [0, 0];
      for (const [index, line] of answers.entries()) {
        const [root, heedsGitignore] = asked[index] ?? ['', false];
        const files = await listFilesOnDisk(root);
        const packed = new Set(JSON.parse(line) as readonly string[]);
        const lost = files.map(({ path }) => path).filter((path) => !packed.has(path));
        const ignoreFiles = heedsGitignore ? ['.gitignore', '.rayignore'] : ['.rayignore'];
        const said = await listFilesLeftOutByScript({ leavesOut: [], ignoreFiles }, { workingDirectory: root, files });
        const told = new Set(said.map(({ path }) => path));
        expect(
          lost.filter((path) => !told.has(path)),
          JSON.stringify(trees[index]),
        ).toEqual([]);
        dropped += lost.length > 0 ? 1 : 0;
        same += lost.length === told.size ? 1 : 0;
      }
      // Guards against rules that name everything and trees from which nothing is left out.
      expect(dropped).toBeGreaterThan(60);
      expect(same).toBeGreaterThan(200);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

async function put(path: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  } catch (error) {
    // A random path may pass through an existing file; that tree has one file less.
    if (!(error instanceof Error && 'code' in error && ['ENOTDIR', 'EEXIST', 'EISDIR'].includes(String(error.code))))
      throw error;
  }
}
