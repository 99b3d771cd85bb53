/** What mends the gates around the change: the pull request's place, checks, issue, config, lane, holds and approvals. */

import { addDecimals } from '../../domain/decimal.ts';
import type { CheckFacts, IssueFacts } from '../../domain/facts.ts';
import type { RemedyKind } from '../../domain/launch/remedy-kind.ts';
import type { RemedyActor, Verdict } from '../../domain/launch/verdict.ts';
import { changed, known } from '../../domain/observed.ts';
import { type Detail, readFacts } from '../../domain/payload.ts';
import { givenTo } from '../approvals.ts';
import { missingChecks } from '../checks-green.ts';
import type { GateFacts, Remedy } from '../gate.ts';
import { pushed, reworded, soon } from './remedy.ts';

/** The remedies for one verdict; none for a gate over the change itself. */
export function laneRemedies(verdict: Verdict, facts: GateFacts): readonly Remedy[] {
  const { found } = verdict;
  switch (verdict.gate) {
    case 'target-branch':
      return [placeRemedy(verdict.code)];
    case 'checks-green':
      return [checkRemedy(verdict)];
    case 'config-valid':
      return [configRemedy(verdict.code, readFacts({ lane: 'text' }, found)?.lane ?? '')];
    case 'run-name-dated':
      return wantedIn(found).map((runName) =>
        act('name-run', runName, 'lab', 'lab', (now) =>
          reworded({
            ...now,
            proposal: { ...now.proposal, runName },
            manifest: changed(now.manifest, (value) => ({ ...value, runName })),
          }),
        ),
      );
    case 'cluster-matches':
      return wantedIn(found).map((cluster) =>
        act('set-cluster', cluster, 'lab', 'lab', (now) =>
          reworded({
            ...now,
            approved: null,
            manifest: changed(now.manifest, (value) => ({ ...value, cluster: now.lane.cluster })),
          }),
        ),
      );
    case 'cost-budget':
      return [budgetRemedy(verdict)];
    case 'issue-updated':
      return [issueRemedy(verdict, facts)];
    case 'lane-free': {
      const busy = readFacts({ run: 'text' }, found)?.run ?? '';
      return [
        act('wait-for-run', busy, 'time', 'wait', (now) => ({
          ...now,
          liveRuns: changed(now.liveRuns, (runs) => runs.filter((run) => run !== busy)),
        })),
      ];
    }
    case 'not-held':
      return [holdRemedy(verdict)];
    case 'approver-allowed':
    case 'manifest-unchanged':
      return [approval()];
    default:
      return [];
  }
}

/** What a gate wants instead of what it found. */
function wantedIn(found: Detail): readonly string[] {
  const wanted = readFacts({ wanted: 'text' }, found)?.wanted;
  return wanted === undefined ? [] : [wanted];
}

function placeRemedy(code: string): Remedy {
  return act(PLACE_REMEDIES[code] ?? 'reopen-pull', '', 'author', 'text', (now) =>
    reworded({
      ...now,
      pull: changed(now.pull, (value) =>
        code === 'wrong-branch'
          ? { ...value, baseBranch: now.lane.targetBranch }
          : { ...value, state: 'open', merged: false, isDraft: false },
      ),
    }),
  );
}

const PLACE_REMEDIES: Readonly<Record<string, RemedyKind>> = {
  'wrong-branch': 'retarget',
  merged: 'propose-anew',
  draft: 'mark-ready',
};

function checkRemedy({ code }: Verdict): Remedy {
  const turn =
    (from: CheckFacts['state'], to: CheckFacts['state']) =>
    (now: GateFacts): GateFacts => ({
      ...now,
      checks: changed(now.checks, (all) =>
        all.map((check) => (check.state === from ? { ...check, state: to } : check)),
      ),
    });
  switch (code) {
    case 'failed':
      return act('mend-checks', '', 'author', 'push', (now) =>
        pushed(turn('failed', 'running')(now), (value) => value),
      );
    case 'awaits-approval':
      return act('allow-workflows', '', 'maintainer', 'start', turn('awaits-approval', 'running'));
    case 'missing':
      return act('start-checks', '', 'author', 'start', (now) => ({
        ...now,
        checks: changed(now.checks, (all) => [...all, ...started(now, all)]),
      }));
    default:
      return act('wait-for-checks', '', 'time', 'wait', turn('running', 'green'));
  }
}

function started({ lane }: GateFacts, all: readonly CheckFacts[]): readonly CheckFacts[] {
  const missing = missingChecks(lane.requiredChecks, all);
  return missing.map((name) => ({ name, workflow: null, state: 'running', says: 'queued', ours: false }));
}

/** A word in the issue counts as an update, whatever else is mended there. */
function issueRemedy({ code }: Verdict, { proposal }: GateFacts): Remedy {
  const mend =
    (change: (issue: IssueFacts) => IssueFacts): Remedy['apply'] =>
    (now) => ({ ...now, issue: changed(now.issue, change) });
  switch (code) {
    case 'issue-closed':
      return act(
        'reopen-issue',
        '',
        'maintainer',
        'issue',
        mend((value) => ({ ...value, state: 'open' })),
      );
    case 'issue-unlabelled':
      return act(
        'label-issue',
        '',
        'maintainer',
        'issue',
        mend((value) => ({ ...value, labels: [...value.labels, 'experiment'] })),
      );
    case 'issue-not-linked':
      return act('link-issue', `#${proposal.pull}`, 'author', 'issue', (now) => ({
        ...mend((value) => ({ ...value, body: `${value.body}\n#${proposal.pull}` }))(now),
        issueToldAt: changed(now.issueToldAt, () => soon(now)),
      }));
    default:
      return act('tell-issue', '', 'author', 'issue', (now) => ({
        ...now,
        issueToldAt: changed(now.issueToldAt, () => soon(now)),
      }));
  }
}

/** One command lifts all holds of its kind on a scope. */
function holdRemedy({ code, found }: Verdict): Remedy {
  const scope = readFacts({ scope: 'text' }, found)?.scope ?? '';
  const kind = code === 'frozen' ? 'freeze' : code === 'skipped' ? 'skip' : 'hold';
  return act(code === 'frozen' ? 'thaw' : 'unhold', `${kind} ${scope}`, 'maintainer', 'release', (now) => ({
    ...now,
    holds: changed(now.holds, (holds) => holds.filter((one) => one.kind !== kind || one.scope !== scope)),
  }));
}

/** Rules in force for this run: the newest are valid, and its lane is in them. */
function configRemedy(code: string, lane: string): Remedy {
  return code === 'lane-gone'
    ? act('put-lane-back', lane, 'lab', 'lab', (now) => ({
        ...now,
        configHealth: changed(now.configHealth, (value) => ({ ...value, missingLane: null })),
      }))
    : act('repair-config', '', 'lab', 'lab', (now) => ({
        ...now,
        configHealth: changed(now.configHealth, (value) => ({ ...value, isValid: true })),
      }));
}

/** As many people as are missing when everything else is done. */
function approval(): Remedy {
  return act('approve', '', 'approver', 'approve', (now) => {
    if (now.approvals.kind === 'unknown' || now.bound.kind === 'unknown') return now;
    const { digest, body } = now.bound.value;
    const given = Array.from({ length: now.approvals.value.needed }, (_, index) => ({
      actor: { id: -1 - index, login: '' },
      digest,
      body,
      at: '',
      standing: known('counts' as const),
    }));
    return { ...now, approvals: known({ ...now.approvals.value, given, lastDrop: null }) };
  });
}

/** How many more people have to approve on these facts. */
export function missingPeople({ approvals, bound }: GateFacts): number {
  if (approvals.kind === 'unknown') return 0;
  const current = bound.kind === 'known' ? givenTo(approvals.value, bound.value) : [];
  const counting = current.filter(({ standing }) => standing.kind === 'known' && standing.value === 'counts');
  return Math.max(1, approvals.value.needed - new Set(counting.map(({ actor }) => actor.id)).size);
}

function act(
  kind: RemedyKind,
  about: string,
  by: RemedyActor,
  phase: Remedy['phase'],
  apply: Remedy['apply'],
): Remedy {
  return { kind, about, by, phase, apply };
}

function budgetRemedy({ found, code }: Verdict): Remedy {
  if (code === 'over-rented') {
    const { spent = '0', cost = '0' } = readFacts({ cost: 'text', spent: 'text' }, found) ?? {};
    return act('raise-rental-budget', addDecimals(spent, cost), 'lab', 'lab', (now) => ({
      ...now,
      manifest: changed(now.manifest, ({ envelope: { rental: _, ...envelope }, ...value }) => ({
        ...value,
        envelope,
      })),
    }));
  }
  const period = readFacts({ cost: 'text', spent: 'text', period: ['week', 'month'] }, found);
  const apply = (now: GateFacts): GateFacts => reworded({ ...now, lane: { ...now.lane, costBudget: null } });
  if (period !== null) {
    const kind = period.period === 'week' ? 'raise-week-budget' : 'raise-month-budget';
    return act(kind, addDecimals(period.spent, period.cost), 'lab', 'lab', apply);
  }
  return act('raise-cost-budget', readFacts({ cost: 'text' }, found)?.cost ?? '', 'lab', 'lab', apply);
}
