/** Every route of the REST API, by the file that has it. */

import { hookRoutes } from '../../webhooks/routes.ts';
import type { Route } from '../route.ts';
import { actionsSettingsRoutes } from './actions-settings.ts';
import { appRoutes } from './apps.ts';
import { checkRoutes } from './checks.ts';
import { commentRoutes } from './comments.ts';
import { commitRoutes } from './commits.ts';
import { contentRoutes } from './contents.ts';
import { environmentRoutes } from './environments.ts';
import { forkRoutes } from './forks.ts';
import { gitDataRoutes } from './git-data.ts';
import { issueRoutes } from './issues.ts';
import { labelRoutes } from './labels.ts';
import { organizationRoutes } from './organizations.ts';
import { protectionRoutes } from './protections.ts';
import { pullRoutes } from './pulls.ts';
import { reactionRoutes } from './reactions.ts';
import { refRoutes } from './refs.ts';
import { repoRoutes } from './repos.ts';
import { reviewRoutes } from './reviews.ts';
import { rulesetRoutes } from './rulesets.ts';
import { runRoutes } from './runs.ts';
import { statusRoutes } from './statuses.ts';
import { workflowRoutes } from './workflows.ts';

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
