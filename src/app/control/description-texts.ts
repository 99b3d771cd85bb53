/** Reads proposals from issue descriptions with their edit history, and reports edits by other people. */

import type { MutationRecord } from '../../domain/care/mutation-state.ts';
import type { ProposalText, ProposalTexts, ShownVersion } from '../../domain/facts.ts';
import type { Instant } from '../../domain/ids.ts';
import type { EventDraft } from '../../domain/logbook/event.ts';
import { known, type Observed } from '../../domain/observed.ts';
import { readIssueText, readTextHistory } from '../../github/text-history.ts';
import { changeDraft } from '../../run/decide-proposal-texts.ts';
import { isOpenProposal, judgedText, textsSince } from '../../run/proposal-texts.ts';
import { issueMarkerReader } from '../markers.ts';
import type { OpenLab } from '../open-lab.ts';

type Place = Pick<OpenLab, 'lab' | 'config'>;

/** The description that shows a proposal of the journal, with its versions. */
export async function descriptionOf(place: Place, one: MutationRecord): Promise<Observed<ProposalText>> {
  const versions = await versionsSince(place, one.proposal.thread, textsSince(one));
  return versions.kind === 'unknown' ? versions : known(judgedText(one, null, versions.value, null));
}

/** The same for every open proposal of this thread: one description shows all of them. */
export async function readDescription(open: OpenLab, thread: number): Promise<ProposalTexts> {
  const proposals = openIn(open, thread);
  const [first] = proposals;
  if (first === undefined) return new Map();
  const versions = await versionsSince(open, thread, textsSince(first));
  return new Map(
    proposals.map((one) => [
      one.digest,
      versions.kind === 'unknown' ? versions : known(judgedText(one, null, versions.value, null)),
    ]),
  );
}

async function versionsSince(
  { lab, config }: Place,
  thread: number,
  since: Instant,
): Promise<Observed<readonly ShownVersion[]>> {
  const standing = await readIssueText(lab.client, thread);
  if (standing.kind === 'unknown') return standing;
  return readTextHistory(lab.client, standing.value, since, issueMarkerReader(lab, config));
}

/** The incident for a description that another person edited: one, however many proposals it shows. */
export function descriptionChanges(
  open: OpenLab,
  thread: number,
  texts: ProposalTexts,
): readonly EventDraft[] {
  const { incidents } = open.store.current().journal;
  for (const one of openIn(open, thread)) {
    const text = texts.get(one.digest);
    if (text?.kind !== 'known' || text.value === null) continue;
    const draft = changeDraft(one, text.value, incidents, open.lab.now());
    if (draft !== null) return [draft];
  }
  return [];
}

function openIn({ store }: OpenLab, thread: number): readonly MutationRecord[] {
  return store
    .current()
    .journal.mutations.filter((one) => one.proposal.thread === thread && isOpenProposal(one));
}
