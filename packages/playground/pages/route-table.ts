/** Every address of the page in one list: screens and form actions. */
import { addExample } from './acts/add-example.ts';
import { dispatchWorkflow } from './acts/dispatch.ts';
import { actOnRun, mergePull, toggleLabel } from './acts/manage.ts';
import { openOwnJob } from './acts/own-job.ts';
import { openOwnPull, openSlip } from './acts/own-pull.ts';
import { pressCheckButton } from './acts/press.ts';
import { reactToComment, reactToThread } from './acts/react.ts';
import { editComment, editThread, openIssue, postComment } from './acts/say.ts';
import { chooseSpeaker } from './acts/speak.ts';
import { tickInComment, tickInThread } from './acts/tick.ts';
import { advanceClock, changeFaults, redeliverWebhook } from './acts/turn.ts';
import { actionsScreen } from './screens/actions.ts';
import { checkRunScreen } from './screens/check-run.ts';
import { commitScreen, commitsScreen, pullCommitsScreen } from './screens/commits.ts';
import { homeScreen } from './screens/home.ts';
import { jobLogScreen } from './screens/job-log.ts';
import { newIssueScreen } from './screens/new-issue.ts';
import { pullChecksScreen } from './screens/pull-checks.ts';
import { pullFilesScreen } from './screens/pull-files.ts';
import { runScreen } from './screens/run.ts';
import { sourceScreen } from './screens/source.ts';
import { threadScreen } from './screens/thread.ts';
import { issuesScreen, pullsScreen } from './screens/thread-lists.ts';
import { worldScreen } from './screens/world.ts';
import type { ActHandler, ScreenHandler } from './visit.ts';

type PageRoute<Handler> = { readonly pattern: string; readonly handler: Handler };

/** Paths are GitHub's own, so that an `html_url` from the API opens the right page. */
export const screenRoutes: readonly PageRoute<ScreenHandler>[] = [
  { pattern: '/_playground/world', handler: worldScreen },
  { pattern: '/:owner/:repo', handler: homeScreen },
  { pattern: '/:owner/:repo/issues', handler: issuesScreen },
  { pattern: '/:owner/:repo/issues/new', handler: newIssueScreen },
  { pattern: '/:owner/:repo/pulls', handler: pullsScreen },
  { pattern: '/:owner/:repo/issues/:number#', handler: threadScreen },
  { pattern: '/:owner/:repo/pull/:number#', handler: threadScreen },
  { pattern: '/:owner/:repo/pull/:number#/files', handler: pullFilesScreen },
  { pattern: '/:owner/:repo/pull/:number#/commits', handler: pullCommitsScreen },
  { pattern: '/:owner/:repo/pull/:number#/checks', handler: pullChecksScreen },
  { pattern: '/:owner/:repo/actions', handler: actionsScreen },
  { pattern: '/:owner/:repo/actions/runs/:id#', handler: runScreen },
  { pattern: '/:owner/:repo/actions/runs/:id#/job/:job#', handler: runScreen },
  { pattern: '/:owner/:repo/actions/runs/:id#/job/:job#/log', handler: jobLogScreen },
  { pattern: '/:owner/:repo/actions/runs/:id#/attempts/:attempt#', handler: runScreen },
  { pattern: '/:owner/:repo/runs/:id#', handler: checkRunScreen },
  { pattern: '/:owner/:repo/commits', handler: commitsScreen },
  { pattern: '/:owner/:repo/commits/:ref*', handler: commitsScreen },
  { pattern: '/:owner/:repo/commit/:sha', handler: commitScreen },
  { pattern: '/:owner/:repo/tree/:rest*', handler: sourceScreen },
  { pattern: '/:owner/:repo/blob/:rest*', handler: sourceScreen },
];

/** Form targets; each posts through the REST API with the speaker's token. */
export const actRoutes: readonly PageRoute<ActHandler>[] = [
  { pattern: '/_playground/speaker', handler: chooseSpeaker },
  { pattern: '/_playground/world/clock', handler: advanceClock },
  { pattern: '/_playground/world/faults', handler: changeFaults },
  { pattern: '/_playground/world/redeliver', handler: redeliverWebhook },
  { pattern: '/:owner/:repo/issues', handler: openIssue },
  { pattern: '/:owner/:repo/issues/:number#/comments', handler: postComment },
  { pattern: '/:owner/:repo/issues/:number#/edit', handler: editThread },
  { pattern: '/:owner/:repo/issues/:number#/tick', handler: tickInThread },
  { pattern: '/:owner/:repo/issues/:number#/reactions', handler: reactToThread },
  { pattern: '/:owner/:repo/issues/:number#/labels', handler: toggleLabel },
  { pattern: '/:owner/:repo/issues/:number#/comments/:comment#/edit', handler: editComment },
  { pattern: '/:owner/:repo/issues/:number#/comments/:comment#/tick', handler: tickInComment },
  { pattern: '/:owner/:repo/issues/:number#/comments/:comment#/reactions', handler: reactToComment },
  { pattern: '/:owner/:repo/pull/:number#/merge', handler: mergePull },
  { pattern: '/:owner/:repo/actions/runs/:id#', handler: actOnRun },
  { pattern: '/:owner/:repo/actions/workflows/:id#', handler: dispatchWorkflow },
  { pattern: '/:owner/:repo/example', handler: addExample },
  { pattern: '/:owner/:repo/own-pull', handler: openOwnPull },
  { pattern: '/:owner/:repo/slip', handler: openSlip },
  { pattern: '/:owner/:repo/own-job', handler: openOwnJob },
  { pattern: '/:owner/:repo/runs/:check#/buttons', handler: pressCheckButton },
];
