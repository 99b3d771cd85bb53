/** Writes what ferrybot says, sealed, as comments and issues, and reads back what stands there then. */

import { assertNever } from '../../domain/assert.ts';
import type { Effect, EffectOutcome } from '../../domain/effect.ts';
import { markerIdentity, type VerifiedMarker } from '../../domain/marker.ts';
import { editComment, postComment, postSharedComment } from '../../github/comments.ts';
import { assignPeople, editIssue, openIssue } from '../../github/issues.ts';
import { inThread } from '../../github/locked-thread.ts';
import { readPeople } from '../../github/people.ts';
import { UNNUMBERED } from '../../logbook/marker-seal.ts';
import { leftOpenNotice } from '../../render/issue-card.ts';
import { renderMentions } from '../../render/mentions.ts';
import type { Lab } from '../lab.ts';
import { isSameText, issueMarkerReader, markerReader, sealed } from '../markers.ts';
import type { OpenLab } from '../open-lab.ts';

/** This process has nothing to seal a text with. */
export const WITHOUT_KEY: EffectOutcome = {
  kind: 'refused',
  code: 'no-signing-key',
  message: 'this process holds no key to sign a text',
};

/** On every issue that no person wrote (policy HR-72). */
const AGENT_LABEL = 'agent-generated';

/** Where texts are written, and by which config they are sealed. */
export type TextPlace = Pick<OpenLab, 'lab' | 'config'>;

type TextEffect = Extract<Effect, { kind: 'post-comment' | 'edit-comment' | 'open-issue' | 'edit-issue' }>;

/** The one place where our texts are sealed: a text without a seal would be taken for somebody else's, and written again. */
export async function writeText({ lab, config }: TextPlace, effect: TextEffect): Promise<EffectOutcome> {
  const { client } = lab;
  if (effect.kind === 'edit-issue' && effect.body === null) return editIssue(client, effect, lab.digestOf);
  const mentions = effect.kind === 'post-comment' ? await mentionsOf(lab, effect) : '';
  const body = sealed(lab, config, threadOf(effect), `${effect.body ?? ''}${mentions}`);
  if (body === null) return WITHOUT_KEY;
  switch (effect.kind) {
    case 'post-comment': {
      const { thread, isShared } = effect;
      const post = isShared === true ? postSharedComment : postComment;
      const markerOf = markerReader(lab, config);
      const isSame = isSameText(lab, config, effect, body);
      const outcome = await written({ lab, config }, thread, () => post(client, thread, isSame, body));
      return readBack(outcome, (standing) => markerOf(thread, standing));
    }
    case 'edit-comment':
      return readBack(
        await written({ lab, config }, effect.thread, () => editComment(client, { ...effect, body })),
        (standing) => markerReader(lab, config)(effect.thread, standing),
      );
    case 'open-issue': {
      const markerOf = issueMarkerReader(lab, config);
      // Its text may have been edited since: people write into a proposal.
      const isSame = (number: number, standing: string): boolean => {
        const found = markerOf(number, standing);
        const isControls = found?.role === 'control' || markerOf(UNNUMBERED, body)?.role !== 'control';
        return found !== null && isControls && markerIdentity(found) === effect.marker;
      };
      // rule HR-72
      return openIssue(client, { ...effect, body, labels: [...effect.labels, AGENT_LABEL] }, isSame);
    }
    case 'edit-issue':
      return editIssue(client, { ...effect, body }, lab.digestOf);
    default:
      return assertNever(effect);
  }
}

/** Written in its thread. Where that was locked and is open since, its maintainers are told: nobody else would look. */
async function written(
  place: TextPlace,
  thread: number,
  work: () => Promise<EffectOutcome>,
): Promise<EffectOutcome> {
  const { lab } = place;
  const { outcome, leftOpen } = await inThread(lab.client, thread, work);
  if (leftOpen === null) return outcome;
  lab.log(`the thread was locked, and is left open: ${leftOpen}`, { thread });
  await writeText(place, leftOpenNotice({ thread, atMs: lab.now(), why: leftOpen }));
  return outcome;
}

/** Who is meant is looked up at the moment of posting: an account that was renamed is met under its new name. */
async function mentionsOf(
  lab: Lab,
  { thread, summons }: Extract<Effect, { kind: 'post-comment' }>,
): Promise<string> {
  if (summons === undefined) return '';
  const people = await readPeople(lab.client);
  if (summons.isAssigned === true && people.kind === 'known') {
    const meant = people.value.filter(({ actor }) => summons.people.includes(actor.id));
    const assigned = await assignPeople(
      lab.client,
      thread,
      meant.map(({ actor }) => actor),
    );
    // A thread that takes nobody keeps no mention back.
    if (assigned.kind !== 'done') lab.log(`nobody was assigned: ${assigned.message}`, { thread });
  }
  return renderMentions(summons, people);
}

/** What GitHub says that stands there now is believed as anything else that stands there. */
function readBack(
  outcome: EffectOutcome,
  markerOf: (standing: string) => VerifiedMarker | null,
): EffectOutcome {
  if (outcome.kind !== 'done' || outcome.written === undefined) return outcome;
  const { written } = outcome;
  return { ...outcome, written: { ...written, marker: markerOf(written.body) } };
}

function threadOf(effect: TextEffect): number {
  if (effect.kind === 'open-issue') return UNNUMBERED;
  return effect.kind === 'edit-issue' ? effect.issue : effect.thread;
}
