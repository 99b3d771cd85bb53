/** Who had a hand in a proposal, and for what nobody can be named: each way in which a name is made up or missing. */

import { describe, expect, it } from 'vitest';
import { bodyFingerprintText } from '../../src/commands/grammar/fingerprint-text.ts';
import {
  type BranchCommit,
  type BranchWork,
  type Contributor,
  NO_BRANCH_WORK,
  type TextVersion,
} from '../../src/domain/authorship.ts';
import { known, unknown } from '../../src/domain/observed.ts';
import { authorsOf } from '../../src/run/authors.ts';
import { aRun } from '../support/run-builder.ts';
import { alice, bob, digestOf, shaOf } from '../support/run-drafts.ts';
import { anIssue, aPull, byPerson } from '../support/run-facts.ts';
import { CONFIG } from './parts.ts';

const OURS = shaOf('what the bot pushed');
const THEIRS = shaOf('what was pushed later');
const actions: Contributor = { kind: 'app', login: 'github-actions' };
const ourApp: Contributor = { kind: 'app', login: CONFIG.appSlug };
const otherApp: Contributor = { kind: 'app', login: 'some-app' };
const webFlow: Contributor = { kind: 'app', login: 'web-flow' };
const nobody: Contributor = { kind: 'unnamed' };
const BODY = 'Read this.\n\n- [ ] human approval\n';
const TICKED = 'Read this.\n\n- [x] human approval\n';
const print = (text: string) => digestOf(bodyFingerprintText(text, CONFIG.lane.checklist.preconditions));
const { run: RUN, proposal } = aRun({ head: OURS, texts: { pull: print(BODY), issue: print(BODY) } }).state;
const older = aRun().state.proposal;

const version = (by: Contributor, text: string | null): TextVersion => ({ by, text });
const sealed = (text: string, sealedFor: string): TextVersion => ({ ...version(actions, text), sealedFor });
const first = version(actions, BODY);
const commit = (change: Partial<BranchCommit> = {}): BranchCommit => ({
  sha: THEIRS,
  author: byPerson(alice),
  authorEmail: 'alice@lab.example',
  committer: webFlow,
  committerEmail: 'noreply@github.com',
  ...change,
});

function judged(
  change: {
    readonly body?: readonly TextVersion[];
    readonly issue?: readonly TextVersion[];
    readonly work?: Partial<BranchWork>;
  },
  of = proposal,
) {
  const found = authorsOf(
    { run: RUN, proposal: of },
    {
      pull: known(aPull({ versions: change.body ?? [first] })),
      issue: known(anIssue({ versions: change.issue ?? [first] })),
      branchWork: known({ ...NO_BRANCH_WORK, ...change.work }),
    },
    CONFIG,
    digestOf,
  );
  if (found.kind === 'unknown') throw new Error(found.why);
  const { people, unnamed } = found.value;
  return {
    people: people.map(({ login }) => login),
    unnamed: unnamed.map(({ code, by }) => `${code} ${by}`),
  };
}

describe('a text', () => {
  it.each([
    ['that the bot wrote is of nobody else', [first], []],
    ['that the bot ticked a box of', [version(actions, TICKED), first], []],
    ['that a workflow wrote anew', [version(actions, 'Trust me.'), first], ['edit-unnamed github-actions']],
    ['that a workflow put back as it was', [first, version(actions, 'Trust me.'), first], []],
    ['of another app', [version(otherApp, 'Trust me.'), first], ['edit-unnamed some-app']],
    ['of an account that is gone', [version(nobody, 'Trust me.'), first], ['edit-unnamed ']],
    ['that our App wrote', [version(ourApp, 'Other words.'), first], []],
    [
      'that GitHub does not keep',
      [version(actions, 'x'), version(actions, null), first],
      ['edit-unnamed github-actions', 'edit-unnamed github-actions'],
    ],
    ['that was never ours', [version(actions, 'Trust me.')], ['edit-unnamed github-actions']],
    ['that another process of ours wrote last', [sealed('Other words.', RUN), first], []],
    [
      'that was ours for another run',
      [sealed('Other words.', 'ferry-daily-20261120'), first],
      ['edit-unnamed github-actions'],
    ],
  ] as const)('%s', (_, versions, unnamed) => {
    expect(judged({ body: versions }).unnamed).toEqual(unnamed);
    expect(judged({ issue: versions }).unnamed).toEqual(unnamed);
  });

  it('is the work of everybody who edited it, whoever did last', () => {
    const body = [version(byPerson(alice), BODY), version(byPerson(bob), 'x'), first];
    expect(judged({ body })).toEqual({ people: ['alice', 'bob'], unnamed: [] });
    expect(judged({ issue: body })).toEqual({ people: ['alice', 'bob'], unnamed: [] });
  });

  it('of a record that has no fingerprints began as ours', () => {
    expect(judged({ body: [first] }, older).unnamed).toEqual([]);
    expect(judged({ body: [version(actions, 'Trust me.'), first] }, older).unnamed).toHaveLength(1);
  });
});

describe('a branch', () => {
  const push = (by: Contributor, after = THEIRS) => ({ by, after });

  it.each([
    [
      'that only the bot pushed',
      { pushes: [push(actions, OURS)], commits: [commit({ sha: OURS, author: nobody })] },
      [],
    ],
    ['pushed by a workflow', { pushes: [push(actions)] }, ['push-unnamed github-actions']],
    ['pushed by nobody whom GitHub names', { pushes: [push(nobody)] }, ['push-unnamed ']],
    ['pushed by our App', { pushes: [push(ourApp)], commits: [commit({ author: nobody })] }, []],
    [
      'with a commit by an address of nobody',
      { commits: [commit({ author: nobody, authorEmail: 'x@y.example' })] },
      ['commit-unnamed x@y.example'],
    ],
    [
      'with a commit by another app',
      { commits: [commit({ author: otherApp })] },
      ['commit-unnamed some-app'],
    ],
    [
      'with a committer of nobody',
      { commits: [commit({ committer: nobody, committerEmail: 'x@y.example' })] },
      ['commit-unnamed x@y.example'],
    ],
    [
      'with our commit carried to another base',
      { commits: [commit({ author: nobody, authorEmail: CONFIG.git.email, committer: byPerson(bob) })] },
      [],
    ],
    ['with more than is read', { isWhole: false }, ['too-much-work ']],
  ] as const)('%s', (_, work, unnamed) => {
    expect(judged({ work }).unnamed).toEqual(unnamed);
  });

  it('is the work of who pushed, who wrote and who committed', () => {
    const work = { pushes: [push(byPerson(bob))], commits: [commit()] };
    expect(judged({ work })).toEqual({ people: ['bob', 'alice'], unnamed: [] });
  });

  it('is unknown where GitHub does not tell', () => {
    const read = { pull: known(aPull()), issue: known(anIssue()), branchWork: unknown('GitHub is away') };
    expect(authorsOf({ run: RUN, proposal }, read, CONFIG, digestOf)).toEqual({
      kind: 'unknown',
      why: 'GitHub is away',
    });
  });
});
