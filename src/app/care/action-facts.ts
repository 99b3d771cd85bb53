/** The runner's own reading of all facts behind an approval: the comment by its id, the person's permission, holds, the config. */

import type { ActionFacts } from '../../actions/verify-action.ts';
import { configuredPreApproval, countPreApprovalsUsed } from '../../care/action-approval.ts';
import { approvalMaxAgeMs } from '../../config/approvals-schema.ts';
import { type ActionRecord, type ApprovalSource, proposalPostedAt } from '../../domain/actions/action.ts';
import type { CommentFacts } from '../../domain/facts.ts';
import { listHoldsOnRun } from '../../domain/launch/hold.ts';
import { limits } from '../../domain/limits.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import {
  brandAs,
  fromRfc3339,
  type Instant,
  isInstant,
  known,
  type Observed,
  unknown,
  utcDate,
} from '../../domain/values.ts';
import { readThread } from '../../github/threads.ts';
import { findShownSince } from '../../run/decide-shown.ts';
import type { Brake } from '../../run/open-brakes.ts';
import { commandsSince } from '../../run/pending-commands.ts';
import { gatherBrakes, readApprovals } from '../brakes.ts';
import { factsFromRecord } from '../control/gather.ts';
import { readDescription, readProposalComment } from '../control/shown-facts.ts';
import { threadReading } from '../markers.ts';
import type { OpenLab } from '../open-lab.ts';

/** Reads all facts now. `state` is null for actions of the journal. */
export async function gatherActionFacts(
  open: OpenLab,
  state: RunState | null,
  action: ActionRecord,
): Promise<ActionFacts> {
  const { lab, config } = open;
  const source = action.approvals.at(-1)?.source;
  const said = await readCommentsSince(open, state, action);
  const [cited, permission] = await readApproval(open, source, said);
  const { journalHolds } = factsFromRecord(open.store.current());
  return {
    repository: lab.repository,
    record: state?.run ?? 'journal',
    action,
    digestOf: lab.digestOf,
    holds: state === null ? journalHolds : listHoldsOnRun(state, journalHolds),
    brakes: await readBrakes(open, state, action, { comments: said, cited }),
    shownSince: await readShownTime(open, action, { comments: said, cited }),
    stop: state?.stop ?? null,
    cited,
    permission,
    approvers: { ...config.approvals, care: config.permissions.care },
    maxAgeMs: approvalMaxAgeMs(config),
    otherBots: config.otherBots,
    preApproval: currentPreApproval(open, action),
    // Read the time last: the requests above synchronized GitHub's clock.
    now: lab.now(),
  };
}

async function readApproval(
  open: OpenLab,
  source: ApprovalSource | undefined,
  said: Observed<readonly CommentFacts[]>,
): Promise<readonly [ActionFacts['cited'], ActionFacts['permission']]> {
  if (source?.kind !== 'comment') return [known(null), unknown('no comment approves it')];
  const comments = said.kind === 'known' ? said.value : [];
  const { cited, permissions } = await readApprovals(open, [{ ...source, pull: source.thread }], comments);
  const [found = known(null)] = cited.values();
  const [permission = unknown('no comment was found')] = permissions.values();
  return [found, permission];
}

/** The comments in the threads, and the one that approves; null if no comment approves. */
type ReadComments = { readonly comments: Observed<readonly CommentFacts[]>; readonly cited: ActionFacts['cited'] };

/** Reads brakes since the approval, or since the proposal if there is none. They block an action as they block a launch. */
function readBrakes(
  open: OpenLab,
  state: RunState | null,
  one: ActionRecord,
  { comments, cited }: ReadComments,
): Promise<Observed<readonly Brake[]>> {
  if (comments.kind === 'unknown') return Promise.resolve(comments);
  const restsOn = cited.kind === 'known' ? cited.value : null;
  const approvers = new Set(one.approvals.flatMap(({ actor }) => (actor === null ? [] : [actor.id])));
  return gatherBrakes(
    open,
    {
      since: restsOn?.createdAt ?? fromRfc3339(one.approvals.at(-1)?.at ?? '') ?? commentsFrom(state, one),
      approvers,
      basedOn: restsOn,
      run: state?.run ?? null,
      day: state === null ? { lane: null, date: utcDate(open.lab.now()) } : state.proposal,
    },
    comments.value,
  );
}

function commentsFrom(state: RunState | null, one: ActionRecord): Instant {
  if (state !== null) return commandsSince(state);
  const proposedAt = proposalPostedAt(one);
  if (proposedAt === null) throw new Error('a recorded proposal carries a valid time');
  return proposedAt;
}

/** Comments in the threads of the run and of the proposal. */
async function readCommentsSince(
  { lab, config }: OpenLab,
  state: RunState | null,
  one: ActionRecord,
): Promise<Observed<readonly CommentFacts[]>> {
  const { thread } = one.proposal;
  const threads = state === null ? [thread] : [state.proposal.pull, state.proposal.issue, thread];
  const from = brandAs(commentsFrom(state, one) - limits.sweepSlackMs, isInstant);
  const comments: CommentFacts[] = [];
  for (const number of new Set(threads)) {
    const read = await readThread(lab.client, number, threadReading(lab, config), from);
    if (read.kind === 'unknown') return read;
    comments.push(...read.value.comments);
  }
  return known(comments);
}

/** When the approver saw the proposal. The runner reads the text and its edit history itself and does not trust control for them. */
async function readShownTime(
  { lab, config }: OpenLab,
  one: ActionRecord,
  { comments, cited }: ReadComments,
): Promise<Observed<Instant | null>> {
  if (comments.kind === 'unknown') return comments;
  if (cited.kind === 'unknown' || cited.value === null) return known(null);
  const reader = { lab, config, once: <Value>(_: string, read: () => Promise<Value>) => read() };
  const text =
    one.proposal.record === 'journal'
      ? (await readDescription(reader, [one], one.proposal.thread)).get(one.digest)
      : await readProposalComment(reader, one, comments.value);
  if (text?.kind === 'unknown') return text;
  return known(text?.value == null ? null : findShownSince(text.value.versions, cited.value.createdAt));
}

/** Uses only the config in force. The commit that control recorded is for people. */
function currentPreApproval(
  { config, configHealth, store, lab }: OpenLab,
  { proposal, digest }: ActionRecord,
): ActionFacts['preApproval'] {
  const now = configuredPreApproval(config, proposal);
  const actions = store.current().runs.flatMap((run) => run.actions);
  return {
    isInForce: configHealth.isValid && now?.isInForce === true,
    used: countPreApprovalsUsed(actions, { cluster: proposal.cluster, digest }, lab.now()),
    max: now?.max ?? 0,
  };
}
