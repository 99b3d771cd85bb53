// Promises of ferrybot, judged from people's actions, the engine's input, and the bytes at that moment. The
// checker shares no code with the bot: canonical JSON, digests and the parsing of comments are implemented
// again.

import { treeAt } from '../../packages/playground/git/store/memory-remote.ts';
import { answerDelayMs, findAnswerFaults, isAnswerTo } from './checker-answers.ts';
import { parseManifest, proposedAtMs, startCommit } from './checker-record.ts';
import type { Deed } from './deeds.ts';
import type { Scene } from './scene.ts';
import { APPROVAL_AGE_HOURS } from './terms.ts';
import type { Start } from './witness.ts';

/** GitHub's times have whole seconds, and a running launch reads the thread once. */
export const SLACK_MS = 2_000;
const MAIN = 'refs/heads/main';
const SHIPPED = ['experiments', 'lib', 'scripts'] as const;

/** Every broken promise of this sequence, in words; empty if none is broken. */
export async function findFaults(scene: Scene): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const start of scene.starts) faults.push(...(await findStartFaults(scene, start)));
  const ids = scene.starts.map((start) => start.spec.submissionId);
  if (new Set(ids).size < scene.engineStarts()) faults.push(`${scene.engineStarts()} jobs under ${ids.join(', ')}`);
  return [...faults, ...(await findStopFaults(scene)), ...findAnswerFaults(scene), ...idleFaults(scene)];
}

/** The faults of a launch: other files, too few approvals, a second job, or an active brake. */
export async function findStartFaults(scene: Scene, start: Start): Promise<readonly string[]> {
  const { digest } = parseManifest(start);
  const approvals = listApprovalsOf(scene, start, digest).filter((deed) => !isInterested(scene, start, deed));
  const people = new Set(approvals.map((deed) => deed.by));
  const missing =
    people.size < scene.quorum
      ? [`${describeStart(start)}: ${people.size} of ${scene.quorum} had approved ${digest.slice(0, 12)}`]
      : [];
  return [...missing, ...(await findSituationFaults(scene, start, approvals))];
}

/** The faults that no approval can repair. */
export async function findSituationFaults(
  scene: Scene,
  start: Start,
  approvals: readonly Approval[],
): Promise<readonly string[]> {
  const { digest, manifest } = parseManifest(start);
  const at = describeStart(start);
  if (manifest === null) return [`${at}: no manifest of the record has the digest ${digest}`];
  const faults: string[] = [];
  const commit = startCommit(start);
  const main = (await scene.lab.store.refs(MAIN)).get(MAIN) ?? '';
  for (const path of SHIPPED) {
    const tree = commit === null ? null : await treeAt(scene.lab.store, commit, path);
    if (tree !== manifest.trees?.[path]) faults.push(`${at}: ${path} is not what was approved`);
    // A ferry changes one experiment and no library.
    if (path !== 'experiments' && tree !== (await treeAt(scene.lab.store, main, path)))
      faults.push(`${at}: ${path} is not what the lab has`);
  }
  for (const other of start.beside) faults.push(`${at}: ${other} was running`);
  for (const deed of listOpenBrakes(scene, start, approvals))
    faults.push(`${at}: ${deed.text} of ${new Date(deed.atMs).toISOString()} stood`);
  return faults;
}

function describeStart({ spec, atMs }: Start): string {
  return `started ${spec.submissionId} at ${new Date(atMs).toISOString()}`;
}

type Approval = Extract<Deed, { readonly kind: 'approved' }>;
type Brake = Extract<Deed, { readonly kind: 'braked' }>;

/**
 * Valid approvals of exactly this digest: existing, unedited, by a permitted person, on an unchanged card.
 */
export function listApprovalsOf(scene: Scene, start: Start, digest: string): readonly Approval[] {
  return scene.deeds.filter((deed): deed is Approval => {
    if (deed.kind !== 'approved' || deed.atMs > start.atMs) return false;
    const row = deed.commit === undefined ? start.comments[deed.comment] : start.reviews[deed.comment];
    const isThere = row !== undefined && row.body === deed.text && row.edits.length === 0;
    if (deed.commit !== undefined && deed.commit !== startCommit(start)) return false;
    const isYoung = start.atMs - deed.atMs <= APPROVAL_AGE_HOURS * 3_600_000 + SLACK_MS;
    const mayApprove = ['maintain', 'admin'].includes(start.roles[scene.ids[deed.by]] ?? '');
    const isRevoked = scene.deeds.some(
      (later) =>
        later.kind === 'braked' &&
        later.brake === 'revoke' &&
        isStartOfRun(start, later.run) &&
        later.by === deed.by &&
        later.atMs > deed.atMs + SLACK_MS &&
        later.atMs < start.atMs - SLACK_MS &&
        isBrakeInForce(scene, start, later),
    );
    return isThere && isYoung && mayApprove && !isRevoked && deed.isCardIntact && digest.startsWith(deed.digest);
  });
}

/** The approver requested the run, or contributed to a change by others at the launch. */
function isInterested(scene: Scene, start: Start, approval: Approval): boolean {
  if (approval.by === scene.askedBy) return true;
  // A user who continues a run as another one is its requester.
  const next = scene.deeds.some(
    (deed) => deed.kind === 'resumed-as' && deed.by === approval.by && isStartOfRun(start, deed.run),
  );
  if (next) return true;
  const touched = scene.deeds.filter(
    (deed) => deed.kind === 'changed' && deed.by === approval.by && deed.atMs <= start.atMs,
  );
  return touched.some((deed) => deed.kind === 'changed' && differs(scene, start, deed.what));
}

function differs(scene: Scene, start: Start, what: 'branch' | 'body' | 'issue'): boolean {
  if (what === 'branch') return startCommit(start) !== scene.original.commit;
  const number = what === 'body' ? scene.pull : scene.issue;
  const now = Object.values(start.issues).find((row) => row.number === number)?.body ?? '';
  const before = what === 'body' ? scene.original.body : scene.original.issueBody;
  return untickBoxes(now) !== untickBoxes(before);
}

/** Without ticked boxes, because the bot ticks outcomes itself. */
function untickBoxes(text: string): string {
  return text.replaceAll('- [x]', '- [ ]').replaceAll('\r\n', '\n').trim();
}

/** Whether a brake had to be known at the launch: its comment still exists, or existed long enough. */
export function isBrakeInForce(scene: Scene, start: Start, deed: Brake): boolean {
  const row = start.comments[deed.comment];
  if (row !== undefined && row.body === deed.text) return true;
  const gone = scene.deeds.find((other) => other.kind === 'changed-comment' && other.comment === deed.comment);
  // An answered command was read, even if its comment is gone; an answer after an edit belongs to the edit.
  const isAnswer = isAnswerTo(scene, deed.comment);
  const answer = Object.values(start.comments).find(isAnswer);
  if (answer !== undefined && (gone === undefined || answer.createdAtMs <= gone.atMs)) return true;
  return gone !== undefined && gone.atMs - deed.atMs >= answerDelayMs(scene);
}

export function isControlKeyStolen({ deeds }: Pick<Scene, 'deeds'>): boolean {
  return deeds.some((deed) => deed.kind === 'attack' && deed.what.startsWith('control key'));
}

function listOpenBrakes(scene: Scene, start: Start, approvals: readonly Approval[]): readonly Brake[] {
  return scene.deeds.filter((deed): deed is Brake => {
    if (deed.kind !== 'braked' || deed.brake === 'revoke' || !isStartOfRun(start, deed.run)) return false;
    // A stop cancels earlier approvals, but blocks no later one.
    if (deed.brake === 'stop' && approvals.some(({ atMs }) => atMs > deed.atMs)) return false;
    // With the control key a hold can be lifted in the record (threat model); a new approval then launches.
    if (isControlKeyStolen(scene) && approvals.some(({ atMs }) => atMs > deed.atMs)) return false;
    // A hold applies to the thread's current run, and not to a run proposed there later.
    if (deed.brake === 'hold' && deed.atMs < proposedAtMs(start)) return false;
    if (deed.atMs > start.atMs - SLACK_MS || !isBrakeInForce(scene, start, deed)) return false;
    const mayBrake = isPermitted(scene, start, deed);
    const isReleased = scene.deeds.some(
      (later) =>
        later.kind === 'released' &&
        later.atMs >= deed.atMs &&
        isStartOfRun(start, later.run) &&
        // A command with a run name lifts only that run's hold.
        (later.run === undefined || deed.brake === 'hold') &&
        later.brake === deed.brake,
    );
    return mayBrake && !isReleased;
  });
}

/** Whether a command for this run name, or without one, applies to this job's run. */
function isStartOfRun(start: Start, run: string | undefined): boolean {
  return run === undefined || start.spec.submissionId.startsWith(`ferrybot-${run}-a`);
}

/** mira's role changes: without permission at the launch, she may not have had it when she commented. */
function isPermitted(scene: Scene, start: Start, deed: Brake): boolean {
  const role = start.roles[scene.ids[deed.by]] ?? '';
  return ['maintain', 'write', 'admin'].includes(role);
}

/** Whether mira may stop at the end as at the launch, without an interruption. */
function hasKeptRole({ lab, ids, deeds }: Scene, start: Start): boolean {
  const [repo] = Object.values(lab.world.state.repos);
  const isTouched = deeds.some((deed) => deed.kind === 'attack' && deed.what === 'a role changes');
  return !isTouched && repo?.collaborators[ids.mira] === start.roles[ids.mira];
}

/** A stopped job does not keep running. */
export async function findStopFaults(scene: Scene): Promise<readonly string[]> {
  const now = scene.lab.clock.now();
  const faults: string[] = [];
  for (const start of scene.starts) {
    const job = await scene.lab.engine.observe(start.spec.submissionId, null);
    if (job.kind !== 'found' || !['RUNNING', 'PENDING'].includes(job.status)) continue;
    const stop = scene.deeds.find(
      (deed): deed is Brake =>
        deed.kind === 'braked' &&
        deed.brake === 'stop' &&
        isStartOfRun(start, deed.run) &&
        deed.atMs > start.atMs &&
        now - deed.atMs >= answerDelayMs(scene) &&
        scene.lab.world.state.comments[deed.comment]?.body === deed.text &&
        (deed.by === 'ada' || hasKeptRole(scene, start)),
    );
    if (stop !== undefined)
      faults.push(`${start.spec.submissionId} runs ${(now - stop.atMs) / 60_000} min after ${stop.text}`);
  }
  return faults;
}

/** Moves that cannot stop anything. */
const HARMLESS = new Set(['a stranger speaks', 'a workflow speaks', 'squats a tag', 'webhooks', 'pushes a config']);

/** An approved launch without any interference happens. */
function idleFaults(scene: Scene): readonly string[] {
  const isUndisturbed = scene.deeds.every(
    (deed) =>
      ['approved', 'asked', 'forged-comment'].includes(deed.kind) ||
      (deed.kind === 'attack' && HARMLESS.has(deed.what)),
  );
  const now = scene.lab.clock.now();
  const { longestAwayMs: awayMs } = scene.launcher;
  const approval = scene.deeds.find((deed) => deed.kind === 'approved' && deed.by === 'mira' && deed.isCardIntact);
  const isOwed =
    isUndisturbed &&
    scene.quorum === 1 &&
    scene.starts.length === 0 &&
    awayMs < APPROVAL_AGE_HOURS * 3_000_000 &&
    approval !== undefined &&
    now - approval.atMs > answerDelayMs(scene) + awayMs;
  return isOwed ? [`what was approved at ${new Date(approval.atMs).toISOString()} is not launched`] : [];
}
