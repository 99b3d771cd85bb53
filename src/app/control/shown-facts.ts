/** Reads whether what people were shown stayed as it was: the card's edit history, and that of what proposes a change of a cluster. */

import type { MutationRecord } from '../../domain/care/mutation-state.ts';
import type {
  CommentFacts,
  ProposalText,
  ProposalTexts,
  RunFacts,
  ShownVersion,
} from '../../domain/facts.ts';
import type { Instant } from '../../domain/ids.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { needName } from '../../domain/need.ts';
import { known, type Observed, unknown } from '../../domain/observed.ts';
import { readTextHistory, type StandingText } from '../../github/text-history.ts';
import { proposalWords } from '../../render/mutation.ts';
import { cardComment } from '../../run/decide-shown.ts';
import type { LabConfig } from '../../run/lane-scope.ts';
import { commandsSince } from '../../run/pending-commands.ts';
import {
  isOpenProposal,
  judgedText,
  proposalComments,
  textsSince,
  wasProposalText,
} from '../../run/proposal-texts.ts';
import type { Lab } from '../lab.ts';
import { readingOf } from '../reading.ts';

type Once = <Value>(key: string, read: () => Promise<Value>) => Promise<Value>;

/** What is read of texts: where they stand, and in which trigger. */
export type TextReader = {
  readonly lab: Lab;
  readonly config: LabConfig;
  /** Reads each key once in a trigger. */
  readonly once: Once;
};

/** The texts that the card had since it was shown: one request. */
export async function readCardHistory(
  reader: TextReader,
  state: RunState,
  comments: Observed<readonly CommentFacts[]>,
): Promise<RunFacts['cardHistory']> {
  if (comments.kind === 'unknown') return comments;
  const card = cardComment(state, comments);
  return card === null ? unknown('no card stands there') : historyOf(reader, card, commandsSince(state));
}

/** What shows those open proposals of a run that were asked about: a request for one that was edited, and none for the others. */
export async function readProposalTexts(
  reader: TextReader,
  mutations: readonly MutationRecord[],
  comments: Observed<readonly CommentFacts[]>,
  needed: { readonly has: (name: string) => boolean },
): Promise<ProposalTexts> {
  const texts = new Map<MutationRecord['digest'], Observed<ProposalText | null>>();
  const isNeeded = ({ digest }: MutationRecord): boolean =>
    needed.has(needName({ fact: 'proposalTexts', of: digest }));
  for (const one of mutations.filter(isOpenProposal).filter(isNeeded))
    texts.set(
      one.digest,
      comments.kind === 'unknown' ? comments : await commentOf(reader, one, comments.value),
    );
  return texts;
}

/** What shows a proposal as a comment; null where no comment does or did. */
export async function commentOf(
  reader: TextReader,
  one: MutationRecord,
  comments: readonly CommentFacts[],
): Promise<Observed<ProposalText | null>> {
  const words = reader.lab.hash(proposalWords(one));
  for (const comment of proposalComments(one, comments)) {
    const versions = await historyOf(reader, comment, textsSince(one));
    if (versions.kind === 'unknown') return versions;
    if (wasProposalText(one, versions.value))
      return known(judgedText(one, comment.id, versions.value, words));
  }
  return known(null);
}

function historyOf(
  { lab, config, once }: TextReader,
  text: StandingText & { readonly id: number },
  since: Instant,
): Promise<Observed<readonly ShownVersion[]>> {
  return once(`history ${text.id}`, () =>
    readTextHistory(lab.client, text, since, readingOf(lab, config).markerOf),
  );
}
