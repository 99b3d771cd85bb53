// Facts on which every gate passes, and a way to make one of them bad.

import type { Contract } from '../../src/domain/launch/contract.ts';
import type { Hold } from '../../src/domain/launch/hold.ts';
import { known } from '../../src/domain/observed.ts';
import type { ApprovalFacts, GivenApproval } from '../../src/gates/approvals.ts';
import type { GateFacts } from '../../src/gates/gate.ts';
import type { FerryLane } from '../../src/kinds/ferry/settings.ts';
import { FIELD_NAMES } from '../../src/kinds/hero/contract/fields.ts';
import { heroKind } from '../../src/kinds/hero/kind.ts';
import { aRun } from '../support/run-builder.ts';
import { alice, digestOf } from '../support/run-drafts.ts';
import { aBody, aChange, aCheck, aConfigHealth, anIssue, aPull, NOON } from '../support/run-facts.ts';
import { aConfig, aManifest } from '../support/run-parts.ts';

export const PROPOSAL = aRun().state.proposal;
const { kind, lane, approvals } = aConfig();
export const LANE: FerryLane = { ...lane, scaleKnobs: ['train.model', 'hidden_dim'] };

/** Everything that a hero run's issue can say. */
export const CONTRACT: Contract = Object.fromEntries(
  FIELD_NAMES.map((name) => [name, { value: '1', source: 'given', from: '' } as const]),
);

export function gateFacts(change: Partial<GateFacts> = {}): GateFacts {
  return {
    repository: 'lab/models',
    now: NOON,
    proposal: PROPOSAL,
    fixOf: null,
    lane: LANE,
    own: { gates: [...kind.gates.gates, ...heroKind.gates.gates], remedies: kind.gates.remedies },
    contract: { recorded: CONTRACT, read: known(CONTRACT) },
    onePersonIsEnough: approvals.onePersonIsEnough,
    pull: known(aPull()),
    issue: known(anIssue()),
    change: known(aChange()),
    body: known(aBody()),
    authors: known({ people: [], unnamed: [] }),
    checks: known([aCheck()]),
    configHealth: known(aConfigHealth()),
    issueToldAt: known(NOON),
    liveRuns: known([]),
    holds: known([]),
    launches: known([]),
    manifest: known(aManifest()),
    approved: null,
    approvals: known(someApprovals()),
    bound: known({ digest: DIGEST, body: digestOf('the body') }),
    ...change,
  };
}

/** A hold of each kind as alice put it on. */
export function aHold(kind: Hold['kind']): Hold {
  const scope = kind === 'hold' ? 'run' : 'lane';
  const date = kind === 'skip' ? PROPOSAL.date : null;
  return {
    kind,
    scope,
    lane: null,
    reason: 'maintenance',
    date,
    actor: alice,
    at: '2026-11-21T08:00:00.000Z',
  };
}

export const DIGEST = digestOf('the manifest');

/** What alice gave to this manifest and this text. */
export function anApproval(change: Partial<GivenApproval> = {}): GivenApproval {
  return {
    actor: alice,
    digest: DIGEST,
    body: digestOf('the body'),
    at: '2026-11-21T10:00:00.000Z',
    standing: known('counts'),
    ...change,
  };
}

export function someApprovals(change: Partial<ApprovalFacts> = {}): ApprovalFacts {
  return { needed: 1, given: [anApproval()], lastDrop: null, ...change };
}
