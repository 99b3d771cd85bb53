/** Every route of the REST API, by the file that has it. */

import { actionsSettingsRoutes } from '../actions/routes/actions-settings.ts';
import { environmentRoutes } from '../actions/routes/environments.ts';
import { runRoutes } from '../actions/routes/runs.ts';
import { workflowRoutes } from '../actions/routes/workflows.ts';
import { checkRoutes } from '../checks/routes/checks.ts';
import { statusRoutes } from '../checks/routes/statuses.ts';
import { activityRoutes } from '../git/routes/activity.ts';
import { commitRoutes } from '../git/routes/commits.ts';
import { contentRoutes } from '../git/routes/contents.ts';
import { forkRoutes } from '../git/routes/forks.ts';
import { gitDataRoutes } from '../git/routes/git-data.ts';
import { refRoutes } from '../git/routes/refs.ts';
import { repoRoutes } from '../git/routes/repos.ts';
import { appRoutes } from '../identity/routes/apps.ts';
import { organizationRoutes } from '../identity/routes/organizations.ts';
import { pullRoutes } from '../pulls/routes/pulls.ts';
import { reviewRoutes } from '../pulls/routes/reviews.ts';
import { protectionRoutes } from '../rules/routes/protections.ts';
import { rulesetRoutes } from '../rules/routes/rulesets.ts';
import { commentRoutes } from '../threads/routes/comments.ts';
import { issueRoutes } from '../threads/routes/issues.ts';
import { labelRoutes } from '../threads/routes/labels.ts';
import { reactionRoutes } from '../threads/routes/reactions.ts';
import { hookRoutes } from '../webhooks/routes/hooks.ts';
import type { Route } from './route.ts';

export const allRoutes: readonly Route[] = [
  ...appRoutes,
  ...hookRoutes,
  ...repoRoutes,
  ...forkRoutes,
  ...issueRoutes,
  ...commentRoutes,
  ...labelRoutes,
  ...reactionRoutes,
  ...pullRoutes,
  ...reviewRoutes,
  ...checkRoutes,
  ...statusRoutes,
  ...commitRoutes,
  ...activityRoutes,
  ...contentRoutes,
  ...gitDataRoutes,
  ...refRoutes,
  ...workflowRoutes,
  ...runRoutes,
  ...rulesetRoutes,
  ...protectionRoutes,
  ...environmentRoutes,
  ...actionsSettingsRoutes,
  ...organizationRoutes,
];
