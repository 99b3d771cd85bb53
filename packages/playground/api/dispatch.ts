/** Passes a call to its route, or refuses it: checks the caller, the repository and the permission. */

import type { Match } from '../http/router.ts';
import { findActor } from '../identity/identity.ts';
import { judgeAccess, type RepoAccess, type Verdict } from '../identity/permissions.ts';
import type { Caller } from '../identity/state-people.ts';
import { findRepo } from '../world/lookup.ts';
import { type Answer, failedAnswer, notFoundAnswer } from './reply.ts';
import type { Call, PlainAccess, Reply, Route } from './route.ts';

/** The route's own answer, or GitHub's refusal. */
export async function dispatch(call: Call, match: Match<Route>): Promise<Answer> {
  const { route } = match;
  if (route.scope === 'plain') return (await refusePlainAccess(call, route.access)) ?? route.handle(call);
  const repo = findRepo(call.world, call.params['owner'] ?? '', call.params['repo'] ?? '');
  if (repo === null) return notFoundAnswer();
  const verdict = judgeAccess(call.world, call.caller, repo, route.access);
  if (verdict !== 'allowed') return refuseAccess(verdict, call.caller, route.access);
  if (route.scope === 'repo') return route.handle({ ...call, repo });
  const actor = findActor(call.world, call.caller);
  return actor === null ? failedAnswer(401, 'Requires authentication') : route.handle({ ...call, repo, actor });
}

function refusePlainAccess(call: Call, access: PlainAccess): Reply | null {
  const { kind } = call.caller;
  if (access === 'public') return null;
  if (access === 'app') {
    return kind === 'app' ? null : failedAnswer(401, 'A JSON web token could not be decoded');
  }
  if (access === 'installation') {
    return kind === 'installation' || kind === 'workflow'
      ? null
      : failedAnswer(
          403,
          'You must authenticate with an installation access token in order to list repositories for an installation.',
        );
  }
  return kind === 'anonymous' || kind === 'app' ? failedAnswer(401, 'Requires authentication') : null;
}

function refuseAccess(verdict: Exclude<Verdict, 'allowed'>, caller: Caller, access: RepoAccess): Answer {
  switch (verdict) {
    case 'hidden':
      return notFoundAnswer();
    case 'sign-in':
      return failedAnswer(401, 'Requires authentication');
    case 'missing-role':
      return failedAnswer(403, access.refusal ?? describeRole(access.role));
    case 'missing-permission':
      return caller.kind === 'app'
        ? failedAnswer(403, 'A JSON web token of an App cannot be used here; use an installation access token.')
        : failedAnswer(403, 'Resource not accessible by integration');
  }
}

/** The message of most routes that require the role. */
function describeRole(role: RepoAccess['role']): string {
  if (role === 'admin' || role === 'maintain') return 'Must have admin rights to Repository.';
  return role === 'triage' ? 'Must have triage rights to the repository.' : 'Must have push access to the repository.';
}
