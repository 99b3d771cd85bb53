/**
 * Attacks on the logbook by a user with write access and ordinary pushes: removed lines, invalid lines, fake
 * tags.
 */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import type { BundleLab } from './bundle-lab.ts';

const REF = 'refs/heads/ferrybot/logbook';
const AUTHOR = ['-c', 'user.name=Ada', '-c', 'user.email=ada@lab.example'];

/** The current files of the record, by path. */
export async function recordFiles(lab: BundleLab): Promise<Readonly<Record<string, string>>> {
  const listed = await lab.git('ls-tree', '-r', '--name-only', REF);
  const paths = listed.split('\n').filter((path) => path.endsWith('/events.jsonl'));
  return Object.fromEntries(
    await Promise.all(paths.map(async (path) => [path, `${await lab.git('show', `${REF}:${path}`)}\n`] as const)),
  );
}

/** Adds a commit to the branch that sets these files to these texts. */
export async function pushFiles(lab: BundleLab, files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await lab.scratch();
  const git = async (...args: readonly string[]): Promise<string> => {
    const env = { GIT_INDEX_FILE: join(folder, 'index') };
    return (await execa('git', ['-C', lab.repository, ...AUTHOR, ...args], { env })).stdout;
  };
  await git('read-tree', REF);
  for (const [path, text] of Object.entries(files)) {
    await writeFile(join(folder, 'text'), text);
    const blob = await git('hash-object', '-w', join(folder, 'text'));
    await git('update-index', '--add', '--cacheinfo', `100644,${blob},${path}`);
  }
  const commit = await git('commit-tree', await git('write-tree'), '-p', REF, '-m', 'Tidy up');
  await git('update-ref', REF, commit);
  return commit;
}

/** Resets the branch, which is possible without a ruleset. */
export async function putBranchBack(lab: BundleLab, commit: string): Promise<void> {
  await lab.git('update-ref', REF, commit);
}

export async function headOfRecord(lab: BundleLab): Promise<string> {
  return lab.git('rev-parse', REF);
}

/** Pushes a tag at the branch's head. */
export async function pushTag(lab: BundleLab, name: string, message: string): Promise<void> {
  await execa('git', ['-C', lab.repository, ...AUTHOR, 'tag', '-f', '-a', '-m', message, name, REF]);
}

/** The tags that mark the record, with their messages. */
export async function marksOf(lab: BundleLab): Promise<readonly string[]> {
  const listed = await lab.git('for-each-ref', '--format=%(refname:short)', 'refs/tags/ferrybot-mark-*');
  return listed.split('\n').filter((name) => name !== '');
}

/** The incidents about a logbook that does not verify. */
export function incidentsIn(lab: BundleLab): readonly string[] {
  return Object.values(lab.world.state.comments)
    .map(({ body }) => body)
    .filter((body) => body.includes('kind=incident') || /does not verify|is gone/.test(body));
}
