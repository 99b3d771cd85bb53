/** The root of the REST API: a list of addresses (docs.github.com/rest/meta: GitHub API root). */

import type { JsonObject } from '../world/json.ts';
import type { World } from '../world/world.ts';

const places = {
  current_user_url: 'user',
  current_user_authorizations_html_url: 'settings',
  authorizations_url: 'authorizations',
  code_search_url: 'search/code',
  commit_search_url: 'search/commits',
  emails_url: 'user/emails',
  emojis_url: 'emojis',
  events_url: 'events',
  feeds_url: 'feeds',
  followers_url: 'user/followers',
  following_url: 'user/following{/target}',
  gists_url: 'gists{/gist_id}',
  issue_search_url: 'search/issues',
  issues_url: 'issues',
  keys_url: 'user/keys',
  label_search_url: 'search/labels',
  notifications_url: 'notifications',
  organization_url: 'orgs/{org}',
  organization_repositories_url: 'orgs/{org}/repos',
  organization_teams_url: 'orgs/{org}/teams',
  public_gists_url: 'gists/public',
  rate_limit_url: 'rate_limit',
  repository_url: 'repos/{owner}/{repo}',
  repository_search_url: 'search/repositories',
  current_user_repositories_url: 'user/repos',
  starred_url: 'user/starred{/owner}{/repo}',
  starred_gists_url: 'gists/starred',
  user_url: 'users/{user}',
  user_organizations_url: 'user/orgs',
  user_repositories_url: 'users/{user}/repos',
  user_search_url: 'search/users',
} as const;

/** Every address that GitHub lists, including those that are not served here. */
export function shapeRoot(world: World): JsonObject {
  const api = `${world.baseUrl}/api/v3`;
  return Object.fromEntries(Object.entries(places).map(([name, path]) => [name, `${api}/${path}`]));
}
