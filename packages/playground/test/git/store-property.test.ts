/** Properties: for any change of files, both stores give the same results, and the patches lead from old to new. */

import { applyPatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GitStore, Sha } from '../../git/store/git-store.ts';
import { linePatch } from '../../git/store/line-patch.ts';
import { createMemoryStore } from '../../git/store/memory-store.ts';
import { isRefName } from '../../git/store/ref-name.ts';
import { startGitServer } from './git-server.ts';
import { openStore, temporaryFolder, writeCommit } from './store-pair.ts';

type Edit = { readonly path: string; readonly to: 'write' | 'remove' | 'move'; readonly text: string };

type Step = {
  readonly edits: readonly Edit[];
  /** The distance to each parent in commits; none = a root. */
  readonly parentsBack: readonly number[];
  readonly secondsLater: number;
};

const paths = ['a', 'b.py', 'lib/a', 'lib/x/b.py', 'lib-x', 'lib.x'];
const line = fc.constantFrom('', 'a', 'b', '  indented', 'def f():', 'a rather longer line of text', '-x', '@@ y');
const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.map((one) => `${one}\n`).join(''));

const edit: fc.Arbitrary<Edit> = fc.record({
  path: fc.constantFrom(...paths),
  to: fc.constantFrom('write', 'write', 'remove', 'move'),
  text,
});

const history: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    edits: fc.array(edit, { minLength: 1, maxLength: 4 }),
    parentsBack: fc.uniqueArray(fc.integer({ min: 1, max: 3 }), { maxLength: 2 }),
    secondsLater: fc.integer({ min: 1, max: 3 }),
  }),
  { minLength: 2, maxLength: 5 },
);

function applyEdits(files: Readonly<Record<string, string>>, edits: readonly Edit[]): Record<string, string> {
  const next = { ...files };
  for (const { path, to, text: content } of edits) {
    const old = next[path];
    if (to === 'write') next[path] = content;
    else delete next[path];
    if (to === 'move' && old !== undefined) next[`moved/${path.replaceAll('/', '-')}`] = `${old}${content.slice(0, 9)}`;
  }
  return next;
}

async function play(store: GitStore, steps: readonly Step[]): Promise<readonly Sha[]> {
  const done: { sha: Sha; files: Record<string, string> }[] = [];
  let atSeconds = 1_760_000_000;
  for (const { edits, parentsBack, secondsLater } of steps) {
    atSeconds += secondsLater;
    const parents = parentsBack.flatMap((back) => done.at(-back) ?? []);
    const files = applyEdits(parents[0]?.files ?? {}, edits);
    const shas = parents.map((parent) => parent.sha);
    done.push({ sha: await writeCommit(store, files, shas, atSeconds), files });
  }
  return done.map(({ sha }) => sha);
}

async function story(store: GitStore, shas: readonly Sha[]): Promise<unknown> {
  const last = shas.at(-1) ?? '';
  const ids = async (query: Omit<Parameters<GitStore['log']>[0], 'limit'>): Promise<readonly Sha[]> =>
    (await store.log({ ...query, limit: 99 })).map(({ sha }) => sha);
  return {
    commits: await Promise.all(shas.map((sha) => store.readCommit(sha))),
    diffs: await Promise.all(
      shas.slice(1).map(async (sha, index) => {
        const changes = await store.diff(shas[index] ?? '', sha);
        return changes.map(({ patch, ...change }) => ({ ...change, hunks: patch !== null }));
      }),
    ),
    logs: await Promise.all([
      ids({ from: last }),
      ids({ from: last, not: shas.at(-2) ?? '' }),
      ...['lib', 'lib/x/b.py', 'moved', 'a'].map((path) => ids({ from: last, paths: [path] })),
      ids({ from: last, not: shas.at(-3) ?? shas[0] ?? '', paths: ['lib', 'a'] }),
    ]),
    bases: await Promise.all(shas.map((sha) => store.mergeBase(sha, last))),
    ancestors: await Promise.all(shas.map((sha) => store.isAncestor(sha, last))),
  };
}

describe('both stores', () => {
  it('give the same results for any history', async () => {
    await using folder = await temporaryFolder();
    let opened = 0;
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        opened += 1;
        const memory = createMemoryStore();
        const program = openStore('program', `${folder.path}/${opened}`);
        const shas = await play(memory, steps);
        expect(await play(program, steps)).toEqual(shas);
        expect(await story(memory, shas)).toEqual(await story(program, shas));
      }),
      { numRuns: 8 },
    );
  });

  it('agree with git about valid ref names', async () => {
    await using folder = await temporaryFolder();
    await using server = await startGitServer(folder.path);
    const part = fc.constantFrom(
      'a',
      'b-1',
      '.',
      '..',
      '@',
      '@{',
      '{',
      '~',
      '^',
      ':',
      '?',
      '*',
      '[',
      '\\',
      ' ',
      '.lock',
      '/',
      'é',
    );
    const names = fc.sample(
      fc.array(part, { maxLength: 4 }).map((parts) => `refs/${parts.join('')}`),
      60,
    );
    const verdicts = await Promise.all(
      names.map(async (name) => (await server.git(folder.path, 'check-ref-format', name)).code === 0),
    );
    expect(names.map((name) => [name, isRefName(name)])).toEqual(names.map((name, i) => [name, verdicts[i]]));
  });
});

describe('a patch', () => {
  const content = fc.tuple(text, fc.constantFrom('', 'no newline at the end')).map((parts) => parts.join(''));

  it('leads from the old content to the new one, and counts its lines correctly', () => {
    fc.assert(
      fc.property(content, content, (before, after) => {
        const { patch, additions, deletions } = linePatch(Buffer.from(before), Buffer.from(after));
        expect(patch === null).toBe(before === after);
        if (patch === null) return;
        expect(applyPatch(before, `--- a\n+++ b\n${patch}\n`)).toBe(after);
        const lines = patch.split('\n');
        expect(lines.filter((one) => one.startsWith('+'))).toHaveLength(additions);
        expect(lines.filter((one) => one.startsWith('-'))).toHaveLength(deletions);
      }),
      { numRuns: 300 },
    );
  });

  it('can be made for a file with a hundred thousand new lines', () => {
    const { additions, deletions } = linePatch(Buffer.from('old\n'), Buffer.from('new\n'.repeat(150_000)));
    expect([additions, deletions]).toEqual([150_000, 1]);
  });
});
