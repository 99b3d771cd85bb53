/** A runner's own look for brakes in the threads of what it is about to do: also such as the record has lost. */

import type { CommandPolicy } from '../commands/decision.ts';
import { policyOf } from '../commands/policy.ts';
import { definitionOf } from '../commands/registry.ts';
import { mayApprove } from '../config/may-approve.ts';
import { type Actor, type Permission, permits } from '../domain/actor.ts';
import type { CommentFacts } from '../domain/facts.ts';
import type { Digest } from '../domain/ids.ts';
import { type LaneDay, LIFTED_BY } from '../domain/launch/hold.ts';
import type { FallenApproval } from '../domain/logbook/fallen-approvals.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';
import type { GitHubClient } from '../github/call.ts';
import { readCited } from '../github/cited-comment.ts';
import { PEOPLE_LISTED_MAX, readPeople } from '../github/people.ts';
import { readPermission } from '../github/permission.ts';
import { readingOfComment } from '../run/comment-readings.ts';
import { lanesOf } from '../run/lane-scope.ts';
import { type LiftedHold, liftedFor, lifts, liftsRecorded } from '../run/lifted-holds.ts';
import {
  type Brake,
  isHoldKind,
  type Looked,
  type OpenBrake,
  openBrakes,
  type Unanswered,
} from '../run/open-brakes.ts';
import { approvedAnew, approves, hasFallen, isBefore, saidHold } from '../run/said-approvals.ts';
import { saidElsewhere } from './brakes-elsewhere.ts';
import type { OpenLab } from './open-lab.ts';
import { readingOf } from './reading.ts';

/** People whose permission a runner asks for before it acts: any stranger may write a brake, and it asks once a launch. */
const BRAKE_AUTHORS_MAX = 200;

type Ask = (author: Actor) => Promise<Observed<Permission>>;
type Asked = Map<number, Observed<Permission>>;

/** The brakes of people who may pull them at this moment; unknown where GitHub does not tell who may. */
export async function gatherBrakes(
  open: Pick<OpenLab, 'lab' | 'config' | 'store'>,
  place: Unanswered & {
    /** Whoever gave an approval that this rests on. */
    readonly approvers: ReadonlySet<number>;
    /** What is to be launched; null where it is no launch. */
    readonly manifest: Digest | null;
    /** When approvals of it fell, by the record: what the threads alone do not tell. */
    readonly fallen: readonly FallenApproval[];
    /** What else of these threads holds it back, where whoever said it may approve; left out: nothing. */
    readonly heeds?: NonNullable<Looked['heeds']>;
  },
  own: readonly CommentFacts[],
): Promise<Observed<readonly Brake[]>> {
  const { lab, config, store } = open;
  const others = await saidElsewhere(open, place, own);
  if (others.kind === 'unknown') return others;
  const abroad = new Set(others.value.comments);
  const comments = [...own, ...abroad];
  const found: Brake[] = [];
  const asked: Asked = new Map();
  const ask: Ask = async (author) => {
    const permission = asked.get(author.id) ?? (await readPermission(lab.client, author));
    asked.set(author.id, permission);
    return permission;
  };
  const policy = policyOf(config);
  const { approvers, heeds = () => false } = place;
  const { otherBots } = config;
  const elsewhere = new Map([...others.value.commands, ...store.current().journal.commands]);
  const authors = new Map(
    openBrakes(place, elsewhere, comments, { otherBots, permissions: new Map(), abroad, heeds }).map(
      ({ comment: { author } }) => [author.id, author],
    ),
  );
  const untrusted = await untrustedAmong(lab.client, [...authors.values()]);
  if (untrusted.kind === 'unknown') return untrusted;
  for (const author of authors.values()) {
    const permission = untrusted.value.has(author.id) ? known<Permission>('none') : await ask(author);
    asked.set(author.id, permission);
    if (permission.kind === 'unknown' && !approvers.has(author.id)) return permission;
  }
  // An approver's words are read whole, whatever they may do today.
  const read = new Map([...asked, ...[...approvers].map((id) => [id, known<Permission>('triage')] as const)]);
  for (const item of openBrakes(place, elsewhere, comments, {
    otherBots,
    permissions: read,
    abroad,
    heeds,
  })) {
    if (item.name === null) continue;
    const { author, thread } = item.comment;
    const brake = { name: item.name, login: author.login, thread };
    // Whoever gave an approval may take it back, also after they lost the right to give one.
    if (
      item.name === 'revoke' &&
      approvers.has(author.id) &&
      !approvedAnew(item, place.manifest, own, otherBots)
    )
      return known([...found, brake]);
    const permission = await ask(author);
    if (permission.kind === 'unknown') return permission;
    const needs = item.name === 'revoke' ? policy.permissions.revoke : neededFor(item.name, policy);
    const isPulled =
      (needs === null || permits(permission.value, needs)) &&
      (definitionOf(item.name)?.holdsBack === true ||
        mayApprove(permission.value, author.id, config.approvals));
    if (!isPulled || (await isLifted(item, policy, ask))) continue;
    if (await tookBackOwn(item, place, own, { otherBots, policy, ask })) continue;
    const hold = saidHold(item, place.day);
    const isElsewhere = hold === null ? known(false) : await isLiftedElsewhere(open, hold, ask);
    if (isElsewhere.kind === 'unknown') return isElsewhere;
    if (!isElsewhere.value) found.push(brake);
  }
  const unproven = await unprovenLifts(
    open,
    { lane: place.day.lane, date: place.day.date, run: place.run },
    ask,
  );
  return unproven.kind === 'unknown' ? unproven : known([...found, ...unproven.value]);
}

/** Whoever of more people than can be asked about has no role here, by the list of those who have one; nobody where they are few. */
async function untrustedAmong(
  client: GitHubClient,
  authors: readonly Actor[],
): Promise<Observed<ReadonlySet<number>>> {
  if (authors.length <= BRAKE_AUTHORS_MAX) return known(new Set());
  const people = await readPeople(client);
  if (people.kind === 'unknown') return people;
  const here = new Set(people.value.map(({ actor }) => actor.id));
  // The list leaves out apps, and of a very large lab whoever comes last.
  const isUntrusted = ({ id, login }: Actor): boolean => !here.has(id) && !login.endsWith('[bot]');
  const untrusted = here.size < PEOPLE_LISTED_MAX ? authors.filter(isUntrusted) : [];
  return authors.length - untrusted.length > BRAKE_AUTHORS_MAX
    ? unknown('more people may hold this back than can be asked about: comments of strangers can be deleted')
    : known(new Set(untrusted.map(({ id }) => id)));
}

/** A hold, freeze or skipped day of the record that was lifted by nobody who can be found. */
async function unprovenLifts(
  open: Pick<OpenLab, 'lab' | 'config' | 'store'>,
  of: LaneDay & { readonly run: string | null },
  ask: Ask,
): Promise<Observed<readonly Brake[]>> {
  const found: Brake[] = [];
  const { journal, runs } = open.store.current();
  for (const hold of liftedFor(journal, of, runs)) {
    const isTrue = await isLiftedElsewhere(open, hold, ask);
    if (isTrue.kind === 'unknown') return isTrue;
    if (!isTrue.value) found.push({ name: hold.name, login: hold.login, thread: null });
  }
  return known(found);
}

/** Whether a comment that the record has stands at GitHub and lifts it, by somebody who may. */
async function isLiftedElsewhere(
  { lab, config, store }: Pick<OpenLab, 'lab' | 'config' | 'store'>,
  hold: LiftedHold,
  ask: Ask,
): Promise<Observed<boolean>> {
  const { journal, runs } = store.current();
  const lanes = lanesOf(config).map(({ laneName }) => laneName);
  const needs = neededFor(LIFTED_BY[hold.name], policyOf(config));
  const spoken = { runs, lanes };
  const read = ({
    surface,
    comment,
    thread,
  }: NonNullable<LiftedHold['said']>): ReturnType<typeof readCited> =>
    readCited(lab.client, { surface, comment, pull: thread }, readingOf(lab, config));
  const recorded = liftsRecorded(hold, journal, spoken);
  const { said } = hold;
  // Numbers of one kind of comment tell what came later; between two kinds GitHub's time of both does.
  const isOfOther = said !== null && recorded.some(({ surface }) => surface !== said.surface);
  const own = isOfOther ? await read(said) : known(null);
  if (own.kind === 'unknown') return own;
  const since = own.value === null ? hold : { ...hold, at: own.value.createdAt };
  for (const one of recorded) {
    const found = await read(one);
    if (found.kind === 'unknown') return found;
    if (found.value === null || !lifts(found.value, since, { ...spoken, otherBots: config.otherBots }))
      continue;
    const permission = await ask(found.value.author);
    if (permission.kind === 'unknown') return permission;
    if (needs === null || permits(permission.value, needs)) return known(true);
  }
  return known(false);
}

function neededFor(name: string, policy: CommandPolicy): Permission | null {
  return definitionOf(name)?.who(policy) ?? null;
}

/**
 * Somebody who approved this and then revoked took back their own approval, and nobody else's, as long as theirs stood: an
 * older manifest, an edited comment, a fall that the record has, a revocation or a hold between the two leaves them none, and then all are taken back.
 */
async function tookBackOwn(
  { name, isAnswered, comment }: OpenBrake,
  { manifest, fallen }: { readonly manifest: Digest | null; readonly fallen: readonly FallenApproval[] },
  comments: readonly CommentFacts[],
  { otherBots, policy, ask }: { otherBots: readonly string[]; policy: CommandPolicy; ask: Ask },
): Promise<boolean> {
  if (name !== 'revoke' || !isAnswered || manifest === null) return false;
  const before = comments
    .filter((one) => isBefore(one, comment))
    .toSorted((a, b) => (isBefore(a, b) ? -1 : 1));
  let isStanding = false;
  for (const one of before) {
    const isOwn = one.author.id === comment.author.id;
    if (isOwn && approves(one, manifest, otherBots)) isStanding = !hasFallen(fallen, one, comment);
    for (const { name: said } of readingOfComment(one, 'trusted', otherBots).reading.commands) {
      if (!isStanding || !(isHoldKind(said) || (isOwn && said === 'revoke'))) continue;
      const needs = neededFor(said, policy);
      const permission = await ask(one.author);
      if (permission.kind === 'unknown' || needs === null || permits(permission.value, needs))
        isStanding = false;
    }
  }
  return isStanding;
}

/** Whether somebody who may has lifted it in the same threads; one that nobody has answered yet stands whatever follows. */
async function isLifted({ isAnswered, lifts }: OpenBrake, policy: CommandPolicy, ask: Ask): Promise<boolean> {
  if (!isAnswered) return false;
  for (const { said, comment } of lifts) {
    if (said.kind !== 'command') continue;
    const needs = neededFor(said.name, policy);
    const permission = await ask(comment.author);
    if (permission.kind === 'known' && (needs === null || permits(permission.value, needs))) return true;
  }
  return false;
}
