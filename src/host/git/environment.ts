/** The environment of a git process: nothing of this machine's settings, no prompt, no hook, and no token. */

/** Settings of one git command, as key and value; they outrank every file that git reads. */
type Setting = readonly [key: string, value: string];

/** Who a commit or tag is by: the lab, from `git.name` and `git.email` in config. */
export type GitIdentity = { readonly name: string; readonly email: string };

/**
 * Environment for git with our settings alone. Threats: a hook, helper or alias of the machine or of a
 * fetched repository that would run; a prompt that would hang; a replace ref that shows other content under
 * a commit's id; a transport that runs commands (`ext::`).
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
 * The text of a config file that lets git speak to the remote, null where it needs none. The token goes as a header: an
 * address is logged. Redirects are not followed, so that the header goes nowhere else.
 */
export function tokenConfig(remoteUrl: string, token: string | null): string | null {
  const isHttp = remoteUrl.startsWith('https://') || remoteUrl.startsWith('http://');
  if (token === null || !isHttp) return null;
  const basic = Buffer.from(`x-access-token:${token}`, 'utf8').toString('base64');
  const scope = new URL('/', remoteUrl).href;
  return `[http "${scope}"]\n\textraHeader = Authorization: Basic ${basic}\n`;
}

/** The commit's author and committer and their moment, in whole seconds as git keeps them. */
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

/** git reads settings from numbered variables: no file is written, nothing stands on a command line. */
function settingsAsEnvironment(settings: readonly Setting[]): Readonly<Record<string, string>> {
  const numbered = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(numbered) };
}
