/** Who contributed to a proposal: pushers, commit authors and committers, and editors of its texts. */

import { bodyFingerprintText } from '../commands/grammar/approved-text.ts';
import {
  type Actor,
  type Authors,
  type BranchWork,
  type Contributor,
  isIssueFirst,
  type TextVersion,
  type UnnamedWork,
} from '../domain/actor.ts';
import type { PullFacts, RunFacts } from '../domain/facts.ts';
import type { EventDataByType } from '../domain/logbook/define.ts';
import { type Digest, type DigestOf, known, type Observed, type RunId, type Sha } from '../domain/values.ts';
import type { LaneScopedConfig } from './lane.ts';

type Proposal = EventDataByType['proposed'];
type AuthorFacts = Pick<RunFacts, 'pull' | 'issue' | 'branchWork'>;

/** People who would approve their own work, as far as they are readable; the gate `authors-known` blocks the rest. */
export function listInterestedPeople(proposal: Proposal, { pull, issue, branchWork }: AuthorFacts): readonly Actor[] {
  const asked = proposal.requestedBy === null ? [] : [proposal.requestedBy];
  const texts = [pull, issue].flatMap((one) => (one.kind === 'known' ? one.value.versions : []));
  return distinctPeople([
    proposal.author,
    ...(pull.kind === 'known' ? [pull.value.author] : []),
    ...asked,
    ...toPeople(texts.map(({ by }) => by)),
    ...(branchWork.kind === 'known' ? toPeople(listContributors(branchWork.value)) : []),
  ]);
}

/** Identified contributors, and contributions without a person. Unknown if a part cannot be read. */
export function findAuthors(
  { run, proposal, ownFix }: { readonly run: RunId; readonly proposal: Proposal; readonly ownFix?: Sha | null },
  { pull, issue, branchWork }: AuthorFacts,
  config: LaneScopedConfig,
  digestOf: DigestOf,
): Observed<Authors> {
  if (pull.kind === 'unknown') return pull;
  if (issue.kind === 'unknown') return issue;
  if (branchWork.kind === 'unknown') return branchWork;
  const { preconditions } = config.lane.checklist;
  const fingerprint = (text: string): Digest => digestOf(bodyFingerprintText(text, preconditions));
  const judge: TextJudge = { run, isOurApp: createAppCheck(config), fingerprint };
  const pullText = listUnnamedEdits(pull.value.versions, proposal.texts?.pull ?? null, judge);
  const issueText = isIssueFirst(proposal)
    ? []
    : listUnnamedEdits(issue.value.versions, proposal.texts?.issue ?? null, judge);
  const asked = proposal.requestedBy === null ? [] : [proposal.requestedBy];
  const texts = [...pull.value.versions, ...issue.value.versions].map(({ by }) => by);
  return known({
    people: distinctPeople([...asked, ...toPeople([...texts, ...listContributors(branchWork.value)])]),
    unnamed: [
      ...findUnnamedOpener(proposal, pull.value),
      ...listUnnamedWork(branchWork.value, [proposal.head, ownFix], config),
      ...pullText.map((by) => buildEditFault(`#${pull.value.number}`, by)),
      ...issueText.map((by) => buildEditFault(`#${issue.value.number}`, by)),
    ],
  });
}

/**
 * An app opened this pull request or issue, and the person behind the app could be the approver. An issue that ferrybot wrote on request
 * names that person in the record.
 */
function findUnnamedOpener(
  { own, texts, requestedBy }: Proposal,
  { number, author, authorIsBot }: PullFacts,
): readonly UnnamedWork[] {
  if (own === undefined || !authorIsBot) return [];
  if (texts?.pull !== undefined && requestedBy !== null) return [];
  return [{ code: 'opened-unnamed', about: `#${number}`, by: author.login }];
}

/** Any workflow can act as `github-actions`, so that login never counts as ferrybot. */
function createAppCheck({ appSlug }: LaneScopedConfig): (login: string) => boolean {
  return (login) => login === appSlug && login !== EVERY_WORKFLOW;
}

const EVERY_WORKFLOW = 'github-actions';

function distinctPeople(people: readonly Actor[]): readonly Actor[] {
  return [...new Map(people.map((one) => [one.id, one])).values()];
}

function toPeople(all: readonly Contributor[]): readonly Actor[] {
  return all.flatMap((hand) => (hand.kind === 'person' ? [hand.actor] : []));
}

function listContributors({ commits, pushes }: BranchWork): readonly Contributor[] {
  return [...pushes.map(({ by }) => by), ...commits.flatMap(({ author, committer }) => [author, committer])];
}

function nameBy(by: Contributor): string {
  return by.kind === 'person' ? by.actor.login : by.kind === 'app' ? by.login : '';
}

function buildEditFault(about: string, by: string): UnnamedWork {
  return { code: 'edit-unnamed', about, by };
}

type TextJudge = {
  readonly run: RunId;
  readonly isOurApp: (login: string) => boolean;
  readonly fingerprint: (text: string) => Digest;
};

/** Unattributed edits since ferrybot's last version, newest first. Edits that keep the fingerprint, such as ticked boxes, do not count. */
function listUnnamedEdits(
  versions: readonly TextVersion[],
  written: Digest | null,
  { run, isOurApp, fingerprint }: TextJudge,
): readonly string[] {
  // Two processes may finish one proposal. The slower one's text carries ferrybot's seal.
  const isUnnamed = ({ by, sealedFor }: TextVersion): boolean =>
    sealedFor !== run && (by.kind === 'unnamed' || (by.kind === 'app' && !isOurApp(by.login)));
  if (!versions.some(isUnnamed)) return [];
  const prints = versions.map(({ text }) => (text === null ? null : fingerprint(text)));
  // Without a recorded text, the first version counts as the author's.
  const ours = written === null ? versions.length - 1 : prints.indexOf(written);
  const since = ours < 0 ? versions : versions.slice(0, ours);
  return since.flatMap((version, index) => {
    const [after, before] = [prints[index] ?? null, prints[index + 1] ?? null];
    return isUnnamed(version) && (after === null || after !== before) ? [nameBy(version.by)] : [];
  });
}

/** Unattributed commits and pushes. The record or the pushing App identifies ferrybot's own. */
function listUnnamedWork(
  { commits, pushes, isWhole }: BranchWork,
  recorded: readonly (Sha | null | undefined)[],
  config: LaneScopedConfig,
): readonly UnnamedWork[] {
  if (!isWhole) return [{ code: 'too-much-work', about: '', by: '' }];
  const isOurApp = createAppCheck(config);
  const byUs = pushes.filter(({ by }) => by.kind === 'app' && isOurApp(by.login)).map(({ after }) => after);
  const own = new Set([...byUs, ...recorded.flatMap((sha) => sha ?? [])]);
  // A rebased ferrybot commit keeps ferrybot's name; the pusher is the contributor.
  const isBotWork = (hand: Contributor, email: string): boolean =>
    email === config.git.email || (hand.kind === 'app' && (isOurApp(hand.login) || hand.login === WEB_FLOW));
  const isNamed = (hand: Contributor, email: string): boolean => hand.kind === 'person' || isBotWork(hand, email);
  return [
    ...pushes
      .filter(({ by, after }) => by.kind !== 'person' && !own.has(after))
      .map(({ by, after }) => ({ code: 'push-unnamed', about: short(after), by: nameBy(by) }) as const),
    ...commits
      .filter(({ sha }) => !own.has(sha))
      .filter((one) => !isNamed(one.author, one.authorEmail) || !isNamed(one.committer, one.committerEmail))
      .map(
        (one) => ({ code: 'commit-unnamed', about: short(one.sha), by: describeUnnamedCommit(one, isNamed) }) as const,
      ),
  ];
}

/** GitHub's committer account for web and API commits; their author is the contributor. */
const WEB_FLOW = 'web-flow';

function describeUnnamedCommit(
  { author, authorEmail, committer, committerEmail }: BranchWork['commits'][number],
  isNamed: (hand: Contributor, email: string) => boolean,
): string {
  return isNamed(author, authorEmail) ? nameBy(committer) || committerEmail : nameBy(author) || authorEmail;
}

function short(sha: Sha): string {
  return sha.slice(0, 12);
}
