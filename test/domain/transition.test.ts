/** Every event that may not follow is rejected with the rule that it breaks. */

import { describe, expect, it } from 'vitest';
import type { EventDraft } from '../../src/domain/logbook/define.ts';
import { findIllegalEvent } from '../../src/domain/logbook/fold.ts';
import { brandAs, isRunId } from '../../src/domain/values.ts';
import { aRun, type RunBuilder } from '../support/run-builder.ts';
import {
  alice,
  approvalDrafts,
  bob,
  claimDraft,
  commandDrafts,
  digestOf,
  endedData,
  gatedData,
  observedData,
  orderData,
  sealedData,
  submittedData,
  toSha,
} from '../support/run-drafts.ts';
import { NOON } from '../support/run-facts.ts';
import { verdictsWith } from '../support/run-parts.ts';

const proposed = aRun();
const gated = proposed.gated();
const approved = gated.approved(bob);
const ordered = approved.ordered();
const claimed = ordered.claimed();
const submitted = claimed.submitted();
const watched = submitted.observed({ lease: { holder: 'watch-1', fence: 3, until: '2026-11-21T23:00:00.000Z' } });
const ended = watched.ended();
const sealed = ended.sealed(bob);
const seen = proposed.add(...commandDrafts(proposed.state, { by: alice, name: 'status', code: 'status-shown' }));

function refusal(run: RunBuilder, draft: EventDraft): string {
  try {
    run.add(draft);
  } catch (error) {
    return String(error).replace(/^Error: entry \d+: /, '');
  }
  return 'accepted';
}

const control = <Type extends EventDraft['type']>(
  type: Type,
  data: Extract<EventDraft, { type: Type }>['data'],
): EventDraft => ({ type, role: 'control', data }) as EventDraft;

function draftOf(list: readonly EventDraft[], type: EventDraft['type']): EventDraft {
  const found = list.find((draft) => draft.type === type);
  if (found === undefined) throw new Error(`no ${type} among the drafts`);
  return found;
}

const approval = draftOf(approvalDrafts(gated.state, bob), 'approved');
const gate = control('gated', gatedData(gated.state));
const orderNow = (run: RunBuilder, change: Parameters<typeof orderData>[2] = {}): EventDraft =>
  control('ordered', orderData(run.state, NOON, change));
const look = (change: Partial<ReturnType<typeof observedData>>): EventDraft => ({
  type: 'observed',
  role: 'watch',
  data: { ...observedData(NOON), ...change },
});
const end = (change: Partial<ReturnType<typeof endedData>> = {}): EventDraft => ({
  type: 'ended',
  role: 'watch',
  data: { ...endedData(watched.state), ...change },
});
const submission: EventDraft = { type: 'submitted', role: 'runner', data: submittedData(ordered.state) };
const claimData = claimDraft(ordered.state).data;
const stop: EventDraft = {
  type: 'stop-requested',
  role: 'control',
  actor: bob,
  data: { comment: 1, surface: 'comment' },
};
const seal: EventDraft = { type: 'sealed', role: 'control', actor: bob, data: sealedData(ended.state) };
const closing = control('closed', { outcome: 'failed', reason: '', closurePull: 1 });
const failing = gated.state.proposal;
const blocked = proposed.gated({
  verdicts: verdictsWith(failing, {
    gate: 'scope',
    outcome: 'unknown',
    code: 'unreadable',
    found: {},
    remedyBy: 'time',
  }),
});
const strangerDigest = digestOf('something else');
const [firstLook, firstAnswer] = commandDrafts(proposed.state, { by: alice, name: 'status', code: 'status-shown' });
if (firstLook === undefined || firstAnswer === undefined) throw new Error('a command has two events');
const lease = (holder: string, fence: number) => ({ holder, fence, until: '2026-11-21T23:00:00.000Z' });

type Illegal = readonly [what: string, run: RunBuilder, draft: EventDraft, rule: string];
const ILLEGAL: readonly Illegal[] = [
  ['a second proposal', proposed, control('proposed', proposed.state.proposal), 'a run is proposed once'],
  ['gates after the submission', submitted, gate, 'gated after the job was submitted'],
  [
    'a dropped approval after the submission',
    submitted,
    control('approval-dropped', { reason: 'gate-fails', digest: strangerDigest, users: [] }),
    'approval-dropped after the job was submitted',
  ],
  ['an approval before the gates', proposed, approval, 'approved a manifest that was not shown'],
  [
    'an approval of another digest',
    gated,
    { ...approval, data: { ...approval.data, digest: strangerDigest } } as EventDraft,
    'approved a manifest that was not shown',
  ],
  ['an approval after the submission', submitted, approval, 'approved after the job was submitted'],
  [
    'an approval that names no person',
    gated,
    { type: 'approved', role: 'control', data: approval.data } as EventDraft,
    'approved names no person',
  ],
  ['an order without an approval', gated, orderNow(gated), 'ordered without an approval'],
  [
    'an order with an approval that was never given',
    gated,
    orderNow(approved),
    'ordered on an approval that does not stand',
  ],
  [
    'an order with a dropped approval',
    approved.dropped('manifest-changed'),
    orderNow(approved),
    'ordered on an approval that does not stand',
  ],
  [
    'an order with an approval of another text',
    approved.gated({ body: digestOf('edited') }),
    orderNow(approved),
    'ordered on an approval that does not stand',
  ],
  [
    'an order with an approval by another person',
    approved,
    orderNow(approved, {
      approvals: approved.state.approvals.map((a) => ({
        comment: a.comment,
        surface: a.surface,
        user: alice.id,
        bodyDigest: a.bodyDigest,
      })),
    }),
    'ordered on an approval that does not stand',
  ],
  [
    'an order with a review of the same number',
    approved,
    orderNow(approved, {
      approvals: approved.state.approvals.map((a) => ({
        comment: a.comment,
        surface: 'review',
        user: a.actor.id,
        bodyDigest: a.bodyDigest,
      })),
    }),
    'ordered on an approval that does not stand',
  ],
  [
    'an order for another manifest',
    approved,
    orderNow(approved, { digest: strangerDigest }),
    'ordered another manifest than the one shown',
  ],
  [
    'an order with a gate of unknown result',
    blocked.approved(bob),
    orderNow(blocked.approved(bob)),
    'ordered though a gate does not pass',
  ],
  [
    'an order after a stop request',
    approved.stopRequested(alice),
    orderNow(approved),
    'ordered after a stop was asked for',
  ],
  ['an order while another is claimed', claimed, orderNow(claimed), 'ordered while another order is claimed'],
  ['an order after the submission', submitted, orderNow(claimed), 'ordered after the job was submitted'],
  [
    'a copied order of another run',
    approved,
    orderNow(approved, { run: brandAs('ferry-daily-20261122', isRunId) }),
    'ordered for another run',
  ],
  [
    'an order for another repository',
    approved,
    orderNow(approved, { repository: 'mallory/models' }),
    'ordered for another repository',
  ],
  ['an order for another pull request', approved, orderNow(approved, { pull: 14 }), 'ordered for another pull request'],
  [
    'an order for another commit',
    approved,
    orderNow(approved, { commit: toSha('pushed later') }),
    'ordered another commit than the one shown',
  ],
  [
    'an order for an attempt other than the next',
    approved,
    orderNow(approved, { attempt: 2 }),
    'ordered another attempt than the next one',
  ],
  [
    'an order with the submission id of another run',
    approved,
    orderNow(approved, { submissionId: 'ferrybot-ferry-daily-20261120-a1' }),
    'ordered under an id that is not that of its attempt',
  ],
  [
    'a claim of another attempt',
    ordered,
    { ...claimDraft(ordered.state), data: { ...claimData, attempt: 2 } } as EventDraft,
    'claimed another attempt than the ordered one',
  ],
  [
    'a submission of another attempt',
    claimed,
    { ...submission, data: { ...submission.data, attempt: 2 } } as EventDraft,
    'submitted another attempt than the ordered one',
  ],
  [
    'a submission of another commit',
    claimed,
    { ...submission, data: { ...submission.data, commit: toSha('pushed later') } } as EventDraft,
    'submitted another commit than the ordered one',
  ],
  ['a claim without an order', approved, claimDraft(ordered.state), 'claimed an order that was not issued'],
  [
    'a claim of another order',
    ordered.ordered({ expiresAt: '2026-11-21T13:00:00.000Z' }),
    claimDraft(ordered.state),
    'claimed an order that was not issued',
  ],
  [
    'a claim of a void order',
    ordered.dropped('manifest-changed'),
    claimDraft(ordered.state),
    'claimed an order that is void',
  ],
  ['a claim of a used order', claimed, claimDraft(ordered.state), 'claimed an order that is claimed'],
  [
    'a claim of an expired order',
    ordered.later(3 * 60 * 60 * 1_000),
    claimDraft(ordered.state),
    'claimed an expired order',
  ],
  ['a submission without a claim', ordered, submission, 'submitted without a claimed order'],
  [
    'a submission with another order',
    claimed,
    { type: 'submitted', role: 'runner', data: { ...submittedData(ordered.state), orderDigest: strangerDigest } },
    'submitted without a claimed order',
  ],
  ['a second submission', submitted, submission, 'submitted twice'],
  ['an observation before the submission', claimed, look({}), 'observed before the job was submitted'],
  ['an end before the submission', claimed, end(), 'ended before the job was submitted'],
  ['an observation of another attempt', submitted, look({ attempt: 2 }), 'observed another attempt'],
  [
    'an observation with an older fence',
    watched,
    look({ lease: lease('watch-0', 2) }),
    'written under a lease that was taken over',
  ],
  ['an end with an older fence', watched, end({ fence: 2 }), 'written under a lease that was taken over'],
  ['two holders of one fence', watched, look({ lease: lease('watch-2', 3) }), 'two holders of one lease'],
  ['an observation after the end', ended, look({ lease: lease('watch-1', 3) }), 'observed after the end'],
  ['a second end', ended, end(), 'ended after the end'],
  ['a stop after the end', ended, stop, 'a stop after the end'],
  [
    'a stop that names no person',
    submitted,
    { type: 'stop-requested', role: 'control', data: stop.data } as EventDraft,
    'stop-requested names no person',
  ],
  ['a seal while the job runs', watched, seal, 'sealed before the end'],
  [
    'a seal of another commit',
    ended,
    control('sealed', { ...sealedData(ended.state), commit: toSha('another') }),
    'seals another commit than was launched',
  ],
  [
    'a seal with other metrics',
    ended,
    control('sealed', { ...sealedData(ended.state), metrics: { 'eval/loss': '0.1' } }),
    'seals other metrics than the job ended with',
  ],
  ['a seal of a failed run', watched.ended({ status: 'FAILED' }), seal, 'a failed run gets no seal'],
  [
    'a seal by acceptance without a reason',
    ended,
    { ...seal, data: { ...seal.data, verdict: 'accepted', accept: null } } as EventDraft,
    'accepted without saying why',
  ],
  ['a closing while the job runs', watched, closing, 'closed while the job runs'],
  ['a closing while the runner submits', claimed, closing, 'closed while the runner submits'],
  ['a second seal', sealed, seal, 'nothing follows sealed'],
  [
    'an incident after the seal',
    sealed,
    { type: 'incident', role: 'watch', data: { code: 'engine-unreadable', detail: {} } },
    'nothing follows sealed',
  ],
  ['a command after the closing', ended.closed(), firstLook, 'nothing follows closed'],
  ['the same command seen twice', seen, firstLook, 'a command is seen once'],
  ['an answer to a command that was not seen', proposed, firstAnswer, 'answered a command that was not seen'],
  ['a second answer to a command', seen, firstAnswer, 'a command is answered once'],
];

describe('an event that may not follow', () => {
  // threat T176
  it.each(ILLEGAL)('%s', (_, run, draft, rule) => {
    expect(refusal(run, draft)).toBe(rule);
  });

  it('is rejected if it belongs to another run', () => {
    const other = gated.events.at(-1);
    const stranger = aRun({ run: 'ferry-daily-20261122' });
    if (other === undefined) throw new Error('no event');
    expect(findIllegalEvent(stranger.state, other)).toBe(
      'an event of ferry-daily-20261121 in the logbook of ferry-daily-20261122',
    );
  });
});
