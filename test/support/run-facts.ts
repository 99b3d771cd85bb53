// Facts about the sample run from outside the record: every part is in order, each replaceable.

import {
  type Actor,
  type Contributor,
  NO_BRANCH_WORK,
  type Permission,
  type TextVersion,
} from '../../src/domain/actor.ts';
import type {
  BodyFacts,
  ChangeFacts,
  CheckFacts,
  CommentFacts,
  ConfigHealth,
  IssueFacts,
  PullFacts,
  RunFacts,
  WorkflowRunFacts,
} from '../../src/domain/facts.ts';
import { readMarker, type VerifiedMarker } from '../../src/domain/marker.ts';
import { notAsked } from '../../src/domain/reconcile-request.ts';
import { brandAs, type Instant, isInstant, isTreeId, known, type Observed, unknown } from '../../src/domain/values.ts';
import { alice, bob, digestOf, labBot, toSha } from './run-drafts.ts';

export const instant = (text: string): Instant => brandAs(Date.parse(text), isInstant);
export const NOON = instant('2026-11-21T12:00:00.000Z');

/** A text as ferrybot first wrote it. */
export function createdVersion(text = 'as proposed'): TextVersion {
  return { by: { kind: 'app', login: 'lab-bot' }, text };
}

/** A text that these people edited, the last editor first. */
export function versionsEditedBy(...people: readonly Actor[]): readonly TextVersion[] {
  const edits = people.map((actor, index) => ({ by: byPerson(actor), text: `words ${index}` }));
  return [...edits, createdVersion()];
}

export function byPerson(actor: Actor): Contributor {
  return { kind: 'person', actor };
}

/** An open pull request of ferrybot without problems. */
export function aPull(change: Partial<PullFacts> = {}): PullFacts {
  return {
    number: 13,
    nodeId: 'PR_1',
    state: 'open',
    merged: false,
    isDraft: false,
    title: 'Daily ferry',
    body: 'the body\n- [x] issue created/updated\n- [ ] human approval\n- [ ] monitoring loop started\n',
    bodyDigest: digestOf('the whole body'),
    author: labBot,
    authorIsBot: true,
    versions: [createdVersion()],
    headSha: toSha('launch commit'),
    headBranch: 'ferrybot/proposal/ferry-daily-20261121',
    headRepository: 'lab/models',
    baseBranch: 'main',
    labels: ['ferry'],
    ...change,
  };
}

/** The open experiment issue of the same run. */
export function anIssue(change: Partial<IssueFacts> = {}): IssueFacts {
  return {
    number: 12,
    state: 'open',
    title: 'Ferry',
    body: 'Proposed in #13.',
    labels: ['experiment'],
    updatedAt: NOON,
    writtenAt: NOON,
    versions: [createdVersion()],
    ...change,
  };
}

/** A declared change of one knob in the experiment file. */
export function aChange(change: Partial<ChangeFacts> = {}): ChangeFacts {
  return {
    headSha: toSha('launch commit'),
    baseSha: toSha('base'),
    mergeBase: toSha('base'),
    changedPaths: ['experiments/ferries/daily.py'],
    trees: { experiments: brandAs('1'.repeat(40), isTreeId), lib: brandAs('2'.repeat(40), isTreeId) },
    delta: {
      kind: 'knobs',
      changes: [
        {
          knob: 'learning_rate',
          path: 'train.SimpleTrainConfig().learning_rate',
          before: '3e-3',
          after: '6e-3',
          bucket: 'optimizer',
          line: 4,
        },
      ],
    },
    isPastTip: known(true),
    python: '3.11',
    headAt: instant('2026-11-21T08:00:00.000Z'),
    mergeBaseAt: instant('2026-11-21T07:00:00.000Z'),
    laterCommits: [],
    sinceAttempt: null,
    size: null,
    base: null,
    ...change,
  };
}

/** A passing check of the lab. */
export function aCheck(change: Partial<CheckFacts> = {}): CheckFacts {
  return { name: 'tests', workflow: 'CI', state: 'green', says: 'success', isOwn: false, ...change };
}

/** A valid config on the default branch. */
export function aConfigHealth(change: Partial<ConfigHealth> = {}): ConfigHealth {
  return {
    isValid: true,
    problems: 0,
    first: '',
    line: 0,
    inForce: toSha('base'),
    since: null,
    missingLane: null,
    ...change,
  };
}

/** A body with every part that the policy requires. */
export function aBody(change: Partial<BodyFacts> = {}): BodyFacts {
  return {
    fingerprint: digestOf('the body'),
    risk: 'low',
    objectiveKind: 'integration',
    linksLastFerry: true,
    hasDeltaTable: true,
    mismatches: [],
    boxes: [
      { text: 'issue created/updated', checked: true, line: 2 },
      { text: 'human approval', checked: false, line: 3 },
      { text: 'monitoring loop started', checked: false, line: 4 },
    ],
    ...change,
  };
}

/** The marker of a text as if its seal had been verified. */
export function parseVerifiedMarker(body: string, change: Partial<VerifiedMarker> = {}): VerifiedMarker | null {
  const marker = readMarker(body);
  if (marker === null) return null;
  return { ...marker, role: 'control', at: NOON, text: 'a'.repeat(64), isIntact: true, ...change };
}

/** A comment in the PR's thread, by default written at noon. */
export function aComment(author: Actor, body: string, change: Partial<CommentFacts> = {}): CommentFacts {
  const at = change.createdAt ?? NOON;
  return {
    surface: 'comment',
    id: 1000,
    nodeId: 'IC_1',
    thread: 13,
    author,
    authorIsBot: false,
    isByOwnLogin: false,
    byOwnApp: false,
    marker: change.isByOwnLogin === true ? parseVerifiedMarker(body) : null,
    body,
    bodyDigest: digestOf(body),
    createdAt: at,
    updatedAt: at,
    editedAt: null,
    minimized: false,
    commit: null,
    ...change,
  };
}

/** A workflow run that control dispatched, as GitHub shows it. */
export function aWorkflowRun(change: Partial<WorkflowRunFacts> = {}): WorkflowRunFacts {
  return {
    id: 77,
    status: 'in_progress',
    conclusion: null,
    createdAt: NOON,
    url: 'https://github.example/lab/models/actions/runs/77',
    ...change,
  };
}

/** GitHub's state of the workflow runs that control dispatched. */
export function knownWorkflowRuns(...runs: readonly WorkflowRunFacts[]): Pick<RunFacts, 'workflowRuns'> {
  return { workflowRuns: new Map(runs.map((run) => [run.id, known(run)])) };
}

/** The permissions of people, as a lookup by numeric user id. */
export function knownPermissions(
  ...held: readonly (readonly [Actor, Permission])[]
): ReadonlyMap<number, Observed<Permission>> {
  return new Map(held.map(([actor, permission]) => [actor.id, known(permission)]));
}

/** Everything readable and in order; alice and bob are maintainers; no comments by people. */
export function someFacts(change: Partial<RunFacts> = {}): RunFacts {
  return {
    pull: known(aPull()),
    issue: known(anIssue()),
    comments: known([]),
    readAt: NOON,
    cardHistory: unknown('not asked for'),
    proposalTexts: new Map(),
    cited: new Map(),
    change: known(aChange()),
    changedSince: unknown('not asked for'),
    branchWork: known(NO_BRANCH_WORK),
    body: known(aBody()),
    checks: known([aCheck()]),
    configHealth: known(aConfigHealth()),
    permissions: knownPermissions([alice, 'maintain'], [bob, 'maintain']),
    people: known([
      { actor: alice, permission: 'maintain' },
      { actor: bob, permission: 'maintain' },
    ]),
    recordedRuns: known([]),
    journalCommands: new Map(),
    journalHolds: known([]),
    clusterActions: known([]),
    workflowRuns: new Map(),
    containerImage: notAsked(),
    closureLog: known({ base: toSha('base'), text: null }),
    sealTag: known(null),
    smallFix: unknown('not asked for'),
    fixer: unknown('not asked for'),
    checkpoints: unknown('not asked for'),
    searchedRoots: known([]),
    ...change,
  };
}
