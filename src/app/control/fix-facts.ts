/** What the files of the commit that ran say to the slip that it died of. Nothing of them is run. */

import type { FixInTree } from '../../actions/verify-pre-approval.ts';
import { GitError, type GitReader } from '../../domain/git.ts';
import type { Sha } from '../../domain/ids.ts';
import type { SlipOfAttempt, SmallFix } from '../../domain/launch/small-fix.ts';
import { known, type Observed, unknown } from '../../domain/observed.ts';
import { redact } from '../../host/redactor.ts';
import type { Lab } from '../lab.ts';
import { smallFix } from '../small-fix.ts';

/** Unknown where git cannot tell, or Python is asked and does not answer. */
export async function fixFacts(
  lab: Pick<Lab, 'parser' | 'judgeSyntax'>,
  git: GitReader,
  slip: SlipOfAttempt,
  mayChange: (path: string) => boolean,
): Promise<Observed<SmallFix>> {
  const { commit } = slip;
  try {
    const paths = (): Promise<readonly string[]> => git.listFiles(commit, '');
    const textOf = (path: string): Promise<string | null> => textIn(git, commit, path);
    const found = await smallFix({ paths, textOf, mayChange }, slip, lab.parser);
    if (found.kind === 'none') return known(found);
    // The grammar takes more than Python does; where there is no Python here, the checks of the branch have the word.
    const parser = await lab.parser();
    const { refusal } = await lab.judgeSyntax(parser.parse(found.text), 'python3');
    if (refusal !== null) return known({ kind: 'none', reason: 'not-mended' });
    // What is shown and recorded; the commit has the file as it is.
    return known({ ...found, diff: redact(found.diff, []) });
  } catch (error) {
    if (error instanceof GitError) return unknown(error.message);
    throw error;
  }
}

/**
 * Whether a commit is the one that ran with the fix in it that follows from its files, and nothing else: worked out here,
 * whatever anybody recorded.
 */
export async function fixInTree(
  lab: Pick<Lab, 'parser' | 'judgeSyntax'>,
  git: GitReader,
  slip: SlipOfAttempt,
  { commit, mayChange }: { readonly commit: Sha; readonly mayChange: (path: string) => boolean },
): Promise<Observed<FixInTree>> {
  const found = await fixFacts(lab, git, slip, mayChange);
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

/** Null for a link, whose text is none of a file, and for what is no UTF-8: a commit of it would change other bytes too. */
export async function textIn(git: GitReader, commit: Sha, path: string): Promise<string | null> {
  const folder = path.split('/').slice(0, -1).join('/');
  const entries = folder === '' ? [] : await git.entriesIn(commit, [folder]);
  const entry = entries.find((one) => one.path === path);
  if (entry?.type !== 'blob' || entry.isLink === true) return null;
  const [text, id] = [await git.readText(commit, path), await git.treeId(commit, path)];
  if (text === null || id === null) return null;
  return git.blobIdOf(text) === id ? text : null;
}
