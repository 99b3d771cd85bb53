/** Carries out the effects of control, one by one, each with a boundary before and after it. */

import { assertNever } from '../../domain/assert.ts';
import type { Effect, EffectOutcome } from '../../domain/effect.ts';
import { GitError } from '../../domain/git.ts';
import { putCheckRun } from '../../github/check-run.ts';
import { editComment, postComment, postSharedComment, react } from '../../github/comments.ts';
import { editIssue, openIssue } from '../../github/issues.ts';
import { closePull, editPullBody, mergePull, openPull } from '../../github/pulls.ts';
import { dispatchWorkflow } from '../../github/workflows.ts';
import type { Lab, LabGit } from '../lab.ts';

/** Effects that control carries out; the record is appended by its keeper, jobs are the runner's and the watch's. */
export type ControlEffect = Exclude<Effect, { kind: 'append' | 'submit-job' | 'stop-job' }>;

/** Performs one effect and says what came of it. Throws only for bugs. */
export async function perform(lab: Lab, git: LabGit, effect: ControlEffect): Promise<EffectOutcome> {
  lab.boundary(effect.kind, 'before');
  const outcome = await carryOut(lab, git, effect);
  lab.boundary(effect.kind, 'after');
  if (outcome.kind !== 'done') lab.log(`${effect.kind}: ${outcome.kind}`, { message: outcome.message });
  return outcome;
}

async function carryOut(lab: Lab, git: LabGit, effect: ControlEffect): Promise<EffectOutcome> {
  const { client } = lab;
  switch (effect.kind) {
    case 'react':
      return react(client, effect.surface, effect.comment, effect.content);
    case 'post-comment':
      return effect.isShared === true
        ? postSharedComment(client, effect.thread, effect.marker, effect.body)
        : postComment(client, effect.thread, effect.marker, effect.body);
    case 'edit-comment':
      return editComment(client, effect.comment, effect.body);
    case 'put-check-run':
      return putCheckRun(client, effect);
    case 'edit-pull-body':
      return editPullBody(client, effect.pull, effect.expected, effect.body, lab.digestOf);
    case 'dispatch-workflow':
      return dispatchWorkflow(client, effect);
    case 'push-branch':
      return pushBranch(lab, git, effect);
    case 'open-issue':
      return openIssue(client, effect);
    case 'edit-issue':
      return editIssue(client, effect, lab.digestOf);
    case 'open-pull':
      return openPull(client, effect);
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

/** A branch of ours that is there already was pushed by an earlier try: branch names are made once for a run. */
async function pushBranch(
  lab: Lab,
  git: LabGit,
  effect: Extract<Effect, { kind: 'push-branch' }>,
): Promise<EffectOutcome> {
  const ref = `refs/heads/${effect.branch}`;
  return orUnreachable(async () => {
    const outcome = await git.commitAndPush({
      ref,
      expected: null,
      parent: effect.base,
      files: effect.files,
      message: effect.message,
      atMs: lab.now(),
    });
    if (outcome.kind === 'pushed') return { kind: 'done', number: null, isNew: true };
    if (outcome.kind === 'rejected') return { kind: 'done', number: null };
    return outcome.kind === 'refused'
      ? { kind: 'refused', code: 'push-refused', message: outcome.message }
      : outcome;
  });
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
