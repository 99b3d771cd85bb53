/** Refs of a bare repository through the git program, with compare-and-set and the fast-forward rule. */

import { git as limits } from '../../limits/limits.ts';
import type { GitProgram } from './git-program.ts';
import type { RefOutcome, RefUpdate, Sha } from './git-store.ts';
import type { ProgramObjects } from './program-objects.ts';
import { fastForwardBase, refuseRef } from './ref-rules.ts';

/** Refs whose full name starts with `prefix`, sorted by name. */
export async function readRefs(git: GitProgram, prefix = ''): Promise<ReadonlyMap<string, Sha>> {
  const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
  const output = await git.read([
    'for-each-ref',
    '--format=%(objectname) %(refname)',
    ...(folder === '' ? [] : [folder]),
  ]);
  const pairs = output
    .toString('utf8')
    .split('\n')
    .map((line): readonly [string, Sha] => [line.slice(41), line.slice(0, 40)])
    .filter(([ref]) => ref !== '' && ref.startsWith(prefix));
  return new Map(pairs);
}

/**
 * One ref update. git compares with the value that was checked, so a writer outside this process is never overwritten.
 * If the value changed, the update is checked again, a limited number of times.
 */
export async function updateProgramRef(
  git: GitProgram,
  objects: ProgramObjects,
  update: RefUpdate,
): Promise<RefOutcome> {
  const { ref, sha } = update;
  const type = sha === null ? null : await objects.typeOf(sha);
  for (let attempt = 0; attempt < limits.refAttempts; attempt += 1) {
    const refs = await readRefs(git);
    const refusal = refuseRef(update, { refs, type });
    if (refusal !== null) return refusal;
    const current = refs.get(ref) ?? null;
    if (sha === null && current === null) return 'updated';
    const base = fastForwardBase(update, current);
    if (base !== null && sha !== null && !(await isDescendant(git, base, sha))) return 'not-fast-forward';
    const args = sha === null ? ['-d', ref, current ?? absentSha] : [ref, sha, current ?? absentSha];
    const { code, stderr } = await git.run(['update-ref', ...args]);
    if (code === 0) return 'updated';
    const now = (await readRefs(git)).get(ref) ?? null;
    if (now === current) throw new Error(`git update-ref ${ref} ended with ${code}: ${stderr.trim()}`);
  }
  return 'stale';
}

/** True when `descendant` is `ancestor` or descends from it; tags are followed to their target. */
async function isDescendant(git: GitProgram, ancestor: Sha, descendant: Sha): Promise<boolean> {
  const { code } = await git.run(['merge-base', '--is-ancestor', ancestor, descendant]);
  return code === 0;
}

const absentSha: Sha = '0'.repeat(40);
