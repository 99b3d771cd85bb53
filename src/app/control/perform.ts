/** Carries out the effects of control, one by one, each with a boundary before and after it. */

import { assertNever } from '../../domain/assert.ts';
import type { Effect, EffectOutcome } from '../../domain/effect.ts';
import { GitError } from '../../domain/git.ts';
import type { Sha } from '../../domain/ids.ts';
import { putCheckRun } from '../../github/check-run.ts';
import { react } from '../../github/comments.ts';
import { closePull, editPullBody, mergePull, openPull } from '../../github/pulls.ts';
import { dispatchWorkflow } from '../../github/workflows.ts';
import { UNNUMBERED } from '../../logbook/marker-seal.ts';
import type { Lab, LabGit } from '../lab.ts';
import { sealed } from '../markers.ts';
import type { OpenLab } from '../open-lab.ts';
import { WITHOUT_KEY, writeText } from './write-text.ts';

/** Where effects are carried out, and by which config their texts are sealed. */
export type PerformPlace = Pick<OpenLab, 'lab' | 'git' | 'config'>;

/** Performs one effect and says what came of it. Throws only for bugs. */
export function perform(place: PerformPlace, effect: Effect): Promise<EffectOutcome> {
  return between(place.lab, effect, () => carryOut(place, effect));
}

/** Reacts to a comment. It needs no config: a receipt is given before anything is opened. */
export function performReaction(
  lab: Lab,
  effect: Extract<Effect, { kind: 'react' }>,
): Promise<EffectOutcome> {
  return between(lab, effect, () => react(lab.client, effect.surface, effect.comment, effect.content));
}

async function between(
  lab: Lab,
  { kind }: Effect,
  work: () => Promise<EffectOutcome>,
): Promise<EffectOutcome> {
  lab.boundary(kind, 'before');
  const outcome = await work();
  lab.boundary(kind, 'after');
  if (outcome.kind !== 'done') lab.log(`${kind}: ${outcome.kind}`, { message: outcome.message });
  return outcome;
}

async function carryOut(place: PerformPlace, effect: Effect): Promise<EffectOutcome> {
  const { lab, git } = place;
  const { client } = lab;
  switch (effect.kind) {
    case 'react':
      return react(client, effect.surface, effect.comment, effect.content);
    case 'post-comment':
    case 'edit-comment':
    case 'open-issue':
    case 'edit-issue':
      return writeText(place, effect);
    case 'put-check-run':
      return putCheckRun(client, effect);
    case 'edit-pull-body': {
      const body = sealed(lab, place.config, effect.pull, effect.body);
      return body === null
        ? WITHOUT_KEY
        : editPullBody(client, effect.pull, effect.expected, body, lab.digestOf);
    }
    case 'dispatch-workflow':
      return dispatchWorkflow(client, effect);
    case 'push-branch':
      return pushBranch(lab, git, effect);
    case 'open-pull': {
      const body = sealed(lab, place.config, UNNUMBERED, effect.body);
      return body === null ? WITHOUT_KEY : openPull(client, { ...effect, body });
    }
    case 'close-pull':
      return closePull(client, effect.pull);
    case 'merge-pull':
      return mergePull(client, effect.pull, effect.head);
    case 'push-tag':
      return pushTag(lab, git, effect);
    default:
      return assertNever(effect);
  }
}

/**
 * A branch of ours that is there already was pushed by an earlier try: branch names are made once for a run. Anybody who may
 * write can push one first: what changes more than ours would is not passed off as ours.
 */
async function pushBranch(
  lab: Lab,
  git: LabGit,
  effect: Extract<Effect, { kind: 'push-branch' }>,
): Promise<EffectOutcome> {
  const ref = `refs/heads/${effect.branch}`;
  return orUnreachable(async () => {
    const outcome = await git.commitAndPush({
      ref,
      expected: effect.onto === undefined || effect.onto.isNewBranch === true ? null : effect.base,
      parent: effect.base,
      files: effect.files,
      message: effect.message,
      atMs: effect.onto?.atMs ?? lab.now(),
    });
    if (outcome.kind === 'pushed') return { kind: 'done', number: null, isNew: true, sha: outcome.sha };
    if (outcome.kind === 'rejected' && effect.onto?.isNewBranch === true)
      return sameCommit(git, ref, outcome.sha);
    if (outcome.kind === 'rejected' && effect.onto !== undefined)
      return { kind: 'refused', code: 'branch-moved', message: `${ref} is not on ${effect.base} any more` };
    if (outcome.kind === 'rejected') return pushedBefore(lab, git, ref, effect);
    return outcome.kind === 'refused'
      ? { kind: 'refused', code: 'push-refused', message: outcome.message }
      : outcome;
  });
}

/** An earlier try pushed the same commit, and people may have built on it; any other branch of the name is not ours. Throws `GitError`. */
async function sameCommit(git: LabGit, ref: string, sha: Sha): Promise<EffectOutcome> {
  await git.fetch();
  const tip = await git.resolve(ref);
  if (tip === null) throw new GitError('unreadable', `${ref} was there and is not any more`);
  return (await git.mergeBase(sha, tip)) === sha
    ? { kind: 'done', number: null, sha }
    : { kind: 'refused', code: 'branch-moved', message: `somebody else pushed ${ref}: delete it` };
}

/** What becomes of a branch that is there already. Throws `GitError`. */
async function pushedBefore(
  lab: Lab,
  git: LabGit,
  ref: string,
  effect: Extract<Effect, { kind: 'push-branch' }>,
): Promise<EffectOutcome> {
  const { base, branch, files, message, mayFollow } = effect;
  await git.fetch();
  const tip = await git.resolve(ref);
  if (tip === null) throw new GitError('unreadable', `${ref} was there and is not any more`);
  const elsewhere = (why: string): EffectOutcome => ({
    kind: 'refused',
    code: 'branch-elsewhere',
    message: `somebody pushed the branch ${branch}, and it ${why}: delete it and say it again`,
  });
  const from = await git.mergeBase(base, tip);
  if (from === null) return elsewhere('is of another history');
  const [first, ...others] = (await git.changedPaths(from, tip)).filter(
    (path) => !Object.hasOwn(files, path),
  );
  if (first !== undefined) return elsewhere(`changes ${first}${others.length > 0 ? ' and more' : ''}`);
  if (mayFollow !== true || (await isSame(git, tip, files))) return { kind: 'done', number: null };
  // Written for the target branch as it is now: on an older one it would bring that branch's own lines along.
  for (const path of Object.keys(files))
    if ((await git.readText(from, path)) !== (await git.readText(base, path)))
      return elsewhere(`begins where ${path} was another`);
  const outcome = await git.commitAndPush({
    ref,
    expected: tip,
    parent: tip,
    files,
    message,
    atMs: lab.now(),
  });
  if (outcome.kind === 'pushed') return { kind: 'done', number: null, sha: outcome.sha };
  if (outcome.kind === 'rejected')
    return { kind: 'unknown', message: `${ref} was pushed to by somebody else just now` };
  return outcome.kind === 'refused'
    ? { kind: 'refused', code: 'push-refused', message: outcome.message }
    : outcome;
}

async function isSame(git: LabGit, commit: Sha, files: Readonly<Record<string, string>>): Promise<boolean> {
  for (const [path, text] of Object.entries(files))
    if ((await git.readText(commit, path)) !== text) return false;
  return true;
}

/** A tag is never moved: one that points elsewhere refuses the seal. */
async function pushTag(
  lab: Lab,
  git: LabGit,
  effect: Extract<Effect, { kind: 'push-tag' }>,
): Promise<EffectOutcome> {
  return orUnreachable(async () => {
    const outcome = await git.pushTag({
      name: effect.tag,
      commit: effect.commit,
      message: effect.message,
      atMs: lab.now(),
    });
    if (outcome.kind === 'pushed') return { kind: 'done', number: null };
    if (outcome.kind === 'exists') {
      if (outcome.commit === effect.commit) return { kind: 'done', number: null };
      return {
        kind: 'refused',
        code: 'tag-elsewhere',
        message: `the tag ${effect.tag} points to ${outcome.commit}`,
      };
    }
    if (outcome.kind === 'rejected')
      return { kind: 'unknown', message: 'the tag was written by somebody else just now' };
    return outcome.kind === 'refused'
      ? { kind: 'refused', code: 'push-refused', message: outcome.message }
      : outcome;
  });
}

async function orUnreachable(work: () => Promise<EffectOutcome>): Promise<EffectOutcome> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof GitError) return { kind: 'unknown', message: error.message };
    throw error;
  }
}
