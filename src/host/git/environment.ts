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
  return {
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
    ...settingsAsEnvironment([...FIXED, ...settings]),
  };
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

/** Author and committer, with the time in whole seconds. */
export function identityEnvironment(identity: GitIdentity, atMs: number): Readonly<Record<string, string>> {
  const date = `${Math.floor(atMs / 1000)} +0000`;
  return {
    GIT_AUTHOR_NAME: identity.name,
    GIT_AUTHOR_EMAIL: identity.email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: identity.name,
    GIT_COMMITTER_EMAIL: identity.email,
    GIT_COMMITTER_DATE: date,
  };
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

/** Passes settings in variables, without a file or command-line arguments. */
function settingsAsEnvironment(settings: readonly Setting[]): Readonly<Record<string, string>> {
  const numbered = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(numbered) };
}
