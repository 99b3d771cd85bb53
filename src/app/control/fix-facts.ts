/** Searches for a small fix in the files of the failed commit, without running any of them. */

import type { FixInTree } from '../../actions/verify-pre-approval.ts';
import { GitError, type GitReader } from '../../domain/git.ts';
import type { Sha } from '../../domain/ids.ts';
import type { SlipOfAttempt, SmallFix } from '../../domain/launch/small-fix.ts';
import { known, type Observed, unknown } from '../../domain/observed.ts';
import { redact } from '../../host/redactor.ts';
import type { Lab } from '../lab.ts';
import { smallFix } from '../small-fix.ts';

type FixScope = { readonly mayChange: (path: string) => boolean; readonly python: string };

/** Unknown if git or Python fails. */
export async function fixFacts(
  lab: Pick<Lab, 'fixSmallMistake'>,
  git: GitReader,
  slip: SlipOfAttempt,
  { mayChange, python }: FixScope,
): Promise<Observed<SmallFix>> {
  const { commit } = slip;
  try {
    const paths = (): Promise<readonly string[]> => git.listFiles(commit, '');
    const textOf = (path: string): Promise<string | null> => textIn(git, commit, path);
    const found = await smallFix({ paths, textOf, mayChange }, slip, (question) =>
      lab.fixSmallMistake(question, python),
    );
    if (found.kind === 'unknown' || found.value.kind === 'none') return found;
    // Only the shown and recorded diff is redacted, not the committed file.
    return known({ ...found.value, diff: redact(found.value.diff, []) });
  } catch (error) {
    if (error instanceof GitError) return unknown(error.message);
    throw error;
  }
}

/** Whether a commit is the failed commit plus exactly the fix that follows from its files. Computed here, not taken from the record. */
export async function fixInTree(
  lab: Pick<Lab, 'fixSmallMistake'>,
  git: GitReader,
  slip: SlipOfAttempt,
  { commit, ...scope }: FixScope & { readonly commit: Sha },
): Promise<Observed<FixInTree>> {
  const found = await fixFacts(lab, git, slip, scope);
  if (found.kind === 'unknown') return found;
  if (found.value.kind === 'none') return known({ kind: 'otherwise', why: found.value.reason });
  const { path, text } = found.value;
  try {
    const changed = await git.changedPaths(slip.commit, commit);
    const isAlone = changed.length === 1 && changed[0] === path;
    if (!isAlone) return known({ kind: 'otherwise', why: `it changes ${changed.slice(0, 3).join(', ')}` });
    const isIt =
      (await textIn(git, commit, path)) === text &&
      (await isExecutable(git, commit, path)) === (await isExecutable(git, slip.commit, path));
    return known(isIt ? { kind: 'mended', path } : { kind: 'otherwise', why: `${path} has another text` });
  } catch (error) {
    if (error instanceof GitError) return unknown(error.message);
    throw error;
  }
}

async function isExecutable(git: GitReader, commit: Sha, path: string): Promise<boolean> {
  const entries = await git.entriesIn(commit, [path.split('/').slice(0, -1).join('/')]);
  return entries.find((one) => one.path === path)?.isExecutable === true;
}

/** The text of a regular file. Null for a link, and for bytes that are not UTF-8, because committing the text would change them. */
export async function textIn(git: GitReader, commit: Sha, path: string): Promise<string | null> {
  const folder = path.split('/').slice(0, -1).join('/');
  const entries = folder === '' ? [] : await git.entriesIn(commit, [folder]);
  const entry = entries.find((one) => one.path === path);
  if (entry?.type !== 'blob' || entry.isLink === true) return null;
  const [text, id] = [await git.readText(commit, path), await git.treeId(commit, path)];
  if (text === null || id === null) return null;
  return git.blobIdOf(text) === id ? text : null;
}
