// The checker: it uses only what people did and what was recorded, and none of the bot's own decisions.

import type { LogbookEvent } from '../../src/domain/logbook/define.ts';
import { bodyFingerprint, commitOfContent } from './content.ts';
import { type Deed, type Job, PULL, type Snapshot, type World } from './world.ts';

type Said = Extract<Deed, { kind: 'said' }>;
const BOT_PATIENCE_MS = 3_000;

/** Every broken promise, in words; empty if none is broken. */
export function findFaults(world: World): readonly string[] {
  const jobs = [...world.jobs.values()];
  return [
    ...(jobs.length > 1 ? [`${jobs.length} jobs`] : []),
    ...jobs.flatMap((job) => launchFaults(world, job)),
    ...answerFaults(world),
  ];
}

function launchFaults(world: World, job: Job): readonly string[] {
  const { atClaim } = job;
  const approvers = new Set(
    world.deeds.filter((deed): deed is Said => deed.kind === 'said' && isCounting(deed, job)).map((deed) => deed.by),
  );
  const faults: string[] = [];
  if (approvers.size < world.quorum) faults.push(`launched on ${approvers.size} of ${world.quorum} approvals`);
  if (job.commit !== commitOfContent(atClaim.content)) faults.push('launched what the head is not');
  if (isHeldBack(atClaim)) faults.push('launched while held');
  if (before(atClaim.recorded, job.claimedAt).some((event) => event.type === 'stop-requested'))
    faults.push('launched after a recorded stop');
  return faults;
}

/** Whether this comment approves exactly what the job runs, and is still valid at the claim. */
function isCounting(said: Said, job: Job): boolean {
  const { atClaim } = job;
  const words = /^\/approve-launch ([0-9a-f]{32,64})$/.exec(said.text);
  if (words === null || said.at > job.claimedAt) return false;
  if (!job.digest.slice(7).startsWith(words[1] ?? 'none')) return false;
  const comment = atClaim.comments.find((one) => one.id === said.comment);
  if (comment === undefined || comment.editedAt !== null || comment.minimized || comment.thread !== PULL) return false;
  const held = atClaim.permissions.get(said.by);
  if (held !== 'maintain' && held !== 'admin') return false;
  if (atClaim.editors[0] === said.by) return false;
  return wasShown(said, job) && !wasDroppedAfter(said, job);
}

/**
 * The job runs what the card showed when the comment was written (with a tolerance for whole seconds and
 * clock skew).
 */
function wasShown(said: Said, { atClaim }: Job): boolean {
  const gates = atClaim.recorded.filter((event) => event.type === 'gated');
  const last = gates.findLast((event) => Date.parse(event.at) <= said.at);
  const soon = gates.filter(({ at }) => {
    const afterMs = Date.parse(at) - said.at;
    return afterMs > 0 && afterMs <= BOT_PATIENCE_MS;
  });
  return [last, ...soon].some((event) => event !== undefined && isEventOf(event, atClaim));
}

/** After the comment, the record shows another content on the card or a dropped approval of this person. */
function wasDroppedAfter(said: Said, job: Job): boolean {
  return before(job.atClaim.recorded, job.claimedAt).some((event) => {
    if (Date.parse(event.at) <= said.at + BOT_PATIENCE_MS) return false;
    if (event.type === 'gated') return !isEventOf(event, job.atClaim);
    return event.type === 'approval-dropped' && event.data.users.includes(said.by) && isGivenBefore(event, said, job);
  });
}

/** A drop removes earlier approvals: one recorded later is a new approval. */
function isGivenBefore(drop: LogbookEvent, said: Said, { atClaim }: Job): boolean {
  const given = atClaim.recorded.find((event) => event.type === 'approved' && event.data.comment === said.comment);
  return given === undefined || given.seq < drop.seq;
}

function isEventOf(event: LogbookEvent, { content, body }: Snapshot): boolean {
  return (
    event.type === 'gated' &&
    event.data.commit === commitOfContent(content) &&
    event.data.body === bodyFingerprint(body)
  );
}

function isHeldBack({ recorded, journal }: Snapshot): boolean {
  const standing = new Set<string>();
  for (const event of [...recorded, ...journal]) {
    if (event.type === 'held') standing.add(event.data.scope);
    if (event.type === 'released') standing.delete(event.data.scope);
  }
  return standing.size > 0;
}

function before(events: readonly LogbookEvent[], at: number): readonly LogbookEvent[] {
  return events.filter((event) => Date.parse(event.at) <= at);
}

/** Every command has one answer; an edit may get one more, and a command that was never read needs none. */
function answerFaults(world: World): readonly string[] {
  const answers = [...world.events, ...world.version.journalEvents].filter(
    (event) => event.type === 'command-answered',
  );
  return world.deeds.flatMap((deed) => {
    if (deed.kind !== 'said') return [];
    const own = answers.filter((event) => event.data.comment === deed.comment);
    const comment = world.comments.find((one) => one.id === deed.comment);
    const most = comment?.editedAt === null ? 1 : 2;
    const wasSeen = [...world.events, ...world.version.journalEvents].some(
      (event) => event.type === 'command-seen' && event.data.comment === deed.comment,
    );
    const least = comment === undefined && !wasSeen ? 0 : 1;
    const isWell = own.length >= least && own.length <= most;
    return isWell ? [] : [`${deed.text} (${deed.comment}) has ${own.length} answers`];
  });
}
