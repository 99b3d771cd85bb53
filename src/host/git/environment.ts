/** Overrides all of git's config files. */
type Setting = readonly [key: string, value: string];

/** Author of commits and tags: `git.name` and `git.email` in the config. */
export type GitIdentity = { readonly name: string; readonly email: string };

/**
 * An environment for git with only our settings. Prevents hooks, helpers and aliases of the machine or a fetched repository, prompts,
 * replace refs, and transports that run commands (`ext::`).
 */
export function gitEnvironment(
  base: Readonly<Record<string, string>>,
  settings: readonly Setting[] = [],
): Readonly<Record<string, string>> {
  const fixed = {
    ...base,
    HOME: '/nonexistent',
    XDG_CONFIG_HOME: '/nonexistent',
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    GIT_ALLOW_PROTOCOL: 'https:http:file',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_CONFIG_COUNT: '0',
  };
  return withSettings(fixed, [...FIXED, ...settings]);
}

/**
 * A config file with the remote's credentials, or null. The token is a header because URLs are logged; redirects are disabled, so the
 * header reaches no other host.
 */
export function tokenConfig(remoteUrl: string, token: string | null): string | null {
  const isHttp = remoteUrl.startsWith('https://') || remoteUrl.startsWith('http://');
  if (token === null || !isHttp) return null;
  const basic = Buffer.from(`x-access-token:${token}`, 'utf8').toString('base64');
  const scope = new URL('/', remoteUrl).href;
  return `[http "${scope}"]\n\textraHeader = Authorization: Basic ${basic}\n`;
}

const FIXED: readonly Setting[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['credential.helper', ''],
  ['http.followRedirects', 'false'],
  ['gc.autoDetach', 'false'],
  ['log.showSignature', 'false'],
  ['commit.gpgSign', 'false'],
  ['push.gpgSign', 'false'],
  ['fetch.recurseSubmodules', 'false'],
  ['i18n.commitEncoding', 'utf-8'],
  ['i18n.logOutputEncoding', 'utf-8'],
  ['advice.detachedHead', 'false'],
];

/** Adds settings to an environment, in variables: without a file or command-line arguments. */
export function withSettings(
  environment: Readonly<Record<string, string>>,
  settings: readonly Setting[],
): Readonly<Record<string, string>> {
  const first = Number(environment['GIT_CONFIG_COUNT'] ?? 0);
  const numbered = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ]);
  return {
    ...environment,
    GIT_CONFIG_COUNT: String(first + settings.length),
    ...Object.fromEntries(numbered),
  };
}
