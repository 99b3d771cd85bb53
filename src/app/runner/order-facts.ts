/** The runner's own reading of everything that an order rests on: threads, cited approvals, live permissions, and the manifest from its checkout. */

import type { Permission } from '../../domain/actor.ts';
import type { BodyFacts, ChangeFacts, CommentFacts } from '../../domain/facts.ts';
import type { Digest } from '../../domain/ids.ts';
import type { Order } from '../../domain/launch/order.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { known, type Observed, unknown } from '../../domain/observed.ts';
import { readAgain } from '../../github/cited-comment.ts';
import { readPermission } from '../../github/permission.ts';
import { readProposal } from '../../github/proposal-threads.ts';
import { manifestDigest } from '../../run/manifest-digest.ts';
import { manifestOf } from '../../run/manifest-of.ts';
import { type ApprovalFacts, type Cited, citationKey } from '../../run/verify-approvals.ts';
import type { OrderFacts } from '../../run/verify-order.ts';
import { readBody } from '../control/body-facts.ts';
import { changeFacts } from '../control/change-facts.ts';
import { laneOf } from '../control/gather.ts';
import type { OpenLab } from '../open-lab.ts';
import { placeOf, readingOf } from '../reading.ts';

/** Reads the facts for one run's order; without a run everything is unknown. */
export async function gatherOrderFacts(open: OpenLab, state: RunState | null): Promise<OrderFacts> {
  const { lab, config } = open;
  if (state === null || state.order === null) return withheld(open, 'there is no order');
  const place = placeOf(state.proposal, config);
  const threads = await readProposal(lab.client, place, readingOf(lab, config));
  if (threads.kind === 'unknown') return withheld(open, threads.why);
  const { pull } = threads.value;
  if (pull.kind === 'unknown') return withheld(open, pull.why);
  const { order } = state.order;
  const cited = await citedApprovals(open, order, threads.value.comments);
  const change = await changeFacts(lab, open.git, config, order.commit);
  const body = readBody(lab, config, pull.value.body, change, null);
  const permissions = await permissionsOf(open, cited);
  return {
    ...frame(open),
    pull,
    body: body.kind === 'known' ? known(body.value.fingerprint) : body,
    cited,
    permissions,
    digest: digestFromCheckout(open, state, change, body),
  };
}

/** What is known without asking anybody. The time is read last, after GitHub's clock was learnt from its answers. */
function frame({
  lab,
  config,
  keeper,
}: OpenLab): Pick<OrderFacts, 'repository' | 'now' | 'config' | 'digestOf' | 'laneHolds'> {
  const { laneHolds } = laneOf(keeper.current());
  return { repository: lab.repository, now: lab.now(), config, digestOf: lab.digestOf, laneHolds };
}

function withheld(open: OpenLab, why: string): OrderFacts {
  const nothing = unknown(why);
  const empty = { cited: new Map(), permissions: new Map() };
  return { ...frame(open), ...empty, pull: nothing, body: nothing, digest: nothing };
}

async function citedApprovals(
  open: OpenLab,
  order: Order,
  comments: readonly CommentFacts[],
): Promise<ReadonlyMap<string, Cited>> {
  const { lab, config } = open;
  const cited = new Map<string, Cited>();
  for (const { surface, comment } of order.approvals) {
    const citation = { surface, comment, pull: order.pull };
    const shown = comments.find((one) => one.surface === surface && one.id === comment);
    cited.set(
      citationKey({ surface, comment }),
      await readAgain(lab.client, citation, shown, readingOf(lab, config)),
    );
  }
  return cited;
}

/** Live permissions under the names that the accounts have today: a renamed person keeps the id, and the right. */
async function permissionsOf(
  { lab }: OpenLab,
  cited: ApprovalFacts['cited'],
): Promise<ApprovalFacts['permissions']> {
  const permissions = new Map<number, Observed<Permission>>();
  for (const comment of cited.values()) {
    if (comment.kind === 'unknown' || comment.value === null) continue;
    const { author } = comment.value;
    if (!permissions.has(author.id)) permissions.set(author.id, await readPermission(lab.client, author));
  }
  return permissions;
}

/** The manifest from the runner's own mirror at the ordered commit: nothing that the App said goes into it. */
function digestFromCheckout(
  { lab, config }: OpenLab,
  state: RunState,
  change: Observed<ChangeFacts>,
  body: Observed<BodyFacts>,
): Observed<Digest> {
  if (change.kind === 'unknown') return change;
  if (body.kind === 'unknown') return body;
  const manifest = manifestOf({
    run: state.run,
    repository: lab.repository,
    proposal: state.proposal,
    config,
    change: change.value,
    body: body.value,
  });
  return manifest.kind === 'known' ? known(manifestDigest(manifest.value, lab.digestOf)) : manifest;
}
