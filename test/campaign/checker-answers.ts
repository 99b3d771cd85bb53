// Checks that each honest command has an answer in the bot's own text within its time limit.

import type { Deed } from './deeds.ts';
import type { Scene } from './scene.ts';

/** A sweep runs every half hour, and only every second one if webhooks arrive. */
const SWEEP_MS = 30 * 60_000;
const ANSWERING_MS = 5 * 60_000;

/** A comment that existed this long was read, with or without webhooks. */
export function answerDelayMs({ webhooks }: Scene): number {
  return (webhooks.wereLost ? 2 * SWEEP_MS : SWEEP_MS) + ANSWERING_MS;
}

/** Every honest command with an existing comment has an answer, and got it in time. */
export function findAnswerFaults(scene: Scene): readonly string[] {
  const { comments, reviews, users } = scene.lab.world.state;
  const now = scene.lab.clock.now();
  const ours = Object.values(comments).filter((row) => users[row.authorId]?.type === 'Bot');
  return scene.deeds.flatMap((deed) => {
    if (!isCommand(deed)) return [];
    const isReview = deed.kind === 'approved' && deed.commit !== undefined;
    const row = isReview ? reviews[deed.comment] : comments[deed.comment];
    if (row === undefined || row.edits.length > 0 || now - deed.atMs < answerDelayMs(scene)) return [];
    const key = answerKey(deed.comment, isReview ? 'review' : 'comment');
    const answers = ours.filter(isAnswerTo(scene, deed.comment, isReview ? 'review' : 'comment'));
    const isInTime = answers.some(({ createdAtMs }) => createdAtMs - deed.atMs <= answerDelayMs(scene));
    // An answer that another user deleted or changed counts.
    const wasSpoilt = scene.deeds.some((other) => other.kind === 'changed-comment' && key.test(other.was));
    if (isInTime || wasSpoilt || isRecordGone(scene, row.issueNumber)) return [];
    const [late] = answers;
    return late === undefined
      ? [`${deed.text} (${deed.comment}) has no answer`]
      : [`${deed.text} (${deed.comment}) was answered after ${(late.createdAtMs - deed.atMs) / 60_000} min`];
  });
}

type Command = Extract<Deed, { readonly kind: 'approved' | 'braked' | 'asked' | 'resumed-as' | 'let-go' | 'kept' }>;

function isCommand(deed: Deed): deed is Command {
  return ['approved', 'braked', 'asked', 'resumed-as', 'let-go', 'kept'].includes(deed.kind);
}

/**
 * If the run's record and the journal are both damaged, no answer can be recorded: the thread gets a notice
 * about the record.
 */
function isRecordGone(scene: Scene, thread: number): boolean {
  const spoilt = new Set(
    scene.deeds.flatMap((deed) => (deed.kind === 'changed-record' ? [deed.path.split('/')[0]] : [])),
  );
  const forged = new Set(scene.deeds.flatMap((deed) => (deed.kind === 'forged-comment' ? [deed.comment] : [])));
  const notices = Object.values(scene.lab.world.state.comments).filter(
    ({ id, body }) => !forged.has(id) && /^<!-- ferrybot:\S+ run=\S+ kind=incident key=logbook-/.test(body),
  );
  // If only the journal is damaged, a notice in a thread without a run replaces the answer.
  const isToldHere = notices.some(({ body, issueNumber }) => issueNumber === thread && body.includes('run=journal '));
  return spoilt.size > 1 ? notices.length > 0 : spoilt.has('journal') && isToldHere;
}

/** Text that the bot itself wrote, even if others post under the same account. */
export function isAnswerTo(
  scene: Scene,
  comment: number,
  surface: 'comment' | 'review' = 'comment',
): (row: { readonly id: number; readonly body: string }) => boolean {
  const forged = new Set(scene.deeds.flatMap((deed) => (deed.kind === 'forged-comment' ? [deed.comment] : [])));
  const key = answerKey(comment, surface);
  return ({ id, body }) => !forged.has(id) && key.test(body);
}

function answerKey(comment: number, surface: 'comment' | 'review'): RegExp {
  return new RegExp(`^<!-- ferrybot:\\S+ [^\\n]*key=${surface}-${comment}[ -]`);
}
