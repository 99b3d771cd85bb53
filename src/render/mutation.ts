/** What is told of a change of the cluster: the proposal with its evidence, that the config consents, and how it ended. */

import { type MutationStep, targetName } from '../domain/care/mutation.ts';
import type { Consent, MutationRecord } from '../domain/care/mutation-state.ts';
import { limits } from '../domain/limits.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { splitBody } from '../domain/marker.ts';
import { comment } from './comment.ts';
import { commandText } from './job-table.ts';
import { endingWords, mutationWords } from './mutation-words.ts';
import {
  actionLine,
  code,
  digestHex,
  fenced,
  paragraphs,
  person,
  shortCommit,
  table,
  text,
  utc,
} from './words.ts';

/** The list as it is shown: a cut one would show nobody what goes. */
const CHECKPOINT_LIST_SHOWN_MAX = 27_000;

/** The comment for the entry with this sequence number. Throws where the record has none. */
export function renderMutation(key: string, { mutations }: Pick<RunState, 'mutations'>): string {
  const seq = Number(key);
  for (const one of mutations) {
    if (one.seq === seq) return renderProposal(one);
    if (one.ended?.seq === seq) return renderEnding(one);
    const consent = one.consents.find((given) => given.seq === seq);
    if (consent !== undefined) return renderConsent(one, consent);
  }
  throw new Error(`entry ${key} tells of no change of the cluster`);
}

/** The words of the comment that proposes it, below its marker, in the form that a seal covers. */
export function proposalWords(one: MutationRecord): string {
  const marker = { run: one.proposal.record, kind: 'mutation', key: String(one.seq), fields: {} } as const;
  return splitBody(comment(marker, renderProposal(one))).text;
}

/** What is proposed, why, exactly which calls, how to consent, and what follows. */
export function renderProposal({ proposal, digest, evidence }: MutationRecord): string {
  const { mutation, steps, cluster } = proposal;
  const words = mutationWords(mutation);
  // Read back from the record they come sorted: every process has to say the same.
  const charsMax =
    mutation.kind === 'delete-checkpoint' ? CHECKPOINT_LIST_SHOWN_MAX : limits.shownBlockCharsMax;
  const facts = Object.entries(evidence.facts)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => [text(name), text(String(value))]);
  return paragraphs(
    `⚠️ **${words.title}** ${mutation.kind === 'delete-checkpoint' ? 'Nothing is deleted before somebody else consents.' : 'Nothing on the cluster is touched before somebody consents.'}`,
    table(
      ['Proposal', ''],
      [['Cluster', code(cluster)], ...words.target, ...facts, ['Digest', `\`${digestHex(digest)}\``]],
    ),
    evidence.lines.length === 0
      ? null
      : `What was seen (redacted):\n\n${fenced(evidence.lines.join('\n'), charsMax)}`,
    `Exactly this is called, once:\n\n${fenced(steps.map(stepText).join('\n'), charsMax)}`,
    `What follows: ${words.next}`,
    `**Wanted: to approve it, somebody who may comments \`${actionLine(digest)}\` in this thread.** It counts once; to keep it back, say nothing or \`/hold reason="…"\`.`,
  );
}

/** The call as it is made, and the one that takes its place. */
function stepText({ command, instead }: MutationStep): string {
  const other = instead === undefined ? '' : `\n# where uv itself cannot start: ${commandText(instead)}`;
  return `${commandText(command)}${other}`;
}

function renderConsent({ proposal, digest }: MutationRecord, { source }: Consent): string {
  const where = source.kind === 'config' ? ` at commit ${shortCommit(source.commit)}` : '';
  return paragraphs(
    `⚠️ **The config consents to ${proposal.mutation.kind} of ${code(targetName(proposal.mutation))}** (\`${digestHex(digest)}\`): \`badNodes.approval\` is \`pre-approved\`${where}.`,
    `The runner looks at all of it once more and does it once. \`/hold reason="…"\` keeps it back as long as it has not begun.`,
  );
}

/** How it ended, and what was found. Throws where it has not. */
export function renderEnding({ proposal, ended, consents, begun, digest }: MutationRecord): string {
  if (ended === null) throw new Error('an end that is none');
  const consent = consents.find(({ seq }) => seq === begun?.consent);
  const by = consent === undefined ? '' : ` Consented to by ${byWhom(consent)}.`;
  const rows = Object.entries(ended.detail).map(([name, value]) => [text(name), text(String(value))]);
  const { symbol, sentence } = endingWords(ended.outcome, ended.code);
  return paragraphs(
    `${symbol} **${proposal.mutation.kind} of ${code(targetName(proposal.mutation))}** (\`${digestHex(digest)}\`): ${sentence}${by}`,
    rows.length === 0 ? null : table(['What was found', ''], rows),
    `${begun === null ? 'Not begun' : `Begun ${utc(begun.at)}`}, ended ${utc(ended.at)}.`,
  );
}

function byWhom({ actor, source }: Consent): string {
  if (actor !== null) return person(actor);
  return source.kind === 'config' ? `the config at ${shortCommit(source.commit)}` : 'nobody on record';
}
