/** Routes of check suites (docs.github.com/rest/checks/suites): read suites and their runs, request them again. */

import { answerPageIn } from '../../api/paging.ts';
import { type Answer, createdAnswer, notFoundAnswer, okAnswer, unprocessableAnswer } from '../../api/reply.ts';
import { actRoute, type RepoCall, type Route, readRoute, repoAccess } from '../../api/route.ts';
import { resolveCommit } from '../../git/resolve-commit.ts';
import { emitChange } from '../../world/emit.ts';
import { actionsApp } from '../../world/lookup.ts';
import { shapeCheckRun, shapeCheckSuite } from '../shape-check.ts';

const read = repoAccess('checks:read', 'public');
/** The button on the page, for everyone with write access. */
const again = repoAccess('checks:write', 'write');

export const suiteRoutes: readonly Route[] = [
  actRoute('POST', '/check-suites/:id/rerequest', again, async (call) => {
    const suite = call.world.state.checkSuites[call.params['id'] ?? ''];
    if (suite?.repoId !== call.repo.id) return notFoundAnswer();
    if (suite.appId === actionsApp.appId) return unprocessableAnswer('This check suite is not rerequestable');
    const { repository: _told, ...check_suite } = await shapeCheckSuite(call.world, suite);
    await emitChange(call.world, {
      type: 'check_suite',
      action: 'rerequested',
      repo: call.repo,
      sender: call.actor,
      byTokenKind: call.caller.kind,
      payload: { check_suite },
    });
    return createdAnswer({});
  }),
  readRoute('/commits/:ref/check-suites', read, listSuites),
  readRoute('/check-suites/:id', read, (call) => {
    const suite = call.world.state.checkSuites[call.params['id'] ?? ''];
    return suite?.repoId === call.repo.id
      ? shapeCheckSuite(call.world, suite).then((body) => okAnswer(body))
      : notFoundAnswer();
  }),
  readRoute('/check-suites/:id/check-runs', read, (call) => {
    const rows = Object.values(call.world.state.checkRuns).filter(
      (run) => run.repoId === call.repo.id && `${run.suiteId}` === call.params['id'],
    );
    return answerPageIn(call, 'check_runs', rows, (run) => shapeCheckRun(call.world, run));
  }),
];

async function listSuites(call: RepoCall): Promise<Answer> {
  const sha = await resolveCommit(call.world.gitOf(call.repo), call.repo, call.params['ref'] ?? '');
  if (sha === null) return notFoundAnswer();
  const rows = Object.values(call.world.state.checkSuites).filter(
    (suite) => suite.repoId === call.repo.id && suite.headSha === sha,
  );
  return answerPageIn(call, 'check_suites', rows, (suite) => shapeCheckSuite(call.world, suite));
}
