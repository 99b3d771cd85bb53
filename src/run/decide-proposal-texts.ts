/** Restores edited proposal texts. */

import { targetName } from '../domain/care/mutation.ts';
import { type MutationRecord, proposalShownAt } from '../domain/care/mutation-state.ts';
import type { ProposalText, ProposalVersion, RunFacts } from '../domain/facts.ts';
import type { Instant } from '../domain/ids.ts';
import { type Incident, type IncidentOf, incidentDraft, incidentsWith } from '../domain/incidents.ts';
import { limits } from '../domain/limits.ts';
import type { EventDraft } from '../domain/logbook/event.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { need } from '../domain/need.ts';
import { after, toRfc3339 } from '../domain/time.ts';
import { mutationComment } from '../render/publication.ts';
import { isOpenProposal } from './proposal-texts.ts';
import { changeBy, editsOf, foreignSince, leftUntil, shownSince } from './shown-text.ts';
import { type AttemptCache, append, mayTry, perform, type Step } from './step.ts';

export type ProposalTextInput = {
  readonly state: RunState;
  readonly facts: Pick<RunFacts, 'proposalTexts'>;
  readonly now: Instant;
  readonly memory: AttemptCache;
};

/** The next step for edited proposal texts: an incident, then a restored text. Null if all texts are intact or unknown. */
export function decideProposalTexts(input: ProposalTextInput): Step | null {
  const { state, facts } = input;
  const open = state.mutations.filter(isOpenProposal);
  const unread = open.filter(({ digest }) => !facts.proposalTexts.has(digest));
  if (unread.length > 0)
    return need(...unread.map(({ digest }) => ({ fact: 'proposalTexts', of: digest }) as const));
  for (const one of open) {
    const text = facts.proposalTexts.get(one.digest);
    if (text?.kind !== 'known' || text.value === null) continue;
    const told = changeDraft(one, text.value, state.incidents, input.now);
    const step = told === null ? restored(input, one, text.value) : append(told);
    if (step !== null) return step;
  }
  return null;
}

/** The incident about the newest edit by a person; null if there is none, it was reported, or the edit limit is reached. */
export function changeDraft(
  { proposal, digest, at }: MutationRecord,
  { comment, versions }: ProposalText,
  incidents: readonly Incident[],
  now: Instant,
): EventDraft | null {
  const edits = editsOfText(incidents, { thread: proposal.thread, comment });
  const since = proposalShownAt({ at }) ?? now;
  // GitHub's times are whole seconds.
  const isOurs = ({ shows }: ProposalVersion): boolean => shows !== 'foreign';
  const foreign = foreignSince(versions, after(since, -(since % 1_000)), isOurs);
  if (foreign === null || leftUntil(edits, now) !== null) return null;
  const editedAt = toRfc3339(foreign.editedAt);
  if (edits.some(({ detail }) => detail.editedAt === editedAt)) return null;
  const { how, by } = changeBy(foreign, foreign === versions[0]);
  const detail = {
    how,
    kind: proposal.mutation.kind,
    target: targetName(proposal.mutation),
    proposal: digest,
    thread: proposal.thread,
    editedAt,
    ...(comment === null ? {} : { comment }),
    ...(by === null ? {} : { by }),
    ...editsOf(edits, now),
  };
  return incidentDraft('control', 'proposal-edited', detail);
}

/** Incidents about one proposal text, oldest first. */
export function editsOfText(
  incidents: readonly Incident[],
  { thread, comment }: { readonly thread: number; readonly comment: number | null },
): readonly IncidentOf<'proposal-edited'>[] {
  return incidentsWith(incidents, 'proposal-edited').filter(
    ({ detail }) => detail.thread === thread && (detail.comment ?? null) === comment,
  );
}

/** Also rewrites a text that a person restored: only a seal newer than the edit counts. */
function restored(input: ProposalTextInput, one: MutationRecord, text: ProposalText): Step | null {
  const { state, now, memory } = input;
  const { thread } = one.proposal;
  const edits = editsOfText(state.incidents, { thread, comment: text.comment });
  const newest = text.versions[0]?.editedAt ?? now;
  if (text.comment === null || shownSince(text, newest) !== null || leftUntil(edits, now) !== null)
    return null;
  const key = `proposal:${one.seq}:${edits.at(-1)?.seq ?? 0}`;
  if (!mayTry(memory, key, limits.effectTriesMax)) return null;
  const body = mutationComment(String(one.seq), state);
  return perform(key, { kind: 'edit-comment', thread, comment: text.comment, body });
}
