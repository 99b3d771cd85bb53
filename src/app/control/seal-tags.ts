/** Compares the tags of sealed runs with the record: people verify a seal by its tag, and anyone with write access can delete it. */

import { GitError } from '../../domain/git.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { sealTagOf } from '../../run/begun-seal.ts';
import type { BrokenRun } from '../broken-run.ts';
import type { OpenLab } from '../open-lab.ts';
import { contained, type Trouble } from '../trouble.ts';

/** Sealed runs that one sweep checks. */
const SEAL_TAGS_LOOKED = 5;

/**
 * The newest sealed runs with a missing or moved tag, and the newest unsealed runs with a tag, as of the last fetch.
 * If git fails, there is no finding.
 */
export async function faultySeals(open: OpenLab, troubles: Trouble[]): Promise<readonly BrokenRun[]> {
  const { runs } = open.store.current();
  const sealed = runs.filter(({ seal }) => seal !== null);
  // A run being sealed has its tag before its record.
  const others = runs.filter((run) => run.seal === null && run.submission !== null && !isBeingSealed(run));
  const found: BrokenRun[] = [];
  for (const state of [...sealed.slice(0, SEAL_TAGS_LOOKED), ...others.slice(0, SEAL_TAGS_LOOKED)]) {
    const where = { run: state.run, thread: null };
    const fault = await contained(open, troubles, where, () => faultOf(open, state));
    if (fault !== null) found.push({ run: state.run, fault, state, thread: null });
  }
  return found;
}

function isBeingSealed({ commands }: RunState): boolean {
  return [...commands.values()].some(({ name, answer }) => name === 'seal' && answer === null);
}

async function faultOf({ git, lab }: OpenLab, state: RunState): Promise<BrokenRun['fault'] | null> {
  const { run, seal } = state;
  const tag = seal?.tag ?? sealTagOf(state);
  try {
    const found = await git.resolve(`refs/tags/${tag}`);
    if (seal === null) return found === null ? null : { kind: 'tag-without-seal', tag, found };
    return found === seal.commit ? null : { kind: 'seal-tag', tag, commit: seal.commit, found };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    lab.log(`the tag ${tag} could not be looked at: ${error.message}`, { run });
    return null;
  }
}
