/** The record behind ferrybot's comments: tests assert these codes, and test/render shows the sentences. */

import type { Person } from '../../packages/playground/world/seed.ts';
import type { Surface } from '../../src/domain/actor.ts';
import type { EventOf } from '../../src/domain/logbook/define.ts';
import { commentId, type MarkerKind } from '../../src/domain/marker.ts';
import { readEventsOf, type WithStore } from './play.ts';
import { listBotComments, postComment } from './talk.ts';
import type { VirtualLab } from './virtual-lab.ts';

type Threads = Pick<VirtualLab, 'world'> & WithStore;
type Answer = Pick<EventOf<'command-answered'>['data'], 'code' | 'detail'>;

/** The recorded answers to the commands of one comment; none if ferrybot posted no answer. */
export async function listRecordedAnswers(
  lab: Threads,
  comment: number,
  surface: Surface = 'comment',
): Promise<readonly Answer[]> {
  const name = commentId({ surface, id: comment });
  const posted = listBotComments(lab).filter(({ kind, key }) => kind === 'answer' && key === name);
  const events = await Promise.all(posted.map(({ run }) => readEventsOf(lab, run)));
  return events.flat().flatMap((event) => {
    const isMeant = event.type === 'command-answered' && event.data.comment === comment;
    return isMeant && event.data.surface === surface ? [event.data] : [];
  });
}

/** The codes of the answers to one comment. */
export async function listAnswerCodes(lab: Threads, comment: number, surface?: Surface): Promise<readonly string[]> {
  return (await listRecordedAnswers(lab, comment, surface)).map(({ code }) => code);
}

/** Posts the comment, advances the clock (by default five minutes), and returns the codes of the answer. */
export async function commentAndReadCode(
  lab: VirtualLab,
  who: Person,
  thread: number,
  words: string,
  waitMs = 300_000,
): Promise<string> {
  const comment = await postComment(lab, who, thread, words);
  await lab.clock.advance(waitMs);
  return (await listAnswerCodes(lab, comment)).join(' ');
}

/**
 * The event of each posted comment of one kind, oldest first: an incident's code and reason, a notice's
 * reason, or the type.
 */
export async function postedEvents(lab: Threads, kind: MarkerKind): Promise<readonly string[]> {
  const posted = listBotComments(lab).filter((comment) => comment.kind === kind);
  return Promise.all(
    posted.map(async ({ run, key }) => {
      const event = (await readEventsOf(lab, run)).find(({ seq }) => String(seq) === key);
      if (event === undefined) throw new Error(`no event ${key} in the record of ${run}`);
      if (event.type === 'incident') return [event.data.code, event.data.detail['reason'] ?? []].flat().join(': ');
      return event.type === 'notified' ? event.data.reason : event.type;
    }),
  );
}
