/** The runner's own reading of everything that a consent rests on: the comment by its id, the person's permission, holds, the config. */

import type { ConsentFacts, PreApproval } from '../../actions/verify-consent.ts';
import { preApprovalOf, preApprovalsUsed } from '../../care/pre-approval.ts';
import { maxAgeMsOf } from '../../config/approvers.ts';
import type { Permission } from '../../domain/actor.ts';
import type { MutationProposal } from '../../domain/care/mutation.ts';
import { type MutationRecord, proposalShownAt } from '../../domain/care/mutation-state.ts';
import type { CommentFacts } from '../../domain/facts.ts';
import { GitError } from '../../domain/git.ts';
import { branded, type Instant, isInstant, type Sha } from '../../domain/ids.ts';
import { holdsOver } from '../../domain/launch/hold.ts';
import { limits } from '../../domain/limits.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { known, type Observed, unknown } from '../../domain/observed.ts';
import { dateOf, fromRfc3339 } from '../../domain/time.ts';
import { readCited } from '../../github/cited-comment.ts';
import { readPermission } from '../../github/permission.ts';
import { readThread } from '../../github/thread.ts';
import type { Brake } from '../../run/open-brakes.ts';
import { commandsSince } from '../../run/pending-commands.ts';
import { shownSince } from '../../run/shown-text.ts';
import { gatherBrakes } from '../brakes.ts';
import { CONFIG_PATH, readLabConfig } from '../config-source.ts';
import { recordFactsOf } from '../control/gather.ts';
import { readDescription, readProposalComment } from '../control/shown-facts.ts';
import type { OpenLab } from '../open-lab.ts';
import { readingOf } from '../reading.ts';

/** Asks all of it now. `state` is null for what stands in the journal. */
export async function gatherConsentFacts(
  open: OpenLab,
  defaultBranch: string,
  state: RunState | null,
  mutation: MutationRecord,
): Promise<ConsentFacts> {
  const { lab, config } = open;
  const source = mutation.consents.at(-1)?.source;
  const citation =
    source?.kind === 'comment'
      ? { surface: source.surface, comment: source.comment, pull: source.thread }
      : null;
  const cited =
    citation === null ? known(null) : await readCited(lab.client, citation, readingOf(lab, config));
  const author = cited.kind === 'known' ? (cited.value?.author ?? null) : null;
  const permission: Observed<Permission> =
    author === null ? unknown('nobody was asked about') : await readPermission(lab.client, author);
  const said = await saidSince(open, state, mutation);
  const { journalHolds } = recordFactsOf(open.store.current());
  return {
    repository: lab.repository,
    record: state?.run ?? 'journal',
    mutation,
    digestOf: lab.digestOf,
    holds: state === null ? journalHolds : holdsOver(state, journalHolds),
    brakes: await brakesOf(open, state, mutation, said, cited.kind === 'known' ? cited.value : null),
    shownSince: await shownTo(open, mutation, said, cited),
    stop: state?.stop ?? null,
    cited,
    permission,
    approvers: { ...config.approvals, care: config.permissions.care },
    maxAgeMs: maxAgeMsOf(config),
    otherBots: config.otherBots,
    preApproval:
      source?.kind === 'config'
        ? await preApproval(open, defaultBranch, mutation, source.commit)
        : unknown('the config was not asked'),
    // Read last, after GitHub's clock was learnt from its answers.
    now: lab.now(),
  };
}

/** What the record has lost, or has not answered yet, holds this back as it does a launch. */
function brakesOf(
  open: OpenLab,
  state: RunState | null,
  one: MutationRecord,
  said: Observed<readonly CommentFacts[]>,
  restsOn: CommentFacts | null,
): Promise<Observed<readonly Brake[]>> {
  if (said.kind === 'unknown') return Promise.resolve(said);
  const approvers = new Set(one.consents.flatMap(({ actor }) => (actor === null ? [] : [actor.id])));
  return gatherBrakes(
    open,
    {
      since: restsOn?.createdAt ?? fromRfc3339(one.consents.at(-1)?.at ?? '') ?? spokenSince(state, one),
      approvers,
      restsOn,
      run: state?.run ?? null,
      day: state === null ? { lane: null, date: dateOf(open.lab.now()) } : state.proposal,
    },
    said.value,
  );
}

function spokenSince(state: RunState | null, one: MutationRecord): Instant {
  if (state !== null) return commandsSince(state);
  const proposedAt = proposalShownAt(one);
  if (proposedAt === null) throw new Error('a recorded proposal carries a valid time');
  return proposedAt;
}

/** The threads of the run and of the proposal. */
async function saidSince(
  { lab, config }: OpenLab,
  state: RunState | null,
  one: MutationRecord,
): Promise<Observed<readonly CommentFacts[]>> {
  const { thread } = one.proposal;
  const threads = state === null ? [thread] : [state.proposal.pull, state.proposal.issue, thread];
  const from = branded(spokenSince(state, one) - limits.sweepSlackMs, isInstant);
  const comments: CommentFacts[] = [];
  for (const number of new Set(threads)) {
    const read = await readThread(lab.client, number, readingOf(lab, config), from);
    if (read.kind === 'unknown') return read;
    comments.push(...read.value.comments);
  }
  return known(comments);
}

/** Control's word is not taken for it: the text and its history are read here, where the consent is used. */
async function shownTo(
  { lab, config }: OpenLab,
  one: MutationRecord,
  said: Observed<readonly CommentFacts[]>,
  cited: Observed<CommentFacts | null>,
): Promise<Observed<Instant | null>> {
  if (said.kind === 'unknown') return said;
  if (cited.kind === 'unknown' || cited.value === null) return known(null);
  const reader = { lab, config, once: <Value>(_: string, read: () => Promise<Value>) => read() };
  const text =
    one.proposal.record === 'journal'
      ? (await readDescription(reader, [one], one.proposal.thread)).get(one.digest)
      : await readProposalComment(reader, one, said.value);
  if (text?.kind === 'unknown') return text;
  return known(text?.value == null ? null : shownSince(text.value.versions, cited.value.createdAt));
}

async function preApproval(
  { config, configHealth, git, lab, store }: OpenLab,
  defaultBranch: string,
  { proposal, digest }: MutationRecord,
  commit: Sha,
): Promise<Observed<PreApproval>> {
  const now = preApprovalOf(config, proposal);
  try {
    const tip = await git.resolve(`refs/heads/${defaultBranch}`);
    const isOurs = tip !== null && (await git.mergeBase(commit, tip)) === commit;
    const text = isOurs ? await git.readText(commit, CONFIG_PATH) : null;
    const mutations = store.current().runs.flatMap((run) => run.mutations);
    return known({
      standsNow: configHealth.isValid && now?.stands === true,
      stoodThen: text !== null && consentedThen(text, proposal),
      used: preApprovalsUsed(mutations, { cluster: proposal.cluster, digest }, lab.now()),
      max: now?.max ?? 0,
    });
  } catch (error) {
    if (error instanceof GitError) return unknown(error.message);
    throw error;
  }
}

function consentedThen(text: string, proposal: MutationProposal): boolean {
  const reading = readLabConfig(text);
  return reading.kind === 'valid' && preApprovalOf(reading.config, proposal)?.stands === true;
}
