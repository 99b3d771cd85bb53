/** The contract of every GitStore, checked on the memory store and on the one that runs git. */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { GitStore, Sha } from '../../git/store/git-store.ts';
import { emptyTreeSha } from '../../git/store/object-encoding.ts';
import { ada, openStore, storeKinds, temporaryFolder, writeCommit, writeFiles } from './store-pair.ts';

const absent: Sha = '1234567890123456789012345678901234567890';
const otherAbsent: Sha = '2234567890123456789012345678901234567890';

describe.each(storeKinds)('the %s store', (kind) => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let store: GitStore;
  let opened = 0;
  beforeAll(async () => {
    folder = await temporaryFolder();
  });
  afterAll(() => folder[Symbol.asyncDispose]());
  beforeEach(() => {
    opened += 1;
    store = openStore(kind, `${folder.path}/${opened}`);
  });

  // The ids of this and the next test come from `git mktree`, `git commit-tree` and `git tag -a` on a command line.
  it('gives objects the same ids as git', async () => {
    const blob = await store.writeBlob(Buffer.from('hello\n'));
    expect(blob).toBe('ce013625030ba8dba906f756967f9e9ca394464a');
    const tree = await store.writeTree([
      { mode: '100755', type: 'blob', name: 'run', sha: blob },
      { mode: '100644', type: 'blob', name: 'a.b', sha: blob },
      { mode: '040000', type: 'tree', name: 'a', sha: await store.writeTree([]) },
      { mode: '120000', type: 'blob', name: 'a-link', sha: blob },
    ]);
    expect(tree).toBe('7814b66d15f8dadfc456c97b06efff2db625a2d3');
    expect((await store.readTree(tree))?.map(({ name }) => name)).toEqual(['a-link', 'a.b', 'a', 'run']);
    expect(await store.readTree(emptyTreeSha)).toEqual([]);
  });

  it('keeps every part of a commit and of a tag', async () => {
    const tree = await writeFiles(store, { a: '1' });
    const first = await writeCommit(store, { a: '1' });
    const commit = {
      tree,
      parents: [first],
      author: { name: 'Zoë Jay', email: '', atMs: 1_760_000_000_999 },
      committer: ada(1_760_000_100_000),
      message: '  Subject\n\nBody – with no newline at its end',
    };
    const sha = await store.writeCommit(commit);
    expect(await store.readCommit(sha)).toEqual({
      ...commit,
      sha,
      author: { ...commit.author, atMs: 1_760_000_000_000 },
    });
    const tag = { name: 'ferry/daily/1', object: sha, tagger: ada(5000), message: 'sealed\n' };
    const tagSha = await store.writeTag(tag);
    expect(await store.readTag(tagSha)).toEqual({ ...tag, sha: tagSha });
    expect(sha).toBe('a731836ba8453006b994275719feef3832dc08f8');
    expect(tagSha).toBe('5723562047fe5f7e775f363e8174593ce8cadb1b');
  });

  it('returns null for an absent object or one of another type, and refuses references to absent objects', async () => {
    const blob = await store.writeBlob(Buffer.from('x'));
    const commit = await writeCommit(store, { x: 'x' });
    for (const sha of [absent, 'HEAD', '', commit.slice(0, 12)]) {
      expect(await store.readBlob(sha)).toBeNull();
      expect(await store.readTree(sha)).toBeNull();
      expect(await store.readCommit(sha)).toBeNull();
      expect(await store.readTag(sha)).toBeNull();
    }
    expect(await store.readTree(blob)).toBeNull();
    expect(await store.readBlob(commit)).toBeNull();
    const who = ada(0);
    const broken = { tree: absent, parents: [], author: who, committer: who, message: '' };
    await expect(store.writeCommit(broken)).rejects.toThrow(absent);
    await expect(store.writeCommit({ ...broken, tree: emptyTreeSha, parents: [blob] })).rejects.toThrow(blob);
    await expect(store.writeTree([{ mode: '100644', type: 'blob', name: 'x', sha: absent }])).rejects.toThrow(absent);
    await expect(store.writeTree([{ mode: '100644', type: 'blob', name: 'a/b', sha: blob }])).rejects.toThrow('a/b');
    await expect(store.diff(absent, commit)).rejects.toThrow(absent);
    await expect(store.writeTag({ name: 't', object: absent, tagger: who, message: '' })).rejects.toThrow(absent);
    expect(await store.log({ from: absent, limit: 5 })).toEqual([]);
    expect(await store.mergeBase(absent, commit)).toBeNull();
    expect(await store.isAncestor(absent, commit)).toBe(false);
  });

  it('returns all bytes unchanged, and the sizes of blobs only', async () => {
    const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => (index * 7) % 256);
    expect(await store.readBlob(await store.writeBlob(bytes))).toEqual(bytes);
    const empty = await store.writeBlob(new Uint8Array());
    expect(await store.readBlob(empty)).toHaveLength(0);
    const [first, tree] = [await store.writeBlob(bytes), await store.writeTree([])];
    const sizes = await store.blobSizes([first, empty, tree, '0'.repeat(40), 'HEAD']);
    expect([...sizes]).toEqual([
      [first, bytes.length],
      [empty, 0],
    ]);
  });

  describe('refs', () => {
    it('are listed by prefix, in order', async () => {
      const sha = await writeCommit(store, { a: '1' });
      for (const ref of ['refs/tags/v1', 'refs/heads/main', 'refs/heads/fe/b', 'refs/ferrybot/x'])
        expect(await store.updateRef({ ref, sha })).toBe('updated');
      expect([...(await store.refs()).keys()]).toEqual([
        'refs/ferrybot/x',
        'refs/heads/fe/b',
        'refs/heads/main',
        'refs/tags/v1',
      ]);
      expect([...(await store.refs('refs/heads/m'))]).toEqual([['refs/heads/main', sha]]);
      expect(await store.refs('refs/nothing')).toEqual(new Map());
    });

    it('move only from the expected value, and only forwards unless forced', async () => {
      const ref = 'refs/heads/main';
      const one = await writeCommit(store, { a: '1' });
      const two = await writeCommit(store, { a: '2' }, [one]);
      const aside = await writeCommit(store, { a: '3' }, [one]);
      expect(await store.updateRef({ ref, sha: one, expected: two })).toBe('stale');
      expect(await store.updateRef({ ref, sha: one, expected: null })).toBe('updated');
      expect(await store.updateRef({ ref, sha: two, expected: null })).toBe('stale');
      expect(await store.updateRef({ ref, sha: two, expected: one })).toBe('updated');
      expect(await store.updateRef({ ref, sha: two })).toBe('updated');
      expect(await store.updateRef({ ref, sha: aside })).toBe('not-fast-forward');
      expect(await store.updateRef({ ref, sha: aside, expected: two })).toBe('not-fast-forward');
      expect(await store.updateRef({ ref, sha: aside, expected: one, force: true })).toBe('stale');
      expect((await store.refs()).get(ref)).toBe(two);
      expect(await store.updateRef({ ref, sha: aside, expected: two, force: true })).toBe('updated');
      expect((await store.refs()).get(ref)).toBe(aside);
    });

    it('can be moved by exactly one of several concurrent writers', async () => {
      const ref = 'refs/heads/logbook';
      const base = await writeCommit(store, { a: '0' });
      await store.updateRef({ ref, sha: base });
      const rivals = await Promise.all(['1', '2', '3', '4'].map((a) => writeCommit(store, { a }, [base])));
      const outcomes = await Promise.all(rivals.map((sha) => store.updateRef({ ref, sha, expected: base })));
      expect(outcomes.toSorted()).toEqual(['stale', 'stale', 'stale', 'updated']);
      expect((await store.refs()).get(ref)).toBe(rivals[outcomes.indexOf('updated')]);
    });

    it('can be deleted, and a missing ref is stale', async () => {
      const ref = 'refs/heads/gone';
      const one = await writeCommit(store, { a: '1' });
      expect(await store.updateRef({ ref, sha: null })).toBe('stale');
      expect(await store.updateRef({ ref, sha: null, expected: null })).toBe('updated');
      await store.updateRef({ ref, sha: one });
      expect(await store.updateRef({ ref, sha: null, expected: absent })).toBe('stale');
      expect(await store.updateRef({ ref, sha: null, expected: one })).toBe('updated');
      expect(await store.refs()).toEqual(new Map());
    });

    it('are refused for names and targets that git refuses', async () => {
      const commit = await writeCommit(store, { a: '1' });
      const blob = await store.writeBlob(Buffer.from('1'));
      const bad = ['main', 'HEAD', 'refs/heads/', 'refs/heads/a..b', 'refs/heads/-/.x', 'refs/heads/a.lock'];
      for (const ref of [...bad, 'refs/heads/a b', 'refs/heads/a~1', 'refs/heads/@{x}', '--stdin'])
        expect(await store.updateRef({ ref, sha: commit })).toBe('bad-name');
      expect(await store.updateRef({ ref: 'refs/heads/a', sha: absent })).toBe('missing-object');
      expect(await store.updateRef({ ref: 'refs/heads/a', sha: blob })).toBe('missing-object');
      expect(await store.updateRef({ ref: 'refs/tags/a', sha: blob })).toBe('updated');
      expect(await store.updateRef({ ref: 'refs/heads/a', sha: commit })).toBe('updated');
      expect(await store.updateRef({ ref: 'refs/heads/a/b', sha: commit })).toBe('bad-name');
    });

    it('treat an annotated tag as its commit', async () => {
      const one = await writeCommit(store, { a: '1' });
      const two = await writeCommit(store, { a: '2' }, [one]);
      const tag = async (object: Sha): Promise<Sha> =>
        store.writeTag({ name: 't', object, tagger: ada(0), message: 'x' });
      const ref = 'refs/tags/t';
      expect(await store.updateRef({ ref, sha: await tag(one) })).toBe('updated');
      expect(await store.updateRef({ ref, sha: await tag(two) })).toBe('updated');
      expect(await store.updateRef({ ref, sha: await tag(one) })).toBe('not-fast-forward');
    });
  });

  describe('history', () => {
    it('is walked from the newest commit, without excluded commits, up to the limit', async () => {
      const one = await writeCommit(store, { a: '1' }, [], 100);
      const two = await writeCommit(store, { a: '2' }, [one], 200);
      const side = await writeCommit(store, { a: '1', b: '1' }, [one], 150);
      const merge = await writeCommit(store, { a: '2', b: '1' }, [two, side], 300);
      const shas = async (query: Omit<Parameters<GitStore['log']>[0], 'limit'>, limit = 9) =>
        (await store.log({ ...query, limit })).map(({ sha }) => sha);
      expect(await shas({ from: merge })).toEqual([merge, two, side, one]);
      expect(await shas({ from: merge }, 2)).toEqual([merge, two]);
      expect(await shas({ from: merge }, 0)).toEqual([]);
      expect(await shas({ from: merge, not: two })).toEqual([merge, side]);
      expect(await shas({ from: two, not: merge })).toEqual([]);
      expect(await shas({ from: merge, paths: ['a'] })).toEqual([two, one]);
      expect(await shas({ from: merge, paths: ['b'] })).toEqual([side]);
      expect(await shas({ from: merge, paths: ['a', 'b'] })).toEqual([merge, two, side, one]);
      expect(await shas({ from: merge, paths: ['*'] })).toEqual([]);
    });

    it('simplifies a merge by what git knows of the excluded side at that point', async () => {
      const root = await writeCommit(store, { b: '1' }, [], 1);
      const one = await writeCommit(store, { b: '1', a: '1' }, [root], 2);
      const two = await writeCommit(store, { b: '1', lib: '1' }, [one], 3);
      const merge = await writeCommit(store, { b: '1' }, [two, root], 4);
      const tip = await writeCommit(store, { b: '1', a: '2' }, [merge], 5);
      const found = await store.log({ from: tip, not: two, paths: ['lib', 'a'], limit: 9 });
      expect(found.map(({ sha }) => sha)).toEqual([tip]);
    });

    it('includes changes below a folder in the log of the folder', async () => {
      const one = await writeCommit(store, { 'lib/x/a.py': '1', 'lib/x/b.py': '1', c: '1' }, [], 1);
      const two = await writeCommit(store, { 'lib/x/a.py': '2', 'lib/x/b.py': '1', c: '1' }, [one], 2);
      const three = await writeCommit(store, { 'lib/x/a.py': '2', 'lib/x/b.py': '1', c: '2' }, [two], 3);
      const shas = async (path: string) =>
        (await store.log({ from: three, paths: [path], limit: 9 })).map(({ sha }) => sha);
      expect(await shas('lib/')).toEqual([two, one]);
      expect(await shas('lib/x/b.py')).toEqual([one]);
      expect(await shas('li')).toEqual([]);
    });

    it('has a merge base and ancestors', async () => {
      const one = await writeCommit(store, { a: '1' }, [], 1);
      const two = await writeCommit(store, { a: '2' }, [one], 2);
      const side = await writeCommit(store, { a: '3' }, [one], 3);
      const merge = await writeCommit(store, { a: '4' }, [two, side], 4);
      const later = await writeCommit(store, { a: '5' }, [side], 5);
      const orphan = await writeCommit(store, { a: '6' }, [], 6);
      expect(await store.mergeBase(two, side)).toBe(one);
      expect(await store.mergeBase(merge, later)).toBe(side);
      expect(await store.mergeBase(merge, two)).toBe(two);
      expect(await store.mergeBase(merge, orphan)).toBeNull();
      expect(await store.isAncestor(one, merge)).toBe(true);
      expect(await store.isAncestor(merge, merge)).toBe(true);
      expect(await store.isAncestor(merge, one)).toBe(false);
      expect(await store.isAncestor(orphan, merge)).toBe(false);
    });
  });

  describe('changes', () => {
    it('are shown as hunks like on GitHub', async () => {
      const lines = Array.from({ length: 30 }, (_, index) => (index % 10 === 0 ? `def f${index}` : `  ${index}`));
      const changed = lines.with(14, '  fourteen').toSpliced(28, 1);
      const from = await writeCommit(store, { 'lib/a.py': `${lines.join('\n')}\n` });
      const to = await writeCommit(store, { 'lib/a.py': changed.join('\n'), new: 'x\n' }, [from]);
      expect(await store.diff(from, to)).toMatchInlineSnapshot(`
        [
          {
            "additions": 2,
            "blobSha": "315b30ec5c476fd648712e1fdd72ba12449cc967",
            "deletions": 3,
            "patch": "@@ -12,7 +12,7 @@ def f10
           11
           12
           13
        -  14
        +  fourteen
           15
           16
           17
        @@ -26,5 +26,4 @@ def f20
           25
           26
           27
        -  28
        -  29
        +  29
        \\ No newline at end of file",
            "path": "lib/a.py",
            "previousPath": null,
            "status": "modified",
          },
          {
            "additions": 1,
            "blobSha": "587be6b4c3f93f93c489c0111bba5596147a26cb",
            "deletions": 0,
            "patch": "@@ -0,0 +1 @@
        +x",
            "path": "new",
            "previousPath": null,
            "status": "added",
          },
        ]
      `);
      expect(await store.diff(from, from)).toEqual([]);
    });

    it('detect renames, exact or edited, but no copies', async () => {
      const text = (word: string): string =>
        `${Array.from({ length: 20 }, (_, i) => `line ${i}`).join('\n')}\n${word}\n`;
      const from = await writeCommit(store, {
        'a/same': 'kept\n',
        'a/edited': text('old'),
        'a/lost': 'one\n',
        stays: text('x'),
      });
      const to = await writeCommit(store, {
        'b/same': 'kept\n',
        'b/redone': text('new'),
        'b/other': 'two\n',
        stays: text('x'),
        copy: text('x'),
      });
      const seen = (await store.diff(from, to)).map((c) => [
        c.status,
        c.previousPath,
        c.path,
        c.additions,
        c.deletions,
        c.patch === null,
      ]);
      expect(seen).toEqual([
        ['removed', null, 'a/lost', 0, 1, false],
        ['added', null, 'b/other', 1, 0, false],
        ['renamed', 'a/edited', 'b/redone', 1, 1, false],
        ['renamed', 'a/same', 'b/same', 0, 0, true],
        ['added', null, 'copy', 21, 0, false],
      ]);
    });

    it('have no patch for binary files, mode changes and empty files', async () => {
      const blob = await store.writeBlob(Buffer.from('x\n'));
      const link = await store.writeBlob(Buffer.from('x'));
      const module = (sha: Sha) => ({ mode: '160000', type: 'commit', sha }) as const;
      const from = await writeCommit(store, {
        binary: Buffer.from([1, 0, 2]),
        gone: '',
        mode: 'x\n',
        kind: 'x\n',
        sub: module(absent),
        dir: 'a\n',
      });
      const to = await writeCommit(store, {
        binary: Buffer.from([1, 0, 3]),
        mode: { mode: '100755', type: 'blob', sha: blob },
        kind: { mode: '120000', type: 'blob', sha: link },
        sub: module(otherAbsent),
        'dir/inner': 'b\n',
        'ünï "x"': 'y\n',
        latin: Buffer.from([0xe9, 0x0a]),
      });
      expect(await store.diff(from, to)).toMatchInlineSnapshot(`
        [
          {
            "additions": 0,
            "blobSha": "d4a0ce60ccfabfe1e2ca9da49cec19239e4b68ae",
            "deletions": 0,
            "patch": null,
            "path": "binary",
            "previousPath": null,
            "status": "modified",
          },
          {
            "additions": 0,
            "blobSha": "78981922613b2afb6025042ff6bd878ac1994e85",
            "deletions": 1,
            "patch": "@@ -1 +0,0 @@
        -a",
            "path": "dir",
            "previousPath": null,
            "status": "removed",
          },
          {
            "additions": 1,
            "blobSha": "61780798228d17af2d34fce4cfbdf35556832472",
            "deletions": 0,
            "patch": "@@ -0,0 +1 @@
        +b",
            "path": "dir/inner",
            "previousPath": null,
            "status": "added",
          },
          {
            "additions": 0,
            "blobSha": "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
            "deletions": 0,
            "patch": null,
            "path": "gone",
            "previousPath": null,
            "status": "removed",
          },
          {
            "additions": 1,
            "blobSha": "c1b0730e0133447badcfd47fd144e254807b06e1",
            "deletions": 1,
            "patch": "@@ -1 +0,0 @@
        -x
        @@ -0,0 +1 @@
        +x
        \\ No newline at end of file",
            "path": "kind",
            "previousPath": null,
            "status": "modified",
          },
          {
            "additions": 1,
            "blobSha": "ab145edf8f148f5a8d72eea35ecae7229798a230",
            "deletions": 0,
            "patch": "@@ -0,0 +1 @@
        +�",
            "path": "latin",
            "previousPath": null,
            "status": "added",
          },
          {
            "additions": 0,
            "blobSha": "587be6b4c3f93f93c489c0111bba5596147a26cb",
            "deletions": 0,
            "patch": null,
            "path": "mode",
            "previousPath": null,
            "status": "modified",
          },
          {
            "additions": 1,
            "blobSha": null,
            "deletions": 1,
            "patch": "@@ -1 +1 @@
        -Subproject commit 1234567890123456789012345678901234567890
        +Subproject commit 2234567890123456789012345678901234567890",
            "path": "sub",
            "previousPath": null,
            "status": "modified",
          },
          {
            "additions": 1,
            "blobSha": "975fbec8256d3e8a3797e7a3611380f27c49f4ac",
            "deletions": 0,
            "patch": "@@ -0,0 +1 @@
        +y",
            "path": "ünï "x"",
            "previousPath": null,
            "status": "added",
          },
        ]
      `);
    });

    it('can start from the empty tree', async () => {
      const to = await writeCommit(store, { a: '1\n2\n' });
      const [change] = await store.diff(emptyTreeSha, to);
      expect(change).toMatchObject({ path: 'a', status: 'added', additions: 2, patch: '@@ -0,0 +1,2 @@\n+1\n+2' });
    });
  });
});
