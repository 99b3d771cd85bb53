/** Performs control's effects one by one, with a crash-test boundary around each. */

import type { Effect, EffectOutcome } from '../../domain/effect.ts';
import { GitError } from '../../domain/git.ts';
import {
  isControlTextCurrent,
  isOwnText,
  lastEntry,
  markerIdentity,
  type VerifiedMarker,
} from '../../domain/marker.ts';
import { assertNever, type Sha } from '../../domain/values.ts';
import { putCheckRun } from '../../github/check-run.ts';
import { addReaction, editComment, postComment, unlocked } from '../../github/comments.ts';
import { assignPeople, editIssue, mergePull, openIssue, openPull } from '../../github/issues.ts';
import { readPeople } from '../../github/settings.ts';
import { dispatchWorkflow } from '../../github/workflows.ts';
import { createSigners } from '../../logbook/append.ts';
import { sealMarker, UNNUMBERED } from '../../logbook/mark.ts';
import { leftOpenNotice } from '../../render/issues.ts';
import { renderMentions } from '../../render/notice.ts';
import type { LabConfig } from '../../run/lane.ts';
import type { Lab, LabGit } from '../lab.ts';
import { createMarkerVerifier, issueMarkerReader } from '../markers.ts';
import type { OpenLab } from '../open-lab.ts';

const WITHOUT_KEY: EffectOutcome = {
  kind: 'refused',
  code: 'no-signing-key',
  message: 'this process holds no key to sign a text',
};

/** Label of every issue that the bot opens (policy HR-72). */
const AGENT_LABEL = 'agent-generated';

type PostingContext = Pick<OpenLab, 'lab' | 'config'>;

type TextEffect = Extract<Effect, { kind: 'post-comment' | 'edit-comment' | 'open-issue' | 'edit-issue' }>;

/** Seals and writes a text; no other code seals texts. An unsealed text would count as another person's, and be posted again. */
async function writeText({ lab, config }: PostingContext, effect: TextEffect): Promise<EffectOutcome> {
  const { client } = lab;
  if (effect.kind === 'edit-issue' && effect.body === null) return editIssue(client, effect, lab.digestOf);
  const mentions = effect.kind === 'post-comment' ? await renderMentionsFor(lab, effect) : '';
  const body = sealText(lab, config, threadOfEffect(effect), `${effect.body ?? ''}${mentions}`);
  if (body === null) return WITHOUT_KEY;
  switch (effect.kind) {
    case 'post-comment': {
      const { thread, isShared = false } = effect;
      const markerOf = createMarkerVerifier(lab, config);
      const isSameIssue = sameTextCheck(lab, config, effect, body);
      const outcome = await writeInThread({ lab, config }, thread, () =>
        postComment(client, { thread, body, isSame: isSameIssue, isShared }),
      );
      return addWrittenMarker(outcome, (standing) => markerOf(thread, standing));
    }
    case 'edit-comment':
      return addWrittenMarker(
        await writeInThread({ lab, config }, effect.thread, () => editComment(client, { ...effect, body })),
        (standing) => createMarkerVerifier(lab, config)(effect.thread, standing),
      );
    case 'open-issue': {
      const markerOf = issueMarkerReader(lab, config);
      // People may have edited the issue's text, so compare only the markers.
      const isSameIssue = (number: number, standing: string): boolean => {
        const found = markerOf(number, standing);
        const isControls = found?.role === 'control' || markerOf(UNNUMBERED, body)?.role !== 'control';
        return found !== null && isControls && markerIdentity(found) === effect.marker;
      };
      // rule HR-72
      return openIssue(client, { ...effect, body, labels: [...effect.labels, AGENT_LABEL] }, isSameIssue);
    }
    case 'edit-issue':
      return editIssue(client, { ...effect, body }, lab.digestOf);
    default:
      return assertNever(effect);
  }
}

/** Writes into a thread. If a locked thread could not be locked again, notifies its maintainers. */
async function writeInThread(
  place: PostingContext,
  thread: number,
  work: () => Promise<EffectOutcome>,
): Promise<EffectOutcome> {
  const { lab } = place;
  const { outcome, leftOpen } = await unlocked(lab.client, thread, work);
  if (leftOpen === null) return outcome;
  lab.log(`the thread was locked, and is left open: ${leftOpen}`, { thread });
  await writeText(place, leftOpenNotice({ thread, atMs: lab.now(), why: leftOpen }));
  return outcome;
}

/** Reads user names when posting, because accounts can be renamed. */
async function renderMentionsFor(
  lab: Lab,
  { thread, mentions }: Extract<Effect, { kind: 'post-comment' }>,
): Promise<string> {
  if (mentions === undefined) return '';
  const people = await readPeople(lab.client);
  if (mentions.isAssigned === true && people.kind === 'known') {
    const meant = people.value.filter(({ actor }) => mentions.people.includes(actor.id));
    const assigned = await assignPeople(
      lab.client,
      thread,
      meant.map(({ actor }) => actor),
    );
    // Post the mention even if the assignment failed.
    if (assigned.kind !== 'done') lab.log(`nobody was assigned: ${assigned.message}`, { thread });
  }
  return renderMentions(mentions, people);
}

/** Verifies the text that GitHub stored, like any other text in the thread. */
function addWrittenMarker(
  outcome: EffectOutcome,
  markerOf: (standing: string) => VerifiedMarker | null,
): EffectOutcome {
  if (outcome.kind !== 'done' || outcome.written === undefined) return outcome;
  const { written } = outcome;
  return { ...outcome, written: { ...written, marker: markerOf(written.body) } };
}

function threadOfEffect(effect: TextEffect): number {
  if (effect.kind === 'open-issue') return UNNUMBERED;
  return effect.kind === 'edit-issue' ? effect.issue : effect.thread;
}

/** Where to perform effects, and the config with the keys that seal texts. */
type PerformContext = Pick<OpenLab, 'lab' | 'git' | 'config'>;

/** Performs one effect. Throws only for bugs. */
export function performEffect(place: PerformContext, effect: Effect): Promise<EffectOutcome> {
  return withBoundary(place.lab, effect, () => performUnbounded(place, effect));
}

/** Reacts to a comment; does not need a config. */
export function performReaction(lab: Lab, effect: Extract<Effect, { kind: 'react' }>): Promise<EffectOutcome> {
  return withBoundary(lab, effect, () => addReaction(lab.client, effect.surface, effect.comment, effect.content));
}

async function withBoundary(lab: Lab, { kind }: Effect, work: () => Promise<EffectOutcome>): Promise<EffectOutcome> {
  lab.boundary(kind, 'before');
  const outcome = await work();
  lab.boundary(kind, 'after');
  if (outcome.kind !== 'done') lab.log(`${kind}: ${outcome.kind}`, { message: outcome.message });
  return outcome;
}

async function performUnbounded(place: PerformContext, effect: Effect): Promise<EffectOutcome> {
  const { lab, git } = place;
  const { client } = lab;
  switch (effect.kind) {
    case 'react':
      return addReaction(client, effect.surface, effect.comment, effect.content);
    case 'post-comment':
    case 'edit-comment':
    case 'open-issue':
    case 'edit-issue':
      return writeText(place, effect);
    case 'put-check-run':
      return putCheckRun(client, effect);
    case 'dispatch-workflow':
      return dispatchWorkflow(client, effect);
    case 'push-branch':
      return pushBranch(lab, git, effect);
    case 'open-pull': {
      const body = sealText(lab, place.config, UNNUMBERED, effect.body);
      return body === null ? WITHOUT_KEY : openPull(client, { ...effect, body });
    }
    case 'merge-pull':
      return mergePull(client, effect.pull, effect.head);
    case 'push-tag':
      return pushTag(lab, git, effect);
    default:
      return assertNever(effect);
  }
}

/**
 * Pushes the branch of a run. Branch names are unique to a run, so an existing branch may come from an earlier try. Other writers can also
 * create it first, so it must not change other files.
 */
async function pushBranch(
  lab: Lab,
  git: LabGit,
  effect: Extract<Effect, { kind: 'push-branch' }>,
): Promise<EffectOutcome> {
  const ref = `refs/heads/${effect.branch}`;
  return gitErrorsAsOutcome(async () => {
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
      return isRemoteSameCommit(git, ref, outcome.sha);
    if (outcome.kind === 'rejected' && effect.onto !== undefined)
      return { kind: 'refused', code: 'branch-moved', message: `${ref} is not on ${effect.base} any more` };
    if (outcome.kind === 'rejected') return findEarlierPush(lab, git, ref, effect);
    return outcome.kind === 'refused' ? { kind: 'refused', code: 'push-refused', message: outcome.message } : outcome;
  });
}

/** Accepts a branch with the commit: an earlier try pushed it, and people may have built on it. Rejects others. Throws `GitError`. */
async function isRemoteSameCommit(git: LabGit, ref: string, sha: Sha): Promise<EffectOutcome> {
  await git.fetch();
  const tip = await git.resolve(ref);
  if (tip === null) throw new GitError('unreadable', `${ref} was there and is not any more`);
  return (await git.mergeBase(sha, tip)) === sha
    ? { kind: 'done', number: null, sha }
    : { kind: 'refused', code: 'branch-moved', message: `somebody else pushed ${ref}: delete it` };
}

/** Decides whether an existing branch is usable, and adds the files if it may follow. Throws `GitError`. */
async function findEarlierPush(
  lab: Lab,
  git: LabGit,
  ref: string,
  effect: Extract<Effect, { kind: 'push-branch' }>,
): Promise<EffectOutcome> {
  const { base, branch, files, message, mayAppend } = effect;
  await git.fetch();
  const tip = await git.resolve(ref);
  if (tip === null) throw new GitError('unreadable', `${ref} was there and is not any more`);
  const conflictOutcome = (why: string): EffectOutcome => ({
    kind: 'refused',
    code: 'branch-elsewhere',
    message: `somebody pushed the branch ${branch}, and it ${why}: delete it and say it again`,
  });
  const from = await git.mergeBase(base, tip);
  if (from === null) return conflictOutcome('is of another history');
  const [first, ...others] = (await git.changedPaths(from, tip)).filter((path) => !Object.hasOwn(files, path));
  if (first !== undefined) return conflictOutcome(`changes ${first}${others.length > 0 ? ' and more' : ''}`);
  if (mayAppend !== true || (await isSame(git, tip, files))) return { kind: 'done', number: null };
  // The files were written for the current target branch. Committing them on an older base would also add other changes from that branch.
  for (const path of Object.keys(files))
    if ((await git.readText(from, path)) !== (await git.readText(base, path)))
      return conflictOutcome(`begins where ${path} was another`);
  const outcome = await git.commitAndPush({ ref, expected: tip, parent: tip, files, message, atMs: lab.now() });
  if (outcome.kind === 'pushed') return { kind: 'done', number: null, sha: outcome.sha };
  if (outcome.kind === 'rejected')
    return { kind: 'unknown', message: `${ref} was pushed to by somebody else just now` };
  return outcome.kind === 'refused' ? { kind: 'refused', code: 'push-refused', message: outcome.message } : outcome;
}

async function isSame(git: LabGit, commit: Sha, files: Readonly<Record<string, string>>): Promise<boolean> {
  for (const [path, text] of Object.entries(files)) if ((await git.readText(commit, path)) !== text) return false;
  return true;
}

/** Creates a tag and never moves one. If the tag exists at another commit, the seal is refused. */
async function pushTag(lab: Lab, git: LabGit, effect: Extract<Effect, { kind: 'push-tag' }>): Promise<EffectOutcome> {
  return gitErrorsAsOutcome(async () => {
    const outcome = await git.pushTag({
      name: effect.tag,
      commit: effect.commit,
      message: effect.message,
      atMs: lab.now(),
    });
    if (outcome.kind === 'pushed') return { kind: 'done', number: null };
    if (outcome.kind === 'exists') {
      if (outcome.commit === effect.commit) return { kind: 'done', number: null };
      return { kind: 'refused', code: 'tag-elsewhere', message: `the tag ${effect.tag} points to ${outcome.commit}` };
    }
    if (outcome.kind === 'rejected')
      return { kind: 'unknown', message: 'the tag was written by somebody else just now' };
    return outcome.kind === 'refused' ? { kind: 'refused', code: 'push-refused', message: outcome.message } : outcome;
  });
}

async function gitErrorsAsOutcome(work: () => Promise<EffectOutcome>): Promise<EffectOutcome> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof GitError) return { kind: 'unknown', message: error.message };
    throw error;
  }
}

/** Seals a text for a thread; null if this process has no key. */
function sealText(lab: Lab, config: LabConfig, thread: number, body: string): string | null {
  const at = lab.now();
  const signers = createSigners(lab.signingKeys, config.keys, at);
  const signer = signers.control ?? signers.watch ?? signers.runner;
  if (signer === undefined) return null;
  return sealMarker(body, { repository: lab.repository, thread }, { signer, at, hash: lab.hash });
}

/** Whether the thread already contains the text to post. Control's texts must match word for word and include the same entry. */
function sameTextCheck(
  lab: Lab,
  config: LabConfig,
  { thread, marker, body, entry }: Extract<Effect, { kind: 'post-comment' }>,
  sealedBody: string,
): (standing: string) => boolean {
  const markerOf = createMarkerVerifier(lab, config);
  const own = markerOf(thread, sealedBody);
  const isControls = own?.role === 'control' && (entry === undefined || entry.role === 'control');
  return (standing) => {
    const found = markerOf(thread, standing);
    if (found === null || !isOwnText(found, marker) || lastEntry(found) < (entry?.seq ?? 0)) return false;
    return !isControls || isControlTextCurrent(found, standing, body);
  };
}
