/** Reads the edit history of texts that approvers saw: the card, and proposals to change a cluster. */

import { bodyFingerprintText } from '../../commands/grammar/approved-text.ts';
import type { ActionRecord } from '../../domain/actions/action.ts';
import type {
  BodyFacts,
  ChangeFacts,
  CommentFacts,
  ProposalText,
  ProposalTexts,
  RunFacts,
  ShownVersion,
} from '../../domain/facts.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { type Instant, known, type Observed, unknown } from '../../domain/values.ts';
import { type CurrentText, readIssueText, readTextHistory } from '../../github/threads.ts';
import { proposalFingerprintText } from '../../render/action.ts';
import { findCardComment } from '../../run/decide-shown.ts';
import type { BodyContext, DeclaredText } from '../../run/kind.ts';
import type { LabConfig, LaneScopedConfig } from '../../run/lane.ts';
import { commandsSince } from '../../run/pending-commands.ts';
import { judgeText, proposalComments, textsSince, wasProposalText } from '../../run/proposal-texts.ts';
import type { Lab } from '../lab.ts';
import { issueMarkerReader, threadReading } from '../markers.ts';
import type { OpenLab } from '../open-lab.ts';
import type { OncePerBatch } from './turn.ts';

/** Where to read texts, within one batch of triggers. */
type TextReader = { readonly lab: Lab; readonly config: LabConfig; readonly once: OncePerBatch };

/** All versions of the card since it was posted, in one request. */
export async function readCardHistory(
  reader: TextReader,
  state: RunState,
  comments: Observed<readonly CommentFacts[]>,
): Promise<RunFacts['cardHistory']> {
  if (comments.kind === 'unknown') return comments;
  const card = findCardComment(state, comments);
  return card === null ? unknown('no card stands there') : readShownHistory(reader, card, commandsSince(state));
}

/** The comment that shows a proposal, with its versions; null if no comment ever showed it. */
export async function readProposalComment(
  reader: TextReader,
  one: ActionRecord,
  comments: readonly CommentFacts[],
): Promise<Observed<ProposalText | null>> {
  const words = reader.lab.hash(proposalFingerprintText(one));
  for (const comment of proposalComments(one, comments)) {
    const versions = await readShownHistory(reader, comment, textsSince(one));
    if (versions.kind === 'unknown') return versions;
    if (wasProposalText(one, versions.value)) return known(judgeText(one, comment.id, versions.value, words));
  }
  return known(null);
}

/** The journal's proposals that a thread's description shows, with its versions. */
export async function readDescription(
  { lab, config }: Pick<OpenLab, 'lab' | 'config'>,
  actions: readonly ActionRecord[],
  thread: number,
): Promise<ProposalTexts> {
  const shown = actions.filter((one) => one.proposal.thread === thread);
  const [first] = shown;
  if (first === undefined) return new Map();
  const standing = await readIssueText(lab.client, thread);
  const versions =
    standing.kind === 'unknown'
      ? standing
      : await readTextHistory(lab.client, standing.value, textsSince(first), issueMarkerReader(lab, config));
  return new Map(
    shown.map((one) => [
      one.digest,
      versions.kind === 'unknown' ? versions : known(judgeText(one, null, versions.value, null)),
    ]),
  );
}

function readShownHistory(
  { lab, config, once }: TextReader,
  text: CurrentText & { readonly id: number },
  since: Instant,
): Promise<Observed<readonly ShownVersion[]>> {
  return once(`history ${text.id}`, () =>
    readTextHistory(lab.client, text, since, threadReading(lab, config).markerOf),
  );
}

const NOTHING_DECLARED: DeclaredText = {
  risk: null,
  objectiveKind: null,
  linksLastFerry: false,
  hasDeltaTable: false,
  mismatches: [],
  boxes: [],
};

/** Reads one text. Without a known change, it has no delta to compare with. */
export function readBody(
  { lab, config }: { readonly lab: Pick<Lab, 'digestOf'>; readonly config: LaneScopedConfig },
  markdown: string,
  change: Observed<ChangeFacts>,
  last: BodyContext['last'],
): Observed<BodyFacts> {
  const { kind, lane } = config;
  const delta = change.kind === 'known' ? change.value.delta : ({ kind: 'none' } as const);
  const read = kind.proposals?.readText ?? (() => NOTHING_DECLARED);
  const facts = read(markdown, { delta, last });
  if (facts === null) return unknown('the body is too large or too deeply nested to be read');
  const fingerprint = lab.digestOf(bodyFingerprintText(markdown, lane.checklist.preconditions));
  return known({ fingerprint, ...facts });
}

/** The recorded proposal that this proposal names as its predecessor. */
export function findEarlierRun(state: RunState, runs: readonly RunState[]): BodyContext['last'] {
  return runs.find((run) => run.run === state.proposal.interval.lastRun)?.proposal ?? null;
}
