// Facts with which every gate passes, and a way to make one of them bad.

import type { Contract } from '../../src/domain/launch/contract.ts';
import type { Hold } from '../../src/domain/launch/hold.ts';
import type { Description } from '../../src/domain/logbook/run-state.ts';
import { known } from '../../src/domain/values.ts';
import type { ApprovalFacts, GateFacts, GivenApproval } from '../../src/gates/gate.ts';
import { adoptionKind } from '../../src/kinds/adoption/kind.ts';
import type { FerryLane } from '../../src/kinds/ferry/settings.ts';
import { FIELDS } from '../../src/kinds/hero/contract/fields.ts';
import { heroKind } from '../../src/kinds/hero/kind.ts';
import { rentalKind } from '../../src/kinds/rental/kind.ts';
import type { RentalLane } from '../../src/kinds/rental/settings.ts';
import { aRun } from '../support/run-builder.ts';
import { alice, digestOf, toSha } from '../support/run-drafts.ts';
import { aBody, aChange, aCheck, aConfigHealth, anIssue, aPull, NOON } from '../support/run-facts.ts';
import { aConfig } from '../support/run-parts.ts';
import { aManifest } from './gate-manifest.ts';

export const PROPOSAL = aRun().state.proposal;
const { kind, lane, approvals } = aConfig();
/** A ferry's lane, with the additional settings of a rental lane. */
export const LANE: FerryLane & Pick<RentalLane, 'defaults'> = {
  ...lane,
  scaleKnobs: ['train.model', 'hidden_dim'],
  defaults: {},
};

export const TERMS = {
  ...{ dollarsPerHourMax: '0.50', dollarsMax: '20', hoursMax: 24 },
  ...{ dollarsPerDayMax: null, dollarsPerMonthMax: null },
  ...{ startMinutesMax: 30, endMinutesMax: 10, idleMinutesMax: 15, keepHoursMax: 12 },
};

/** The rental gates that are not hero gates too. */
const rentalGates = rentalKind.gates.filter(({ id }) => !id.startsWith('contract-'));

/** Everything that a hero run's issue can contain. */
export const CONTRACT: Contract = Object.fromEntries(
  Object.keys(FIELDS).map((name) => [
    name,
    { value: name === 'dri' ? PROPOSAL.author.login : '1', source: 'given', from: '' } as const,
  ]),
);

/** A job that a person launched by hand, as its cluster describes it. */
export const JOB: Description = {
  found: 'described',
  why: '',
  engine: 'local',
  status: 'FAILED',
  since: null,
  submitter: 'ada',
  entrypoint: 'FERRY_DATE=x python3 experiments/sweep.py --lr 3e-4',
  commit: toSha('launch commit'),
  commitIsHere: true,
  session: null,
  urls: {},
  at: '2026-11-21T08:00:00.000Z',
  seq: 2,
};

export function gateFacts(change: Partial<GateFacts> = {}): GateFacts {
  return {
    repository: 'lab/models',
    now: NOON,
    proposal: PROPOSAL,
    fixOf: null,
    lane: LANE,
    kindGates: [...kind.gates, ...heroKind.gates, ...rentalGates, ...adoptionKind.gates],
    machine: { terms: TERMS, exceededCaps: [] },
    contract: { recorded: CONTRACT, read: known(CONTRACT) },
    adoptedJob: JOB,
    start: known({ kind: 'anew' }),
    onePersonIsEnough: approvals.onePersonIsEnough,
    pull: known(aPull()),
    issue: known(anIssue()),
    change: known(aChange()),
    body: known(aBody()),
    authors: known({ people: [], unnamed: [] }),
    checks: known([aCheck()]),
    configHealth: known(aConfigHealth()),
    issueChangedAt: known(NOON),
    liveRuns: known([]),
    rootHolder: known(null),
    trackerHolder: known(null),
    holds: known([]),
    sealedPasses: known([]),
    launches: known([]),
    manifest: known(aManifest()),
    approved: null,
    approvals: known(someApprovals()),
    bound: known({ digest: DIGEST, body: digestOf('the body') }),
    ...change,
  };
}

/** A hold of each scope by alice. */
export function aHold(scope: Hold['scope']): Hold {
  const lane = scope === 'lane' || scope === 'date' ? 'daily' : null;
  const date = scope === 'date' ? PROPOSAL.date : null;
  return { scope, lane, reason: 'maintenance', date, actor: alice, at: '2026-11-21T08:00:00.000Z' };
}

export const DIGEST = digestOf('the manifest');

/** Alice's approval of this manifest and this text. */
export function anApproval(change: Partial<GivenApproval> = {}): GivenApproval {
  return {
    actor: alice,
    digest: DIGEST,
    body: digestOf('the body'),
    at: '2026-11-21T10:00:00.000Z',
    status: known('counts'),
    ...change,
  };
}

export function someApprovals(change: Partial<ApprovalFacts> = {}): ApprovalFacts {
  return { needed: 1, approvals: [anApproval()], lastDrop: null, ...change };
}
