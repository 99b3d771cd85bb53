/** `afterSeal: merge` in repositories that do not take merge commits. */

import { afterEach, describe, expect, it } from 'vitest';
import { playFerry } from '../support/play.ts';
import { listBotComments, readBranchFile } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab, type VirtualLabOptions } from '../support/virtual-lab.ts';

let lab: VirtualLab;
afterEach(() => lab.close());

const config = (text: string): string => text.replace('afterSeal: close', 'afterSeal: merge');

async function sealed(
  settings: object,
  options: VirtualLabOptions = {},
): Promise<{ readonly isMerged: boolean; readonly isOpen: boolean; readonly answer: string; readonly pull: number }> {
  lab = await openVirtualLab({ config, ...options });
  const repo = Object.values(lab.world.state.repos)[0];
  if (repo !== undefined) lab.world.state.repos[repo.id] = { ...repo, options: { ...repo.options, ...settings } };
  const { pull } = await playFerry(lab);
  const row = Object.values(lab.world.state.issues).find(({ number }) => number === pull);
  const answers = listBotComments(lab).filter(({ kind, text }) => kind === 'answer' && text.includes('sealed with'));
  expect(answers).toHaveLength(1);
  return {
    isMerged: row?.pull?.mergedAtMs != null,
    isOpen: row?.state === 'open',
    answer: answers[0]?.text ?? '',
    pull,
  };
}

/** A branch with a merge queue, which the playground does not have. */
const queue =
  (queued: unknown[], answer: object) =>
  async (request: Request, github: (request: Request) => Promise<Response>): Promise<Response> => {
    if (/\/pulls\/\d+\/merge$/.test(request.url))
      return Response.json(
        { message: 'Repository rule violations found\n\nChanges must be made through the merge queue' },
        { status: 405 },
      );
    if (!request.url.endsWith('/graphql')) return github(request);
    const text = await request.clone().text();
    if (!text.includes('enqueuePullRequest')) return github(request);
    queued.push(JSON.parse(text).variables);
    return Response.json(answer);
  };

describe('afterSeal: merge', () => {
  it.each([
    ['squashes where the repository allows nothing else', { mergeCommit: false, rebaseMerge: false }],
    ['rebases where the repository allows nothing else', { mergeCommit: false, squashMerge: false }],
  ])('%s', async (_, settings) => {
    const { isMerged, answer } = await sealed(settings);
    expect(isMerged).toBe(true);
    expect(answer).not.toContain('refused');
    expect(await readBranchFile(lab, 'main', 'experiments/ferries/daily.py')).not.toBeNull();
  });

  it('puts the pull request into the merge queue', async () => {
    const queued: unknown[] = [];
    const data = { data: { enqueuePullRequest: { clientMutationId: null } } };
    const { answer } = await sealed({}, { network: queue(queued, data) });
    expect(queued).toEqual([{ pull: expect.any(String), head: expect.stringMatching(/^[0-9a-f]{40}$/) }]);
    expect(answer).not.toContain('refused');
  });

  it('reports a refusal of the queue in the thread', async () => {
    const errors = { data: null, errors: [{ message: 'Pull request is in draft' }] };
    const { answer } = await sealed({}, { network: queue([], errors) });
    expect(answer).toContain(`GitHub refused to merge the pull request: the merge queue did not take it`);
    expect(answer).toContain('Pull request is in draft');
  });

  it('reports a refusal of every method in the thread, with the reason of the one that is allowed', async () => {
    const network: VirtualLabOptions['network'] = async (request, github) => {
      if (!/\/pulls\/\d+\/merge$/.test(request.url)) return github(request);
      const { merge_method } = (await request.clone().json()) as { readonly merge_method: string };
      const message =
        merge_method === 'squash'
          ? 'At least 1 approving review is required by reviewers with write access.'
          : `${merge_method === 'merge' ? 'Merge commits' : 'Rebase merges'} are not allowed on this repository.`;
      return Response.json({ message }, { status: 405 });
    };
    const { answer, isOpen } = await sealed({}, { network });
    expect(isOpen).toBe(true);
    expect(answer).toContain(`GitHub refused to merge the pull request: At least 1 approving review is required`);
    expect(answer).toContain('Merge or close it by hand.');
  });
});
