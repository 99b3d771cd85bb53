/** Who had a hand in a proposal: pushers, authors and committers of what is not the bot's, and editors of its texts. */

import { bodyFingerprintText } from '../commands/grammar/fingerprint-text.ts';
import type { Actor } from '../domain/actor.ts';
import type { Authors, BranchWork, Contributor, TextVersion, UnnamedWork } from '../domain/authorship.ts';
import type { PullFacts, RunFacts } from '../domain/facts.ts';
import type { Digest, DigestOf, RunId, Sha } from '../domain/ids.ts';
import { isIssueFirst } from '../domain/issue-first.ts';
import type { EventDataByType } from '../domain/logbook/event.ts';
import { known, type Observed } from '../domain/observed.ts';
import type { LaneScopedConfig } from './lane-scope.ts';

type Proposal = EventDataByType['proposed'];
type Shown = Pick<RunFacts, 'pull' | 'issue' | 'branchWork'>;

/**
 * Whose approval would be their own, as far as it can be read: who asked, who wrote, and who changed anything since. What
 * cannot be read names nobody here, and the gate `authors-known` lets nothing through.
 */
export function interestedIn(proposal: Proposal, { pull, issue, branchWork }: Shown): readonly Actor[] {
  const asked = proposal.requestedBy === null ? [] : [proposal.requestedBy];
  const texts = [pull, issue].flatMap((one) => (one.kind === 'known' ? one.value.versions : []));
  return distinct([
    proposal.author,
    ...(pull.kind === 'known' ? [pull.value.author] : []),
    ...asked,
    ...peopleOf(texts.map(({ by }) => by)),
    ...(branchWork.kind === 'known' ? peopleOf(handsIn(branchWork.value)) : []),
  ]);
}

/** The people behind a proposal, and what nobody can be named for. Unknown where a part cannot be read. */
export function authorsOf(
  {
    run,
    proposal,
    ownFix,
  }: { readonly run: RunId; readonly proposal: Proposal; readonly ownFix?: Sha | null },
  { pull, issue, branchWork }: Shown,
  config: LaneScopedConfig,
  digestOf: DigestOf,
): Observed<Authors> {
  if (pull.kind === 'unknown') return pull;
  if (issue.kind === 'unknown') return issue;
  if (branchWork.kind === 'unknown') return branchWork;
  const { preconditions } = config.lane.checklist;
  const fingerprint = (text: string): Digest => digestOf(bodyFingerprintText(text, preconditions));
  const judge: TextJudge = { run, isOurApp: isOurAppIn(config), fingerprint };
  const pullText = unnamedEdits(pull.value.versions, proposal.texts?.pull ?? null, judge);
  const issueText = isIssueFirst(proposal)
    ? []
    : unnamedEdits(issue.value.versions, proposal.texts?.issue ?? null, judge);
  const asked = proposal.requestedBy === null ? [] : [proposal.requestedBy];
  const texts = [...pull.value.versions, ...issue.value.versions].map(({ by }) => by);
  return known({
    people: distinct([...asked, ...peopleOf([...texts, ...handsIn(branchWork.value)])]),
    unnamed: [
      ...unnamedOpener(proposal, pull.value),
      ...unnamedWork(branchWork.value, [proposal.head, ownFix], config),
      ...pullText.map((by) => edit(`#${pull.value.number}`, by)),
      ...issueText.map((by) => edit(`#${issue.value.number}`, by)),
    ],
  });
}

/**
 * Somebody's own pull request or issue that no person opened: whoever has that app in hand may be the one who approves. Of an
 * issue that the bot wrote for somebody the record has its text, and who asked is named.
 */
function unnamedOpener(
  { own, texts, requestedBy }: Proposal,
  { number, author, authorIsBot }: PullFacts,
): readonly UnnamedWork[] {
  if (own === undefined || !authorIsBot) return [];
  if (texts?.pull !== undefined && requestedBy !== null) return [];
  return [{ code: 'opened-unnamed', about: `#${number}`, by: author.login }];
}

/** The App speaks as itself alone; as `github-actions` every workflow of the repository can. */
function isOurAppIn({ appSlug }: LaneScopedConfig): (login: string) => boolean {
  return (login) => login === appSlug && login !== EVERY_WORKFLOW;
}

const EVERY_WORKFLOW = 'github-actions';

function distinct(people: readonly Actor[]): readonly Actor[] {
  return [...new Map(people.map((one) => [one.id, one])).values()];
}

function peopleOf(hands: readonly Contributor[]): readonly Actor[] {
  return hands.flatMap((hand) => (hand.kind === 'person' ? [hand.actor] : []));
}

function handsIn({ commits, pushes }: BranchWork): readonly Contributor[] {
  return [...pushes.map(({ by }) => by), ...commits.flatMap(({ author, committer }) => [author, committer])];
}

function nameOf(hand: Contributor): string {
  return hand.kind === 'person' ? hand.actor.login : hand.kind === 'app' ? hand.login : '';
}

function edit(about: string, by: string): UnnamedWork {
  return { code: 'edit-unnamed', about, by };
}

type TextJudge = {
  readonly run: RunId;
  readonly isOurApp: (login: string) => boolean;
  readonly fingerprint: (text: string) => Digest;
};

/**
 * Edits by nobody who can be named, newest first, since the text was last as the bot wrote it. One that leaves what people
 * decide on as it found it is none: so the bot ticks its boxes, also where it speaks under the name of every workflow.
 */
function unnamedEdits(
  versions: readonly TextVersion[],
  written: Digest | null,
  { run, isOurApp, fingerprint }: TextJudge,
): readonly string[] {
  // Two processes may finish one proposal: what the slower one wrote last is the bot's own too, and has its seal.
  const isSuspect = ({ by, sealedFor }: TextVersion): boolean =>
    sealedFor !== run && (by.kind === 'unnamed' || (by.kind === 'app' && !isOurApp(by.login)));
  if (!versions.some(isSuspect)) return [];
  const prints = versions.map(({ text }) => (text === null ? null : fingerprint(text)));
  // A record of before the texts were kept takes the first version for the bot's own; of a person's text it is theirs.
  const ours = written === null ? versions.length - 1 : prints.indexOf(written);
  const since = ours < 0 ? versions : versions.slice(0, ours);
  return since.flatMap((version, index) => {
    const [after, before] = [prints[index] ?? null, prints[index + 1] ?? null];
    return isSuspect(version) && (after === null || after !== before) ? [nameOf(version.by)] : [];
  });
}

/** Commits and pushes by nobody who can be named; the bot's own are known by the record, or by the App that pushed them. */
function unnamedWork(
  { commits, pushes, isWhole }: BranchWork,
  recorded: readonly (Sha | null | undefined)[],
  config: LaneScopedConfig,
): readonly UnnamedWork[] {
  if (!isWhole) return [{ code: 'too-much-work', about: '', by: '' }];
  const isOurApp = isOurAppIn(config);
  const byUs = pushes.filter(({ by }) => by.kind === 'app' && isOurApp(by.login)).map(({ after }) => after);
  const own = new Set([...byUs, ...recorded.flatMap((sha) => sha ?? [])]);
  // A commit of ours that a person carried to another base has our name in it still; who carried it is the pusher.
  const isOurs = (hand: Contributor, email: string): boolean =>
    email === config.git.email || (hand.kind === 'app' && (isOurApp(hand.login) || hand.login === WEB_FLOW));
  const isNamed = (hand: Contributor, email: string): boolean =>
    hand.kind === 'person' || isOurs(hand, email);
  return [
    ...pushes
      .filter(({ by, after }) => by.kind !== 'person' && !own.has(after))
      .map(({ by, after }) => ({ code: 'push-unnamed', about: short(after), by: nameOf(by) }) as const),
    ...commits
      .filter(({ sha }) => !own.has(sha))
      .filter((one) => !isNamed(one.author, one.authorEmail) || !isNamed(one.committer, one.committerEmail))
      .map(
        (one) => ({ code: 'commit-unnamed', about: short(one.sha), by: suspectOf(one, isNamed) }) as const,
      ),
  ];
}

/** GitHub's own account, which commits of its web page and API are committed by: the author is who did it. */
const WEB_FLOW = 'web-flow';

function suspectOf(
  { author, authorEmail, committer, committerEmail }: BranchWork['commits'][number],
  isNamed: (hand: Contributor, email: string) => boolean,
): string {
  return isNamed(author, authorEmail) ? nameOf(committer) || committerEmail : nameOf(author) || authorEmail;
}

function short(sha: Sha): string {
  return sha.slice(0, 12);
}
