/**
 * Replaces each defence by one that allows everything, one at a time: its scenario then breaks a promise, as
 * the checker reports. With the defence in place, the same sequences break none. A campaign that could not
 * detect a missing defence would prove nothing.
 */

import { vi } from 'vitest';
import { citationKey } from '../../src/domain/launch/order.ts';
import { known, type Sha } from '../../src/domain/values.ts';
import { showDefences } from './permissive.ts';
import { playScenario } from './sequence.ts';

const { gone } = await vi.hoisted(() => import('./permissive.ts'));

vi.mock('../../src/domain/launch/order.ts', async (original) => {
  const real = await original<typeof import('../../src/domain/launch/order.ts')>();
  const compareDigest: typeof real.compareDigest = (given, digest) => {
    const naming = real.compareDigest(given, digest);
    if (gone.has('enough digits') && naming === 'short') return 'named';
    return gone.has('digest named') && naming !== 'other' ? 'named' : naming;
  };
  return { ...real, compareDigest };
});

// Control checks a review's commit when the approval is given, and again before it orders.
vi.mock('../../src/commands/approve-launch.ts', async (original) => {
  const real = await original<typeof import('../../src/commands/approve-launch.ts')>();
  const decide: typeof real.approveLaunch.decide = (context) => {
    const { comment, gates } = context;
    const isLetThrough = gone.has('commit of a review (control)') && gates !== null;
    return real.approveLaunch.decide(
      isLetThrough ? { ...context, comment: { ...comment, commit: gates.commit } } : context,
    );
  };
  return { ...real, approveLaunch: { ...real.approveLaunch, decide } };
});

vi.mock('../../src/run/approvals.ts', async (original) => {
  const real = await original<typeof import('../../src/run/approvals.ts')>();
  type Comments = Parameters<typeof real.gatherApprovalFacts>[1]['comments'];
  const ofCommit = (commit: Sha | null, comments: Comments): Comments =>
    gone.has('commit of a review (control)') && comments.kind === 'known'
      ? known(comments.value.map((one) => ({ ...one, commit })))
      : comments;
  const gatherApprovalFacts: typeof real.gatherApprovalFacts = (state, facts, ...rest) =>
    real.gatherApprovalFacts(
      state,
      { ...facts, comments: ofCommit(state.gate?.commit ?? null, facts.comments) },
      ...rest,
    );
  const decideApprovals: typeof real.decideApprovals = (state, facts, ...rest) =>
    real.decideApprovals(state, { ...facts, comments: ofCommit(state.gate?.commit ?? null, facts.comments) }, ...rest);
  return { ...real, gatherApprovalFacts, decideApprovals };
});

vi.mock('../../src/domain/logbook/run-state.ts', async (original) => {
  const real = await original<typeof import('../../src/domain/logbook/run-state.ts')>();
  const shownSince: typeof real.shownSince = (state, digest) =>
    real.shownSince(state, digest) ??
    (gone.has('shown') ? (0 as NonNullable<ReturnType<typeof real.shownSince>>) : null);
  return { ...real, shownSince };
});

vi.mock('../../src/run/decide-shown.ts', async (original) => {
  const real = await original<typeof import('../../src/run/decide-shown.ts')>();
  const withConfirmedShowing: typeof real.withConfirmedShowing = (state, facts) =>
    gone.has('card intact') ? state : real.withConfirmedShowing(state, facts);
  const decideShown: typeof real.decideShown = (input) =>
    gone.has('card intact') && input.state.shown !== null ? null : real.decideShown(input);
  return { ...real, withConfirmedShowing, decideShown };
});

vi.mock('../../src/run/authors.ts', async (original) => {
  const real = await original<typeof import('../../src/run/authors.ts')>();
  const listInterestedPeople: typeof real.listInterestedPeople = (...asked) =>
    gone.has('interested people') ? [] : real.listInterestedPeople(...asked);
  const findAuthors: typeof real.findAuthors = (...asked) => {
    const authors = real.findAuthors(...asked);
    return gone.has('unnamed work') && authors.kind === 'known' ? known({ ...authors.value, unnamed: [] }) : authors;
  };
  return { ...real, listInterestedPeople, findAuthors };
});

vi.mock('../../src/app/brakes.ts', async (original) => {
  const real = await original<typeof import('../../src/app/brakes.ts')>();
  const gatherBrakes: typeof real.gatherBrakes = (open, place, comments) => {
    return gone.has("the launcher's own look") ? Promise.resolve(known([])) : real.gatherBrakes(open, place, comments);
  };
  return { ...real, gatherBrakes };
});

vi.mock('../../src/app/record-check.ts', async (original) => {
  const real = await original<typeof import('../../src/app/record-check.ts')>();
  const nothing = { missing: null, versions: [] };
  const findMissingMarkedEntries: typeof real.findMissingMarkedEntries = (...asked) =>
    gone.has('record only grows') ? Promise.resolve(nothing) : real.findMissingMarkedEntries(...asked);
  const lostVersions: typeof real.lostVersions = (...asked) =>
    gone.has('record only grows') ? Promise.resolve(nothing) : real.lostVersions(...asked);
  return { ...real, findMissingMarkedEntries, lostVersions };
});

vi.mock('../../src/logbook/mark.ts', async (original) => {
  const real = await original<typeof import('../../src/logbook/mark.ts')>();
  const { readMarker } = await import('../../src/domain/marker.ts');
  const verifyMarker: typeof real.verifyMarker = (body, ...rest) => {
    const verified = real.verifyMarker(body, ...rest);
    const said = gone.has('markers signed') && verified === null ? readMarker(body) : null;
    if (said === null) return verified;
    return { ...said, role: 'control', at: 0, text: '', isIntact: true } as NonNullable<typeof verified>;
  };
  return { ...real, verifyMarker };
});

vi.mock('../../src/app/broken-run.ts', async (original) => {
  const real = await original<typeof import('../../src/app/broken-run.ts')>();
  const foldState: typeof real.foldState = (events) =>
    gone.has('stopping on a broken record') ? null : real.foldState(events);
  return { ...real, foldState };
});

vi.mock('../../src/config/lane-of-file.ts', async (original) => {
  const real = await original<typeof import('../../src/config/lane-of-file.ts')>();
  const requiredQuorum: typeof real.requiredQuorum = (...asked) =>
    gone.has('quorum') ? 1 : real.requiredQuorum(...asked);
  return { ...real, requiredQuorum };
});

vi.mock('../../src/config/approvals-schema.ts', async (original) => {
  const real = await original<typeof import('../../src/config/approvals-schema.ts')>();
  const approvalMaxAgeMs: typeof real.approvalMaxAgeMs = (config) =>
    gone.has('approval age') ? 1e12 : real.approvalMaxAgeMs(config);
  return { ...real, approvalMaxAgeMs };
});

// The runner's check of an order's approvals: one of the facts it reads is replaced by a harmless one.
vi.mock('../../src/actions/verify-approval.ts', async (original) => {
  const real = await original<typeof import('../../src/actions/verify-approval.ts')>();
  const approvalFault: typeof real.approvalFault = (state, order, facts) => {
    const cited = new Map(
      [...facts.cited].map(([key, read]) => {
        const given = order.approvals.find((one) => citationKey(one) === key);
        if (read.kind === 'unknown' || read.value === null || given === undefined) return [key, read] as const;
        const { value } = read;
        const changed = {
          ...value,
          ...(gone.has('commit of a review (runner)') ? { commit: order.commit } : {}),
          ...(gone.has('own thread') ? { thread: state.proposal.pull } : {}),
          ...(gone.has('comment unedited')
            ? { editedAt: null, bodyDigest: given.bodyDigest as typeof value.bodyDigest }
            : {}),
        };
        return [key, known(changed)] as const;
      }),
    );
    const permissions = gone.has('the right to approve')
      ? new Map([...facts.permissions].map(([id]) => [id, known('maintain' as const)] as const))
      : facts.permissions;
    return real.approvalFault(state, order, { ...facts, cited, permissions });
  };
  return { ...real, approvalFault };
});

vi.mock('../../src/actions/verify-order.ts', async (original) => {
  const real = await original<typeof import('../../src/actions/verify-order.ts')>();
  const judgeOrder: typeof real.judgeOrder = (state, digest, facts) => {
    const order = state?.order?.order;
    return gone.has("the runner's own manifest") && order !== undefined
      ? real.judgeOrder(state, digest, { ...facts, digest: known(order.digest) })
      : real.judgeOrder(state, digest, facts);
  };
  return { ...real, judgeOrder };
});

vi.mock('../../src/gates/run-gates.ts', async (original) => {
  const real = await original<typeof import('../../src/gates/run-gates.ts')>();
  const evaluateRunnerGates: typeof real.evaluateRunnerGates = (facts) =>
    gone.has("the runner's own gates")
      ? []
      : real.evaluateRunnerGates(facts).filter(({ gate }) => gate !== 'lane-free' || !gone.has('free lane (runner)'));
  const changeVerdicts: typeof real.changeVerdicts = (facts) =>
    real.changeVerdicts(facts).filter(({ gate }) => gate !== 'lane-free' || !gone.has('free lane (control)'));
  return { ...real, changeVerdicts, evaluateRunnerGates };
});

// After the gate, the cluster itself is asked for jobs of the lane.
vi.mock('../../src/actions/earlier-jobs.ts', async (original) => {
  const real = await original<typeof import('../../src/actions/earlier-jobs.ts')>();
  const findEarlierJobFault: typeof real.findEarlierJobFault = async (...asked) =>
    gone.has('earlier jobs (runner)') ? null : real.findEarlierJobFault(...asked);
  return { ...real, findEarlierJobFault };
});

/** A defence (or several that stop the same attack one after the other) and its scenario. */
const DEFENCES: readonly (readonly [gone: readonly string[], scenario: string])[] = [
  [['digest named'], 'a bare approval'],
  [['enough digits'], 'an approval of too few digits'],
  [['commit of a review (control)', 'commit of a review (runner)'], 'a review of an older commit'],
  [['commit of a review (runner)'], 'control key: a review of an older commit'],
  [['shown'], 'a manifest that nobody was shown'],
  [['card intact'], 'an edited card'],
  [['approval age'], 'an approval grown old'],
  [['interested people'], 'own work'],
  [['unnamed work'], 'own work, unnamed'],
  [["the launcher's own look"], '/hold at the last moment'],
  [["the launcher's own look"], '/stop at the last moment'],
  [["the launcher's own look"], '/hold lane at the last moment'],
  [["the launcher's own look"], '/revoke at the last moment'],
  [["the launcher's own look"], '/hold date at the last moment'],
  [['record only grows'], 'a recorded brake taken back'],
  [['markers signed'], 'a card in our name'],
  [['markers signed'], 'an answer where workflows speak'],
  [['stopping on a broken record'], 'junk while a job runs'],
  [["the launcher's own look"], 'control key: a hold is lifted'],
  [["the launcher's own look"], 'control key: a brake was answered'],
  [['own thread'], 'control key: an approval in another thread'],
  [['comment unedited'], 'control key: an approval by an edit'],
  [['the right to approve'], 'control key: an approver who may not'],
  [["the runner's own manifest"], 'control key: another commit'],
  [["the runner's own gates"], 'control key: a library'],
  [['free lane (runner)', 'earlier jobs (runner)'], 'control key: a second run is ordered'],
  [['free lane (control)', 'free lane (runner)', 'earlier jobs (runner)'], 'control key: a second run is proposed'],
  [['quorum'], 'control key: one of two'],
];

showDefences(DEFENCES, playScenario);
