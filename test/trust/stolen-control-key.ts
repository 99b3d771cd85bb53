/** Attacks with the control key and write permission: any entry of control, signed with its key. */

import { createGatherer } from '../../src/app/control/gather.ts';
import { createLabOpener, type OpenLab, openLaneOfRun } from '../../src/app/open-lab.ts';
import type { Manifest } from '../../src/domain/launch/manifest.ts';
import { lastFailure } from '../../src/domain/launch/next-attempt.ts';
import { buildSubmissionId } from '../../src/domain/launch/order.ts';
import type { EventDraft } from '../../src/domain/logbook/define.ts';
import { nextAttemptNumber, type RunState, shownSince } from '../../src/domain/logbook/run-state.ts';
import { addMs, type Digest, isRunId, type RunId, type Sha, toRfc3339, unknown } from '../../src/domain/values.ts';
import { canonicalDigest } from '../../src/logbook/chain.ts';
import { type GateEvaluation, gateRun } from '../../src/run/gate-run.ts';
import type { BundleWorld } from './bundle-world.ts';

const HOUR = 3_600_000;

/** Opens the record with the stolen key; every appended entry is signed as control's. */
async function stolen({ control: lab }: BundleWorld): Promise<OpenLab> {
  const opening = await createLabOpener(lab, 'main').open();
  if (opening.kind !== 'open') throw new Error(`the lab has no config: ${opening.config.why}`);
  return opening.open;
}

function runIn({ store }: OpenLab, run: string): RunState {
  const state = store.current().runs.find((one) => one.run === run);
  if (state === undefined) throw new Error(`there is no ${run}`);
  return state;
}

async function append(open: OpenLab, run: string, draft: EventDraft): Promise<void> {
  if (!isRunId(run)) throw new Error(`${run} is no name of a run`);
  const result = await open.store.append([{ run, drafts: [draft] }], open.lab.now());
  if (result.kind !== 'appended') throw new Error(`${draft.type}: ${JSON.stringify(result)}`);
}

/** A second run on the same pull request, proposed only by the thief. */
export async function proposeWithStolenKey(lab: BundleWorld, like: string, name: string = `${like}-2`): Promise<RunId> {
  const open = await stolen(lab);
  if (!isRunId(name)) throw new Error(`${name} is no name of a run`);
  await append(open, name, { type: 'proposed', role: 'control', data: runIn(open, like).proposal });
  return name;
}

/**
 * Forges an order with consistent entries: passed gates, and a real approval of the digest by that person, in
 * a new comment or in `said`. Returns the order's digest. `recorded` changes the manifest in the record.
 */
export async function orderWithStolenKey(
  lab: BundleWorld,
  run: string,
  approver: string,
  on: number | null = null,
  recorded: (manifest: Manifest) => Manifest = (manifest) => manifest,
): Promise<string> {
  const open = await stolen(lab);
  const gated = await gatedNow(open, runIn(open, run));
  const { manifest, bound, facts, verdicts } = gated;
  if (manifest.kind === 'unknown' || bound.kind === 'unknown' || facts.change.kind === 'unknown')
    throw new Error('there is no manifest to approve');
  const { digest, body } = bound.value;
  const commit = facts.change.value.headSha;
  const green = verdicts.map((one) => ({ ...one, outcome: 'pass', found: {}, remedyBy: 'anyone' }) as const);
  const data = { digest, manifest: recorded(manifest.value), commit, body, verdicts: green };
  await append(open, run, { type: 'gated', role: 'control', data });
  const { pull } = runIn(open, run).proposal;
  // The thief also forges the entry that the card was shown.
  const shownAt = new Date(open.lab.now()).toISOString();
  const shown = { digest, body, thread: pull, comment: 1, text: '0'.repeat(64), shownAt };
  if (shownSince(runIn(open, run), digest) === null)
    await append(open, run, { type: 'shown', role: 'control', data: shown });
  lab.clock.advance(5_000);
  const there = on === null ? undefined : lab.world.state.comments[on];
  if (there !== undefined) {
    const said = { id: there.id, user: { id: there.authorId, login: approver } };
    return orderOn(open, run, { said, text: there.body, digest, body, commit });
  }
  const text = `/approve-launch ${digest.slice('sha256:'.length)}`;
  const said = (await lab.as(approver, 'POST', `/issues/${pull}/comments`, { body: text })) as Said;
  return orderOn(open, run, { said, text, digest, body, commit });
}

type Said = { readonly id: number; readonly user: { readonly id: number; readonly login: string } };

/** The same with an existing approval, even if it was revoked. */
export async function orderAgainWithStolenKey(lab: BundleWorld, run: string, comment: number): Promise<string> {
  const open = await stolen(lab);
  const row = lab.world.state.comments[comment];
  const { gate } = runIn(open, run);
  if (row === undefined || gate?.digest == null || gate.body === null)
    throw new Error('there is nothing to order again');
  const said = { id: row.id, user: { id: row.authorId, login: 'mira' } };
  const { digest, body, commit } = gate;
  return orderOn(open, run, { said, text: row.body, digest, body, commit });
}

/** Records a command as answered without executing it, so that control ignores it. */
export async function answerWithStolenKey(lab: BundleWorld, run: string, comment: number): Promise<void> {
  const open = await stolen(lab);
  const row = lab.world.state.comments[comment];
  if (row === undefined) throw new Error(`there is no comment ${comment}`);
  const thread = runIn(open, run).proposal.pull;
  const [, name = '', rest = ''] = /^\/(\w+)(.*)/.exec(row.body) ?? [];
  const args = Object.fromEntries([...rest.matchAll(/(\w+)=(\w+)/g)].map(([, key = '', value = '']) => [key, value]));
  const place = { comment, surface: 'comment', index: 0, thread } as const;
  const actor = { id: row.authorId, login: 'mira' };
  const bodyDigest = open.lab.digestOf(row.body);
  const seen = { ...place, name, args, bodyDigest };
  await append(open, run, { type: 'command-seen', role: 'control', actor, data: seen });
  const data = { ...place, code: 'not-permitted', detail: {} } as const;
  await append(open, run, { type: 'command-answered', role: 'control', data });
}

type Approved = {
  readonly said: Said;
  readonly text: string;
  readonly digest: Digest;
  readonly body: Digest;
  readonly commit: Sha;
};

async function orderOn(open: OpenLab, run: string, { said, text, digest, body, commit }: Approved): Promise<string> {
  const actor = { id: said.user.id, login: said.user.login };
  const approved = { digest, comment: said.id, surface: 'comment', bodyDigest: open.lab.digestOf(text), body } as const;
  await append(open, run, { type: 'approved', role: 'control', actor, data: approved });
  const now = open.lab.now();
  const state = runIn(open, run);
  const attempt = nextAttemptNumber(state.order);
  const last = lastFailure(state);
  const { comment, surface, bodyDigest } = approved;
  const order = {
    v: 1,
    run: state.run,
    repository: open.lab.repository,
    attempt,
    digest,
    commit,
    pull: state.proposal.pull,
    approvals: [{ comment, surface, user: actor.id, bodyDigest }],
    ...(last === null ? {} : { parent: { run: state.run, attempt: last.submission.attempt } }),
    submissionId: buildSubmissionId(state.run, attempt),
    issuedAt: toRfc3339(now),
    expiresAt: toRfc3339(addMs(now, HOUR)),
  } as const;
  const named = canonicalDigest(order, open.lab.digestOf);
  await append(open, run, { type: 'ordered', role: 'control', data: { order, orderDigest: named } });
  return named;
}

/** Control's own evaluation of the gates: the thief has its code too. */
async function gatedNow(open: OpenLab, state: RunState): Promise<GateEvaluation> {
  const { lab } = open;
  const facts = await createGatherer(open).gather(
    state,
    new Map((['change', 'branchWork', 'searchedRoots'] as const).map((name) => [name, name])),
    (comments) => comments,
  );
  return gateRun({
    run: state.run,
    proposal: state.proposal,
    holds: state.holds,
    approvals: unknown('nobody asks'),
    approved: null,
    config: openLaneOfRun(open, state).config,
    repository: lab.repository,
    now: lab.now(),
    facts,
    digestOf: lab.digestOf,
  });
}
