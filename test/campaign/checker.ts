// What must never happen, judged from what people did, what the engine was given, and the bytes that were read at that
// moment. It shares no line with the bot: canonical JSON, digests and the meaning of a comment are written here again.

import { createHash } from 'node:crypto';
import { treeAt } from '../../playground/git/store/memory-remote.ts';
import type { Deed } from './deeds.ts';
import { APPROVAL_AGE_HOURS, type Scene, type Start } from './scene.ts';

/** GitHub tells whole seconds, and a launch that is under way reads the thread once. */
const SLACK_MS = 2_000;
/** A sweep is made every half hour, and every second one where webhooks arrive. */
const SWEEP_MS = 30 * 60_000;
const ANSWERING_MS = 5 * 60_000;
const MAIN = 'refs/heads/main';
const SHIPPED = ['experiments', 'lib', 'scripts'] as const;

/** A comment that stood so long was read, whatever webhooks brought. */
export function heardAfterMs({ webhooks }: Scene): number {
  return (webhooks.wereLost ? 2 * SWEEP_MS : SWEEP_MS) + ANSWERING_MS;
}

/** Every promise that this sequence broke, in words; empty = none. */
export async function faultsOf(scene: Scene): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const start of scene.starts) faults.push(...(await startFaults(scene, start)));
  const ids = scene.starts.map((start) => start.spec.submissionId);
  if (new Set(ids).size < scene.engineStarts())
    faults.push(`${scene.engineStarts()} jobs under ${ids.join(', ')}`);
  return [...faults, ...(await stopFaults(scene)), ...answerFaults(scene), ...idleFaults(scene)];
}

async function startFaults(scene: Scene, start: Start): Promise<readonly string[]> {
  const { digest, manifest } = manifestOf(start);
  const at = `started ${start.spec.submissionId} at ${new Date(start.atMs).toISOString()}`;
  if (manifest === null) return [`${at}: no manifest of the record has the digest ${digest}`];
  const faults: string[] = [];
  const commit = commitOf(start);
  const main = (await scene.lab.store.refs(MAIN)).get(MAIN) ?? '';
  for (const path of SHIPPED) {
    const tree = commit === null ? null : await treeAt(scene.lab.store, commit, path);
    if (tree !== manifest.trees?.[path]) faults.push(`${at}: ${path} is not what was approved`);
    // A ferry changes one experiment and no library.
    if (path !== 'experiments' && tree !== (await treeAt(scene.lab.store, main, path)))
      faults.push(`${at}: ${path} is not what the lab has`);
  }
  const approvals = approvalsOf(scene, start, digest).filter((deed) => !isInterested(scene, start, deed));
  const people = new Set(approvals.map((deed) => deed.by));
  if (people.size < scene.quorum)
    faults.push(`${at}: ${people.size} of ${scene.quorum} had approved ${digest.slice(0, 12)}`);
  for (const other of start.beside) faults.push(`${at}: ${other} was running`);
  for (const deed of standingBrakes(scene, start, approvals))
    faults.push(`${at}: ${deed.text} of ${new Date(deed.atMs).toISOString()} stood`);
  return faults;
}

type Manifest = { readonly trees?: Readonly<Record<string, string>> };

function manifestOf(start: Start): { readonly digest: string; readonly manifest: Manifest | null } {
  const digest = start.spec.metadata.manifest.replace('sha256:', '');
  for (const line of start.record.split('\n')) {
    const event = parsed(line);
    const manifest = event?.data?.['manifest'];
    if (event?.type === 'gated' && manifest !== undefined && sha256(canonical(manifest)) === digest)
      return { digest, manifest: manifest as Manifest };
  }
  return { digest, manifest: null };
}

/** The commit that the order of this attempt names. */
function commitOf(start: Start): string | null {
  const orders = start.record
    .split('\n')
    .map(parsed)
    .filter((event) => event?.type === 'ordered')
    .map((event) => event?.data?.['order'] as { readonly submissionId?: string; readonly commit?: string });
  return orders.findLast((order) => order.submissionId === start.spec.submissionId)?.commit ?? null;
}

type Parsed = { readonly type?: string; readonly data?: Readonly<Record<string, unknown>> } | null;

function parsed(line: string): Parsed {
  try {
    return JSON.parse(line) as Parsed;
  } catch {
    // Lines that somebody pushed need not be JSON; they are no manifest and no order.
    return null;
  }
}

type Approval = Extract<Deed, { readonly kind: 'approved' }>;
type Brake = Extract<Deed, { readonly kind: 'braked' }>;

/** Approvals of exactly this digest that stand: said by a person who may, of an intact card, there and unedited. */
function approvalsOf(scene: Scene, start: Start, digest: string): readonly Approval[] {
  return scene.deeds.filter((deed): deed is Approval => {
    if (deed.kind !== 'approved' || deed.atMs > start.atMs) return false;
    const row = deed.commit === undefined ? start.comments[deed.comment] : start.reviews[deed.comment];
    const isThere = row !== undefined && row.body === deed.text && row.edits.length === 0;
    if (deed.commit !== undefined && deed.commit !== commitOf(start)) return false;
    const isYoung = start.atMs - deed.atMs <= APPROVAL_AGE_HOURS * 3_600_000 + SLACK_MS;
    const mayApprove = ['maintain', 'admin'].includes(start.roles[scene.ids[deed.by]] ?? '');
    const isRevoked = scene.deeds.some(
      (later) =>
        later.kind === 'braked' &&
        later.brake === 'revoke' &&
        later.by === deed.by &&
        later.atMs > deed.atMs + SLACK_MS &&
        later.atMs < start.atMs - SLACK_MS &&
        isHeard(scene, start, later),
    );
    return (
      isThere && isYoung && mayApprove && !isRevoked && deed.isCardIntact && digest.startsWith(deed.digest)
    );
  });
}

/** noor put a hand to something that is not the bot's any more at the moment of the launch. */
function isInterested(scene: Scene, start: Start, approval: Approval): boolean {
  const touched = scene.deeds.filter(
    (deed) => deed.kind === 'changed' && deed.by === approval.by && deed.atMs <= start.atMs,
  );
  return touched.some((deed) => deed.kind === 'changed' && differs(scene, start, deed.what));
}

function differs(scene: Scene, start: Start, what: 'branch' | 'body' | 'issue'): boolean {
  if (what === 'branch') return commitOf(start) !== scene.original.commit;
  const number = what === 'body' ? scene.pull : scene.issue;
  const now = Object.values(start.issues).find((row) => row.number === number)?.body ?? '';
  const before = what === 'body' ? scene.original.body : scene.original.issueBody;
  return unticked(now) !== unticked(before);
}

/** The bot ticks outcomes itself. */
function unticked(text: string): string {
  return text.replaceAll('- [x]', '- [ ]').replaceAll('\r\n', '\n').trim();
}

/** Whether what was said had to be known at the launch: it stands there still, or stood long enough. */
function isHeard(scene: Scene, start: Start, deed: Brake): boolean {
  const row = start.comments[deed.comment];
  if (row !== undefined && row.body === deed.text) return true;
  // Who was answered was heard, whatever became of the comment.
  const isAnswer = isAnswerTo(scene, deed.comment);
  if (Object.values(start.comments).some(isAnswer)) return true;
  const gone = scene.deeds.find(
    (other) => other.kind === 'changed-comment' && other.comment === deed.comment,
  );
  return gone !== undefined && gone.atMs - deed.atMs >= heardAfterMs(scene);
}

function standingBrakes(scene: Scene, start: Start, approvals: readonly Approval[]): readonly Brake[] {
  return scene.deeds.filter((deed): deed is Brake => {
    if (deed.kind !== 'braked' || deed.brake === 'revoke') return false;
    // A stop takes back what was approved until then, and holds back nothing that is approved after it.
    if (deed.brake === 'stop' && approvals.some(({ atMs }) => atMs > deed.atMs)) return false;
    if (deed.atMs > start.atMs - SLACK_MS || !isHeard(scene, start, deed)) return false;
    const mayBrake = isPermitted(scene, start, deed);
    const isReleased = scene.deeds.some(
      (later) => later.kind === 'released' && later.brake === deed.brake && later.atMs >= deed.atMs,
    );
    return mayBrake && !isReleased;
  });
}

/** mira's role comes and goes; who may not brake at the launch perhaps could not when they said it. */
function isPermitted(scene: Scene, start: Start, deed: Brake): boolean {
  const role = start.roles[scene.ids[deed.by]] ?? '';
  return deed.brake === 'freeze' ? role === 'maintain' : ['maintain', 'write', 'admin'].includes(role);
}

/** A job that somebody stopped does not run on. */
async function stopFaults(scene: Scene): Promise<readonly string[]> {
  const now = scene.lab.clock.now();
  const faults: string[] = [];
  for (const start of scene.starts) {
    const job = await scene.lab.engine.observe(start.spec.submissionId, null);
    if (job.kind !== 'found' || !['RUNNING', 'PENDING'].includes(job.status)) continue;
    const stop = scene.deeds.find(
      (deed): deed is Brake =>
        deed.kind === 'braked' &&
        deed.brake === 'stop' &&
        deed.atMs > start.atMs &&
        now - deed.atMs >= heardAfterMs(scene) &&
        scene.lab.world.state.comments[deed.comment]?.body === deed.text &&
        isPermitted(scene, start, deed),
    );
    if (stop !== undefined)
      faults.push(`${start.spec.submissionId} runs ${(now - stop.atMs) / 60_000} min after ${stop.text}`);
  }
  return faults;
}

/** Who asked honestly, and whose comment stands there, has an answer. */
function answerFaults(scene: Scene): readonly string[] {
  const { comments, users } = scene.lab.world.state;
  const now = scene.lab.clock.now();
  const ours = Object.values(comments).filter((row) => users[row.authorId]?.type === 'Bot');
  return scene.deeds.flatMap((deed) => {
    if (deed.kind !== 'approved' && deed.kind !== 'braked' && deed.kind !== 'asked') return [];
    if (deed.kind === 'approved' && deed.commit !== undefined) return [];
    const row = comments[deed.comment];
    if (row === undefined || row.edits.length > 0 || now - deed.atMs < heardAfterMs(scene)) return [];
    const isAnswered = ours.some(isAnswerTo(scene, deed.comment));
    const wasDeleted = scene.deeds.some(
      (other) => other.kind === 'changed-comment' && comments[other.comment] === undefined,
    );
    return isAnswered || wasDeleted || isRecordGone(scene)
      ? []
      : [`${deed.text} (${deed.comment}) has no answer`];
  });
}

/** What nobody has a right to stop anything by. */
const HARMLESS = new Set([
  'a stranger speaks',
  'a workflow speaks',
  'squats a tag',
  'webhooks',
  'pushes a config',
]);

/** What was approved, and what nobody did anything against, is launched. */
function idleFaults(scene: Scene): readonly string[] {
  const isUndisturbed = scene.deeds.every(
    (deed) =>
      ['approved', 'asked', 'forged-comment'].includes(deed.kind) ||
      (deed.kind === 'attack' && HARMLESS.has(deed.what)),
  );
  const now = scene.lab.clock.now();
  const { awayMs } = scene.launcher;
  const approval = scene.deeds.find(
    (deed) => deed.kind === 'approved' && deed.by === 'mira' && deed.isCardIntact,
  );
  const isOwed =
    isUndisturbed &&
    scene.quorum === 1 &&
    scene.starts.length === 0 &&
    awayMs < APPROVAL_AGE_HOURS * 3_000_000 &&
    approval !== undefined &&
    now - approval.atMs > heardAfterMs(scene) + awayMs;
  return isOwed ? [`what was approved at ${new Date(approval.atMs).toISOString()} is not launched`] : [];
}

/** Where somebody spoilt the run's record and the journal too, an answer can be kept nowhere: the thread is told of the record. */
function isRecordGone(scene: Scene): boolean {
  const spoilt = new Set(
    scene.deeds.flatMap((deed) => (deed.kind === 'changed-record' ? [deed.path.split('/')[0]] : [])),
  );
  const forged = new Set(
    scene.deeds.flatMap((deed) => (deed.kind === 'forged-comment' ? [deed.comment] : [])),
  );
  const isTold = Object.values(scene.lab.world.state.comments).some(
    ({ id, body }) => !forged.has(id) && /^<!-- ferrybot:\S+ run=\S+ kind=incident key=logbook-/.test(body),
  );
  return spoilt.size > 1 && isTold;
}

/** What the bot wrote in truth, whoever speaks under the same name. */
function isAnswerTo(
  scene: Scene,
  comment: number,
): (row: { readonly id: number; readonly body: string }) => boolean {
  const forged = new Set(
    scene.deeds.flatMap((deed) => (deed.kind === 'forged-comment' ? [deed.comment] : [])),
  );
  const key = new RegExp(`^<!-- ferrybot:\\S+ [^\\n]*key=comment-${comment}[ -]`);
  return ({ id, body }) => !forged.has(id) && key.test(body);
}

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** RFC 8785 for what a manifest may hold: strings, integers, lists and objects. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
}
