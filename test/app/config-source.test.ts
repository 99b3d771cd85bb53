/** Which config is in force: the last valid one of the default branch, and since when the newest is not. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CONFIG_PATH, configHealthOf, configInForce } from '../../src/app/config-source.ts';
import type { GitReader } from '../../src/domain/git.ts';
import { branded, isSha, type Sha } from '../../src/domain/ids.ts';

const VALID = readFileSync(join(import.meta.dirname, '../config/small.yml'), 'utf8');
const OTHER = VALID.replace('Lab automation', 'Other automation');
const BROKEN = VALID.replace('version: 1', 'version: 2');
const sha = (index: number): Sha => branded(String(index).padStart(40, '0'), isSha);

describe('the config in force', () => {
  it('is the newest where that is valid', async () => {
    const found = await configInForce(branchOf([VALID, OTHER]), 'main');
    expect(found).toMatchObject({ kind: 'in-force', commit: sha(1), brokenSince: null });
    expect(found.kind === 'in-force' && configHealthOf(found)).toEqual({
      isValid: true,
      problems: 0,
      first: '',
      line: 0,
      inForce: sha(1),
      since: null,
      missingLane: null,
    });
  });

  it('stays the last valid one while newer ones are broken, and says since when and what is wrong now', async () => {
    const worse = BROKEN.replace('cluster: local', 'cluster: far');
    const found = await configInForce(branchOf([VALID, OTHER, BROKEN, worse]), 'main');
    expect(found).toMatchObject({
      kind: 'in-force',
      config: { git: { name: 'Other automation' } },
      commit: sha(1),
      problems: [{ code: 'bad-value' }],
    });
    expect(found.kind === 'in-force' && configHealthOf(found)).toMatchObject({
      isValid: false,
      problems: 1,
      first: 'version: 1 belongs here',
      line: 1,
      inForce: sha(1),
      since: '1970-01-01T00:00:02.000Z',
    });
  });

  it('is the last valid one although the file was away in between', async () => {
    const found = await configInForce(branchOf([VALID, null, BROKEN]), 'main');
    expect(found).toMatchObject({ kind: 'in-force', commit: sha(0), brokenSince: { commit: sha(1) } });
  });

  it.each([
    ['was never valid', [BROKEN, BROKEN], 'invalid'],
    ['is gone', [VALID, null], 'no-file'],
    ['has no branch', [], 'no-branch'],
  ] as const)('is none where the file %s', async (_, texts, why) => {
    expect(await configInForce(branchOf(texts), 'main')).toMatchObject({ kind: 'none', why });
  });
});

/** A branch whose commits, oldest first, each change the config: commit 2 was made in second 2. */
function branchOf(texts: readonly (string | null)[]): GitReader {
  const unused = (): never => {
    throw new Error('not asked for here');
  };
  return {
    fetch: unused,
    listFiles: unused,
    entriesIn: unused,
    treeId: unused,
    mergeBase: unused,
    isOnBranch: unused,
    changedPaths: unused,
    tagTexts: unused,
    versions: unused,
    readBlobs: unused,
    beginningsOf: unused,
    blobIdOf: unused,
    resolve: async () => (texts.length === 0 ? null : sha(texts.length - 1)),
    readText: async (commit, path) => (path === CONFIG_PATH ? (texts[Number(commit)] ?? null) : null),
    log: async ({ limit }) =>
      texts
        .map((_, index) => ({ sha: sha(index), subject: '', authorName: '', atMs: index * 1_000 }))
        .toReversed()
        .slice(0, limit),
  };
}
