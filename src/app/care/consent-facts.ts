/** The runner's own reading of everything that a consent rests on: the comment by its id, the person's permission, holds, the config. */

import { preApprovalOf, preApprovalsUsed } from '../../care/pre-approval.ts';
import type { ConsentFacts, PreApproval } from '../../care/verify-consent.ts';
import { readConfig } from '../../config/read-config.ts';
import type { Permission } from '../../domain/actor.ts';
import type { MutationProposal } from '../../domain/care/mutation.ts';
import { type MutationRecord, proposalShownAt } from '../../domain/care/mutation-state.ts';
import type { CommentFacts } from '../../domain/facts.ts';
import { GitError } from '../../domain/git.ts';
import { branded, isInstant, type Sha } from '../../domain/ids.ts';
import { type Hold, holdsOn } from '../../domain/launch/hold.ts';
import { limits } from '../../domain/limits.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { known, type Observed, unknown } from '../../domain/observed.ts';
import { readCited } from '../../github/cited-comment.ts';
import { readPermission } from '../../github/permission.ts';
import { readThread } from '../../github/thread.ts';
import type { Brake } from '../../run/open-brakes.ts';
import { commandsSince } from '../../run/pending-commands.ts';
import { gatherBrakes } from '../brakes.ts';
import { CONFIG_PATH } from '../config-source.ts';
import { laneOf } from '../control/gather.ts';
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
  return {
    repository: lab.repository,
    record: state?.run ?? 'journal',
    mutation,
    digestOf: lab.digestOf,
    holds: holdsFor(open, state),
    brakes: await brakesFor(open, state, mutation, cited.kind === 'known' ? cited.value : null),
    stoppedAt: state?.stop?.seq ?? null,
    cited,
    permission,
    needs: config.permissions.care,
    otherBots: config.otherBots,
    preApproval:
      source?.kind === 'config'
        ? await preApproval(open, defaultBranch, mutation, source.commit)
        : unknown('the config was not asked'),
    // Read last, after GitHub's clock was learnt from its answers.
    now: lab.now(),
  };
}

function holdsFor({ keeper }: OpenLab, state: RunState | null): Observed<readonly Hold[]> {
  const { laneHolds } = laneOf(keeper.current());
  if (laneHolds.kind === 'unknown') return laneHolds;
  return known(
    state === null ? laneHolds.value : [...state.holds, ...holdsOn(laneHolds.value, state.proposal.date)],
  );
}

/** What the record has lost, or has not answered yet, holds this back as it does a launch. */
async function brakesFor(
  open: OpenLab,
  state: RunState | null,
  { proposal, consents, ...mutation }: MutationRecord,
  restsOn: CommentFacts | null,
): Promise<Observed<readonly Brake[]>> {
  const { lab, config, keeper } = open;
  const proposedAt = proposalShownAt(mutation);
  if (proposedAt === null) throw new Error('a recorded proposal carries a valid time');
  const since = state === null ? proposedAt : commandsSince(state);
  const commands = state?.commands ?? keeper.current().journal.commands;
  const threads = state === null ? [proposal.thread] : [state.proposal.pull, state.proposal.issue];
  const comments: CommentFacts[] = [];
  for (const thread of new Set([...threads, proposal.thread])) {
    const from = branded(since - limits.sweepSlackMs, isInstant);
    const read = await readThread(lab.client, thread, readingOf(lab, config), from);
    if (read.kind === 'unknown') return read;
    comments.push(...read.value.comments);
  }
  const approvers = new Set(consents.flatMap(({ actor }) => (actor === null ? [] : [actor.id])));
  return gatherBrakes(open, { commands, since, approvers, restsOn }, comments);
}

async function preApproval(
  { config, configHealth, git, lab, keeper }: OpenLab,
  defaultBranch: string,
  { proposal, digest }: MutationRecord,
  commit: Sha,
): Promise<Observed<PreApproval>> {
  const now = preApprovalOf(config, proposal);
  try {
    const tip = await git.resolve(`refs/heads/${defaultBranch}`);
    const isOurs = tip !== null && (await git.mergeBase(commit, tip)) === commit;
    const text = isOurs ? await git.readText(commit, CONFIG_PATH) : null;
    const mutations = keeper.current().runs.flatMap((run) => run.mutations);
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
  const reading = readConfig(text);
  return reading.kind === 'valid' && preApprovalOf(reading.config, proposal)?.stands === true;
}
