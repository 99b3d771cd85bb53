/** Search of issues and pull requests (docs.github.com/rest/search). */

import { answerPageAs } from '../../api/paging.ts';
import { type Answer, failedAnswer, invalidAnswer } from '../../api/reply.ts';
import { type Call, plainRoute, type Route } from '../../api/route.ts';
import { findActor } from '../../identity/identity.ts';
import { github } from '../../limits/limits.ts';
import { shapeWebhookIssue } from '../../threads/shape-issue.ts';
import { findThreads } from '../find-threads.ts';
import { readQuery } from '../query.ts';

export const searchRoutes: readonly Route[] = [plainRoute('GET', '/search/issues', 'public', searchIssues)];

async function searchIssues(call: Call): Promise<Answer> {
  const text = call.query.get('q') ?? '';
  if (text.trim() === '') return invalidAnswer([{ resource: 'Search', field: 'q', code: 'missing' }]);
  if (text.length > github.searchCharacters) {
    const message = `The search is longer than ${github.searchCharacters} characters.`;
    return invalidAnswer([{ resource: 'Search', field: 'q', code: 'invalid', message }]);
  }
  const { terms, unserved } = readQuery(text);
  if (unserved.length > 0) return failedAnswer(501, `THE PLAYGROUND DOES NOT SEARCH BY ${unserved.join(', ')}`);
  const actor = findActor(call.world, call.caller);
  const sort = call.query.get('sort');
  const order =
    sort === null ? [] : [{ key: 'sort', value: `${sort}-${call.query.get('order') ?? 'desc'}`, isNegated: false }];
  const rows = findThreads({ world: call.world, caller: call.caller, actor }, [...order, ...terms]);
  return answerPageAs(
    call,
    rows.slice(0, github.searchResults),
    (issue) => ({ ...shapeWebhookIssue(call.world, issue), score: 1 }),
    (items) => ({ total_count: rows.length, incomplete_results: false, search_type: 'lexical', items }),
  );
}
