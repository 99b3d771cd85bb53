// Whether who spoke was heard: each honest command has its answer within its bound, in the bot's own words.

import type { Deed } from './deeds.ts';
import type { Scene } from './scene.ts';

/** A sweep is made every half hour, and every second one where webhooks arrive. */
const SWEEP_MS = 30 * 60_000;
const ANSWERING_MS = 5 * 60_000;

/** A comment that stood so long was read, whatever webhooks brought. */
export function heardAfterMs({ webhooks }: Scene): number {
  return (webhooks.wereLost ? 2 * SWEEP_MS : SWEEP_MS) + ANSWERING_MS;
}

/** Who asked honestly, and whose comment stands there, has an answer, and had it in time. */
export function answerFaults(scene: Scene): readonly string[] {
  const { comments, reviews, users } = scene.lab.world.state;
  const now = scene.lab.clock.now();
  const ours = Object.values(comments).filter((row) => users[row.authorId]?.type === 'Bot');
  return scene.deeds.flatMap((deed) => {
    if (!isCommand(deed)) return [];
    const isReview = deed.kind === 'approved' && deed.commit !== undefined;
    const row = isReview ? reviews[deed.comment] : comments[deed.comment];
    if (row === undefined || row.edits.length > 0 || now - deed.atMs < heardAfterMs(scene)) return [];
    const key = answerKey(deed.comment, isReview ? 'review' : 'comment');
    const answers = ours.filter(isAnswerTo(scene, deed.comment, isReview ? 'review' : 'comment'));
    const isInTime = answers.some(({ createdAtMs }) => createdAtMs - deed.atMs <= heardAfterMs(scene));
    // An answer that somebody else deleted or wrote anew was one.
    const wasSpoilt = scene.deeds.some((other) => other.kind === 'changed-comment' && key.test(other.was));
    if (isInTime || wasSpoilt || isRecordGone(scene, row.issueNumber)) return [];
    const [late] = answers;
    return late === undefined
      ? [`${deed.text} (${deed.comment}) has no answer`]
      : [`${deed.text} (${deed.comment}) was answered after ${(late.createdAtMs - deed.atMs) / 60_000} min`];
  });
}

type Command = Extract<
  Deed,
  { readonly kind: 'approved' | 'braked' | 'asked' | 'resumed-as' | 'let-go' | 'kept' }
>;

function isCommand(deed: Deed): deed is Command {
  return ['approved', 'braked', 'asked', 'resumed-as', 'let-go', 'kept'].includes(deed.kind);
}

/** Where somebody spoilt the run's record and the journal too, an answer can be kept nowhere: the thread is told of the record. */
function isRecordGone(scene: Scene, thread: number): boolean {
  const spoilt = new Set(
    scene.deeds.flatMap((deed) => (deed.kind === 'changed-record' ? [deed.path.split('/')[0]] : [])),
  );
  const forged = new Set(
    scene.deeds.flatMap((deed) => (deed.kind === 'forged-comment' ? [deed.comment] : [])),
  );
  const notices = Object.values(scene.lab.world.state.comments).filter(
    ({ id, body }) => !forged.has(id) && /^<!-- ferrybot:\S+ run=\S+ kind=incident key=logbook-/.test(body),
  );
  // Where the journal alone is spoilt, the notice in a thread without a run takes the place of the answer.
  const isToldHere = notices.some(
    ({ body, issueNumber }) => issueNumber === thread && body.includes('run=journal '),
  );
  return spoilt.size > 1 ? notices.length > 0 : spoilt.has('journal') && isToldHere;
}

/** What the bot wrote in truth, whoever speaks under the same name. */
export function isAnswerTo(
  scene: Scene,
  comment: number,
  surface: 'comment' | 'review' = 'comment',
): (row: { readonly id: number; readonly body: string }) => boolean {
  const forged = new Set(
    scene.deeds.flatMap((deed) => (deed.kind === 'forged-comment' ? [deed.comment] : [])),
  );
  const key = answerKey(comment, surface);
  return ({ id, body }) => !forged.has(id) && key.test(body);
}

function answerKey(comment: number, surface: 'comment' | 'review'): RegExp {
  return new RegExp(`^<!-- ferrybot:\\S+ [^\\n]*key=${surface}-${comment}[ -]`);
}
