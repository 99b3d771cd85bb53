/** Every route of the REST API, grouped by file. */

import { actionsSettingsRoutes } from '../actions/routes/actions-settings.ts';
import { environmentRoutes } from '../actions/routes/environments.ts';
import { resultRoutes } from '../actions/routes/results.ts';
import { runRoutes } from '../actions/routes/runs.ts';
import { secretRoutes } from '../actions/routes/secrets.ts';
import { workflowRoutes } from '../actions/routes/workflows.ts';
import { checkRoutes } from '../checks/routes/checks.ts';
import { statusRoutes } from '../checks/routes/statuses.ts';
import { suiteRoutes } from '../checks/routes/suites.ts';
import { deploymentRoutes } from '../deployments/routes/deployments.ts';
import { activityRoutes } from '../git/routes/activity.ts';
import { commitRoutes } from '../git/routes/commits.ts';
import { contentRoutes } from '../git/routes/contents.ts';
import { forkRoutes } from '../git/routes/forks.ts';
import { gitDataRoutes } from '../git/routes/git-data.ts';
import { mergeRoutes } from '../git/routes/merges.ts';
import { refRoutes } from '../git/routes/refs.ts';
import { repoSettingsRoutes } from '../git/routes/repo-settings.ts';
import { repoRoutes } from '../git/routes/repos.ts';
import { appRoutes } from '../identity/routes/apps.ts';
import { organizationRoutes } from '../identity/routes/organizations.ts';
import { pullRoutes } from '../pulls/routes/pulls.ts';
import { reviewerRoutes } from '../pulls/routes/reviewers.ts';
import { reviewRoutes } from '../pulls/routes/reviews.ts';
import { assetRoutes } from '../releases/routes/assets.ts';
import { releaseRoutes } from '../releases/routes/releases.ts';
import { protectionRoutes } from '../rules/routes/protections.ts';
import { rulesetRoutes } from '../rules/routes/rulesets.ts';
import { searchRoutes } from '../search/routes/search.ts';
import { assigneeRoutes } from '../threads/routes/assignees.ts';
import { commentRoutes } from '../threads/routes/comments.ts';
import { issueRoutes } from '../threads/routes/issues.ts';
import { labelRoutes } from '../threads/routes/labels.ts';
import { milestoneRoutes } from '../threads/routes/milestones.ts';
import { reactionRoutes } from '../threads/routes/reactions.ts';
import { timelineRoutes } from '../threads/routes/timeline.ts';
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
  ...suiteRoutes,
  ...statusRoutes,
  ...commitRoutes,
  ...activityRoutes,
  ...contentRoutes,
  ...gitDataRoutes,
  ...refRoutes,
  ...workflowRoutes,
  ...runRoutes,
  ...resultRoutes,
  ...rulesetRoutes,
  ...protectionRoutes,
  ...environmentRoutes,
  ...secretRoutes,
  ...actionsSettingsRoutes,
  ...organizationRoutes,
  ...repoSettingsRoutes,
  ...mergeRoutes,
  ...assigneeRoutes,
  ...milestoneRoutes,
  ...timelineRoutes,
  ...reviewerRoutes,
  ...deploymentRoutes,
  ...releaseRoutes,
  ...assetRoutes,
  ...searchRoutes,
];
