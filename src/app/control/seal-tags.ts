/** Whether the tags of sealed runs stand where the record says: a tag is what people check a seal by, and anybody with write access can delete it. */

import { GitError } from '../../domain/git.ts';
import { limits } from '../../domain/limits.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import type { BrokenRun } from '../broken-run.ts';
import type { OpenLab } from '../open-lab.ts';
import { contained, type Trouble } from '../trouble.ts';

/**
 * The newest sealed runs whose tag is gone or points elsewhere, by what was fetched last. Their record is in order; where
 * git does not answer nothing is said.
 */
export async function faultySeals(open: OpenLab, troubles: Trouble[]): Promise<readonly BrokenRun[]> {
  const sealed = open.keeper.current().runs.filter(({ seal }) => seal !== null);
  const found: BrokenRun[] = [];
  for (const state of sealed.slice(0, limits.sealTagsLooked)) {
    const where = { run: state.run, thread: null };
    const fault = await contained(open, troubles, where, () => faultOf(open, state));
    if (fault !== null) found.push({ run: state.run, fault, state, thread: null });
  }
  return found;
}

async function faultOf({ git, lab }: OpenLab, { run, seal }: RunState): Promise<BrokenRun['fault'] | null> {
  if (seal === null) return null;
  const { tag, commit } = seal;
  try {
    const found = await git.resolve(`refs/tags/${tag}`);
    return found === commit ? null : { kind: 'seal-tag', tag, commit, found };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    lab.log(`the tag ${tag} could not be looked at: ${error.message}`, { run });
    return null;
  }
}
