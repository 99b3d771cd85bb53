/** Finds brakes (commands such as `/hold`) before a runner acts: in the run's own threads and in the rest of the repository. */

import type { ApprovalReading } from '../actions/verify-approval.ts';
import { findCommand } from '../commands/registry.ts';
import { canApprove } from '../config/approvals-schema.ts';
import { type Actor, type Permission, permits } from '../domain/actor.ts';
import type { CommentFacts } from '../domain/facts.ts';
import { citationKey, type OrderApproval } from '../domain/launch/order.ts';
import { findQuestion } from '../domain/logbook/journal-state.ts';
import { isOver } from '../domain/logbook/run-state.ts';
import { known, type Observed, unknown } from '../domain/values.ts';
import type { GitHubClient } from '../github/call.ts';
import { type CommentCitation, rereadComment } from '../github/cited-comment.ts';
import { PEOPLE_LISTED_MAX, readPeople, readPermission } from '../github/settings.ts';
import { listProposingLanes } from '../run/lane.ts';
import { type Brake, type Braked, listBrakesSince, type PlaceLookup } from '../run/open-brakes.ts';
import type { PendingItem } from '../run/pending-commands.ts';
import { listBrakesInOtherThreads } from './brakes-elsewhere.ts';
import { threadReading } from './markers.ts';
import type { OpenLab } from './open-lab.ts';

/** Maximum number of permission requests. It is needed because strangers can write brakes, too. */
const BRAKE_AUTHORS_MAX = 200;

type LabContext = Pick<OpenLab, 'lab' | 'config' | 'store'>;

export type BrakedAction = Braked & {
  /** The people who gave the approvals for this action. */
  readonly approvers: ReadonlySet<number>;
  /** Other commands that block the action if their author has permission; default: none. */
  readonly alsoBlocks?: (item: PendingItem) => boolean;
};

/** Returns the brakes of people with permission to use them now; unknown if GitHub does not return the permissions. */
export async function gatherBrakes(
  open: LabContext,
  action: BrakedAction,
  own: readonly CommentFacts[],
): Promise<Observed<readonly Brake[]>> {
  const { lab, config } = open;
  const { since, basedOn, approvers, alsoBlocks = () => false } = action;
  const from = basedOn === null || basedOn.createdAt < since ? since : basedOn.createdAt;
  const others = await listBrakesInOtherThreads(lab, from, own);
  if (others.kind === 'unknown') return others;
  const comments = { own, others: others.value };
  const findBrakes = (permissions: ReadonlyMap<number, Observed<Permission>>) =>
    listBrakesSince(action, comments, {
      otherBots: config.otherBots,
      permissions,
      placeOf: placeLookup(open),
      alsoBlocks,
    });
  const authors = new Map(findBrakes(new Map()).map(({ comment: { author } }) => [author.id, author]));
  const untrusted = await findUntrustedAuthors(lab.client, [...authors.values()]);
  if (untrusted.kind === 'unknown') return untrusted;
  const permissions = new Map<number, Observed<Permission>>();
  for (const author of authors.values()) {
    const permission = untrusted.value.has(author.id)
      ? known<Permission>('none')
      : await readPermission(lab.client, author);
    if (permission.kind === 'unknown') return permission;
    permissions.set(author.id, permission);
  }
  const found = findBrakes(permissions).flatMap(({ name, comment: { author, thread } }) => {
    const permission = permissions.get(author.id);
    if (name === null || permission?.kind !== 'known') return [];
    // People can revoke their own approval after losing the permission.
    const isOwn = name === 'revoke' && approvers.has(author.id);
    return isOwn || mayPullBrake(open, name, author, permission.value) ? [{ name, login: author.login, thread }] : [];
  });
  return known(found);
}

function mayPullBrake({ config }: LabContext, name: string, author: Actor, permission: Permission): boolean {
  const definition = findCommand(name);
  const needs = name === 'revoke' ? config.permissions.revoke : (definition?.permission(config) ?? null);
  return (
    (needs === null || permits(permission, needs)) &&
    (definition?.isBrake === true || canApprove(permission, author.id, config.approvals))
  );
}

function placeLookup({ config, store }: LabContext): PlaceLookup {
  const { journal, runs } = store.current();
  return (thread) => {
    const here = runs.filter(({ proposal }) => proposal.pull === thread || proposal.issue === thread);
    const active = here.find((run) => !isOver(run));
    return {
      lanes: Object.keys(config.lanes),
      proposing: () => listProposingLanes(config),
      laneHere: (active ?? here[0])?.proposal.lane ?? findQuestion(journal, thread)?.lane ?? null,
      hasRun: active !== undefined,
    };
  };
}

/** Authors without a role in the repository. Used only if there are too many authors to request each permission. */
async function findUntrustedAuthors(
  client: GitHubClient,
  authors: readonly Actor[],
): Promise<Observed<ReadonlySet<number>>> {
  if (authors.length <= BRAKE_AUTHORS_MAX) return known(new Set());
  const people = await readPeople(client);
  if (people.kind === 'unknown') return people;
  const here = new Set(people.value.map(({ actor }) => actor.id));
  // The list does not include apps, and it is truncated for a very large lab.
  const isUntrusted = ({ id, login }: Actor): boolean => !here.has(id) && !login.endsWith('[bot]');
  const untrusted = here.size < PEOPLE_LISTED_MAX ? authors.filter(isUntrusted) : [];
  return authors.length - untrusted.length > BRAKE_AUTHORS_MAX
    ? unknown('more people may hold this back than can be asked about: comments of strangers can be deleted')
    : known(new Set(untrusted.map(({ id }) => id)));
}

/** `comments`: the threads that were just read. Permissions are read by id, because accounts can be renamed. */
export async function readApprovals(
  { lab, config }: Pick<OpenLab, 'lab' | 'config'>,
  citations: readonly (CommentCitation & Pick<OrderApproval, 'surface'>)[],
  comments: readonly CommentFacts[],
): Promise<ApprovalReading> {
  const cited = new Map<string, Observed<CommentFacts | null>>();
  const permissions = new Map<number, Observed<Permission>>();
  for (const citation of citations) {
    const { surface, comment } = citation;
    const shown = comments.find((one) => one.surface === surface && one.id === comment);
    const found = await rereadComment(lab.client, citation, shown, threadReading(lab, config));
    cited.set(citationKey(citation), found);
    if (found.kind === 'unknown' || found.value === null) continue;
    const { author } = found.value;
    if (!permissions.has(author.id)) permissions.set(author.id, await readPermission(lab.client, author));
  }
  return { cited, permissions };
}
