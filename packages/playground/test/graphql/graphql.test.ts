/** The GraphQL operations of the bot: a thread in one request, hiding, reacting, and refs by compare-and-set. */

import { describe, expect, it } from 'vitest';
import { nodeId } from '../../world/node-id.ts';
import { at, createTown, type Town } from '../world/town.ts';

const zeros = '0'.repeat(40);

describe('queries', () => {
  it('return a whole pull request with its comments, reviews and history in one request', async () => {
    const town = createTown();
    const base = await town.commit('main', { 'daily.py': '1\n' });
    const head = await town.commit('ferry', { 'daily.py': '2\n' });
    const ada = town.as(town.seeded.tokens.ada);
    const opened = await ada.request('POST /repos/{owner}/{repo}/pulls', {
      ...at,
      title: 'T',
      head: 'ferry',
      base: 'main',
    });
    const issue_number = opened.data.number;
    await ada.request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', {
      ...at,
      issue_number,
      body: '/status',
    });
    await town
      .asInstallation()
      .request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', { ...at, issue_number, body: '🤖' });
    await town
      .as(town.seeded.tokens.mira)
      .request('POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews', {
        ...at,
        pull_number: issue_number,
        event: 'COMMENT',
        body: 'Looks fine',
      });
    const answer = await town.asInstallation().graphql(
      `query($owner: String!, $name: String!, $number: Int!) {
        repository(owner: $owner, name: $name) {
          defaultBranchRef { name target { oid } }
          issueOrPullRequest(number: $number) {
            __typename
            ... on PullRequest {
              number title state locked authorAssociation headRefName headRefOid baseRefName baseRefOid
              headRepository { nameWithOwner } isCrossRepository isDraft merged mergedAt mergeable changedFiles
              author { login ... on User { databaseId } }
              commits(last: 1) { nodes { commit { oid } } }
              comments(first: 1) { totalCount pageInfo { hasNextPage endCursor } nodes {
                body author { __typename login ... on Bot { databaseId } } isMinimized reactionGroups { content viewerHasReacted } } }
              reviews(last: 5) { nodes { body state author { login } commit { oid } comments(first: 5) { totalCount } } }
            }
          }
          object(expression: "ferry:daily.py") { ... on Blob { text } }
          ref(qualifiedName: "refs/heads/main") { target { oid } }
        }
      }`,
      { ...at, name: at.repo, number: issue_number },
    );
    expect(answer).toMatchObject({
      repository: {
        defaultBranchRef: { name: 'main', target: { oid: base } },
        issueOrPullRequest: {
          __typename: 'PullRequest',
          state: 'OPEN',
          headRefOid: head,
          baseRefOid: base,
          mergeable: 'MERGEABLE',
          changedFiles: 1,
          headRepository: { nameWithOwner: 'lab/ferries' },
          author: { login: 'ada' },
          commits: { nodes: [{ commit: { oid: head } }] },
          comments: { totalCount: 2, pageInfo: { hasNextPage: true }, nodes: [{ body: '/status' }] },
          reviews: { nodes: [{ state: 'COMMENTED', author: { login: 'mira' }, commit: { oid: head } }] },
        },
        object: { text: '2\n' },
        ref: { target: { oid: base } },
      },
    });
    expect(town.world.state.usage['installation:9001']).toMatchObject({ graphql: 1 });
  });

  it('page from both ends, and mark a bot as Bot', async () => {
    const town = createTown();
    const issue = await openIssue(town);
    for (const body of ['1', '2', '3']) {
      const client = body === '3' ? town.asInstallation() : town.as(town.seeded.tokens.ada);
      await client.request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', {
        ...at,
        issue_number: issue,
        body,
      });
    }
    const ask = async (args: string) => {
      const query = `{ repository(owner: "lab", name: "ferries") { issue(number: ${issue}) { comments(${args}) {
        nodes { body author { __typename login } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } } }`;
      const answer = await town.as(town.seeded.tokens.ada).graphql<Answer>(query);
      return answer.repository.issue.comments;
    };
    const last = await ask('last: 1');
    expect(last.nodes).toEqual([{ body: '3', author: { __typename: 'Bot', login: 'ferrybot' } }]);
    expect((await ask(`last: 2, before: "${last.pageInfo.startCursor}"`)).nodes.map((one) => one.body)).toEqual([
      '1',
      '2',
    ]);
    const first = await ask('first: 2');
    expect((await ask(`first: 2, after: "${first.pageInfo.endCursor}"`)).nodes.map((one) => one.body)).toEqual(['3']);
    await expect(ask('')).rejects.toThrow(/syntax|first/i);
  });

  it('report a repository that does not exist, and data that the App may not read', async () => {
    const town = createTown({ permissions: { contents: 'read' } });
    const issue = await openIssue(town);
    const bot = town.asInstallation();
    const nowhere = bot.graphql('{ repository(owner: "lab", name: "none") { id } }');
    await expect(nowhere).rejects.toMatchObject({ errors: [{ type: 'NOT_FOUND', path: ['repository'] }] });
    const closed = bot.graphql(`{ repository(owner: "lab", name: "ferries") { issue(number: ${issue}) { id } } }`);
    await expect(closed).rejects.toMatchObject({
      errors: [{ type: 'FORBIDDEN', message: 'Resource not accessible by integration' }],
    });
  });
});

describe('mutations', () => {
  it('hide comments and react, but need write access to hide other people’s comments', async () => {
    const town = createTown();
    const issue_number = await openIssue(town);
    const comment = await town
      .as(town.seeded.tokens.sol)
      .request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', { ...at, issue_number, body: 'old' });
    const hide = `mutation($id: ID!) { minimizeComment(input: { subjectId: $id, classifier: OUTDATED }) {
      minimizedComment { isMinimized minimizedReason } } }`;
    const id = comment.data.node_id;
    expect(await town.asInstallation().graphql(hide, { id })).toEqual({
      minimizeComment: { minimizedComment: { isMinimized: true, minimizedReason: 'outdated' } },
    });
    const react =
      'mutation($id: ID!) { addReaction(input: { subjectId: $id, content: EYES }) { reaction { content } } }';
    expect(await town.asInstallation().graphql(react, { id })).toEqual({
      addReaction: { reaction: { content: 'EYES' } },
    });
    expect(town.world.state.comments[`${comment.data.id}`]?.reactions).toHaveLength(1);
    const other = await town
      .as(town.seeded.tokens.ada)
      .request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', { ...at, issue_number, body: 'not yours' });
    const { repo, users } = { repo: Object.values(town.world.state.repos)[0], users: town.world.state.users };
    const sol = Object.values(users).find(({ login }) => login === 'sol');
    if (repo === undefined || sol === undefined) throw new Error('the town is empty');
    // Hiding other people's comments requires write permission; triage is not enough.
    town.world.state.repos[repo.id] = { ...repo, collaborators: { ...repo.collaborators, [sol.id]: 'triage' } };
    await expect(town.as(town.seeded.tokens.sol).graphql(hide, { id: other.data.node_id })).rejects.toMatchObject({
      errors: [{ type: 'FORBIDDEN' }],
    });
  });

  it('move several refs by compare-and-set, or none of them', async () => {
    const town = createTown();
    const first = await town.commit('main', { a: '1' });
    const second = await town.commit('main', { a: '2' });
    const refs = () => town.world.gitOf(town.seeded.repo).refs('refs/ferrybot/');
    const move = (refUpdates: readonly object[]) =>
      town
        .asInstallation()
        .graphql(
          'mutation($r: ID!, $u: [RefUpdate!]!) { updateRefs(input: { repositoryId: $r, refUpdates: $u }) { clientMutationId } }',
          { r: nodeId('R', town.seeded.repo.id), u: refUpdates },
        );
    await move([
      { name: 'refs/ferrybot/a', afterOid: first, beforeOid: zeros },
      { name: 'refs/ferrybot/b', afterOid: first, beforeOid: zeros },
    ]);
    const torn = move([
      { name: 'refs/ferrybot/a', afterOid: second, beforeOid: first },
      { name: 'refs/ferrybot/b', afterOid: second, beforeOid: second },
    ]);
    await expect(torn).rejects.toMatchObject({ errors: [{ type: 'STALE_DATA' }] });
    expect([...(await refs()).values()]).toEqual([first, first]);
    await move([{ name: 'refs/ferrybot/a', afterOid: zeros, beforeOid: first }]);
    expect([...(await refs()).keys()]).toEqual(['refs/ferrybot/b']);
  });

  it('commit on a branch only if it is at the expected commit', async () => {
    const town = createTown();
    const first = await town.commit('main', { a: '1', gone: 'x' });
    const commit = (expectedHeadOid: string) =>
      town
        .asInstallation()
        .graphql<{ createCommitOnBranch: { commit: { oid: string } } }>(
          `mutation($i: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $i) { commit { oid author { user { login } name } } } }`,
          {
            i: {
              branch: { repositoryNameWithOwner: 'lab/ferries', branchName: 'main' },
              message: { headline: 'Change', body: 'Why' },
              fileChanges: {
                additions: [{ path: 'dir/b', contents: Buffer.from('2').toString('base64') }],
                deletions: [{ path: 'gone' }],
              },
              expectedHeadOid,
            },
          },
        );
    const made = await commit(first);
    await expect(commit(first)).rejects.toMatchObject({ errors: [{ type: 'STALE_DATA' }] });
    const sha = made.createCommitOnBranch.commit.oid;
    const shown = await town.as(null).request('GET /repos/{owner}/{repo}/commits/{ref}', { ...at, ref: sha });
    expect(shown.data.commit).toMatchObject({ message: 'Change\n\nWhy', committer: { name: 'GitHub' } });
    expect(shown.data.files?.map((file) => [file.filename, file.status])).toEqual([
      ['dir/b', 'added'],
      ['gone', 'removed'],
    ]);
  });
});

type Answer = {
  readonly repository: {
    readonly issue: {
      readonly comments: {
        readonly nodes: readonly { readonly body: string; readonly author: object }[];
        readonly pageInfo: { readonly startCursor: string; readonly endCursor: string };
      };
    };
  };
};

async function openIssue(town: Town): Promise<number> {
  const issue = await town
    .as(town.seeded.tokens.ada)
    .request('POST /repos/{owner}/{repo}/issues', { ...at, title: 'T' });
  return issue.data.number;
}
