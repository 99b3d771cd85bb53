/** The runner's own reading of everything that an order rests on: threads, live permissions, and the manifest from its checkout. */

import type { Permission } from '../../domain/actor.ts';
import type { Digest } from '../../domain/ids.ts';
import { known, type Observed, unknown } from '../../domain/observed.ts';
import type { RunState } from '../../domain/run-state.ts';
import { readPermission } from '../../github/permission.ts';
import { readThreads } from '../../github/threads.ts';
import { manifestDigest } from '../../run/manifest-digest.ts';
import { manifestOf } from '../../run/manifest-of.ts';
import type { OrderFacts } from '../../run/verify-order.ts';
import { readBody } from '../control/body-facts.ts';
import { changeFacts } from '../control/change-facts.ts';
import { laneHoldsOf } from '../control/gather.ts';
import type { OpenLab } from '../open-lab.ts';
import { readingOf } from '../reading.ts';

/** Reads the facts for one run's order; without a run everything is unknown. */
export async function gatherOrderFacts(open: OpenLab, state: RunState | null): Promise<OrderFacts> {
  const { lab, config } = open;
  const base = (): Pick<OrderFacts, 'repository' | 'now' | 'config' | 'laneHolds'> => ({
    repository: lab.repository,
    now: lab.now(),
    config,
    laneHolds: laneHoldsOf(open.keeper.current()),
  });
  if (state === null || state.order === null) {
    const nothing = unknown('there is no order');
    return { ...base(), pull: nothing, comments: nothing, permissions: new Map(), digest: nothing };
  }
  const threads = await readThreads(
    lab.client,
    state.proposal.pull,
    state.proposal.issue,
    readingOf(lab, config),
  );
  if (threads.kind === 'unknown')
    return { ...base(), pull: threads, comments: threads, permissions: new Map(), digest: threads };
  const { pull, comments } = threads.value;
  const approvals = new Set(state.order.order.approvals.map((approval) => approval.user));
  const permissions = new Map<number, Observed<Permission>>();
  for (const comment of comments) {
    const { author } = comment;
    if (approvals.has(author.id) && !permissions.has(author.id))
      permissions.set(author.id, await readPermission(lab.client, author));
  }
  return {
    ...base(),
    pull: known(pull),
    comments: known(comments),
    permissions,
    digest: await digestFromCheckout(open, state, pull.body),
  };
}

/** The manifest from the runner's own mirror at the ordered commit: nothing that the App said goes into it. */
async function digestFromCheckout(open: OpenLab, state: RunState, body: string): Promise<Observed<Digest>> {
  const { lab, config, git } = open;
  if (state.order === null) return unknown('there is no order');
  const change = await changeFacts(lab, git, config, state.order.order.commit);
  if (change.kind === 'unknown') return change;
  const read = readBody(lab, config, body, change, null);
  if (read.kind === 'unknown') return read;
  const manifest = manifestOf({
    run: state.run,
    repository: lab.repository,
    proposal: state.proposal,
    config,
    change: change.value,
    body: read.value,
  });
  return manifest.kind === 'known' ? known(manifestDigest(manifest.value, lab.digestOf)) : manifest;
}
