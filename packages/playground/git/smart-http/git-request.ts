/** Parses a request of git's smart HTTP protocol and its token. */

import type { IncomingMessage } from 'node:http';

export type GitService = 'upload-pack' | 'receive-pack';

export type GitRequest = {
  readonly owner: string;
  readonly repo: string;
  readonly service: GitService;
  /** True for `info/refs`, which lists refs; false for the exchange of objects itself. */
  readonly advertisement: boolean;
};

/**
 * The git request in a method and a URL (path and query), or null when it is none of the three of smart HTTP
 * (https://git-scm.com/docs/http-protocol). The suffix `.git` is optional, as on GitHub.
 */
export function parseGitRequest(method: string | undefined, url: string): GitRequest | null {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const match = /^\/(?<owner>[\w.-]+)\/(?<name>[\w.-]+)\/(?<door>info\/refs|git-[a-z-]+)$/.exec(pathname);
  const { owner, name, door } = match?.groups ?? {};
  if (owner === undefined || name === undefined || door === undefined) return null;
  const repo = name.replace(/\.git$/, '');
  if ([owner, repo].some((part) => ['', '.', '..'].includes(part))) return null;
  const advertisement = door === 'info/refs';
  if (method !== (advertisement ? 'GET' : 'POST')) return null;
  const service = parseService(advertisement ? searchParams.get('service') : door);
  return service === null ? null : { owner, repo, service, advertisement };
}

/** The token from HTTP Basic (the password, with any user name; or the user name without a password) or Bearer. */
export function requestToken(request: Pick<IncomingMessage, 'headers'>): string | null {
  const [, scheme = '', value = ''] = /^(\S+) +(\S+) *$/.exec(request.headers.authorization ?? '') ?? [];
  switch (scheme.toLowerCase()) {
    case 'bearer':
      return value;
    case 'basic': {
      const [user = '', ...password] = Buffer.from(value, 'base64').toString('utf8').split(':');
      return password.join(':') || user || null;
    }
    default:
      return null;
  }
}

function parseService(name: string | null): GitService | null {
  switch (name) {
    case 'git-upload-pack':
      return 'upload-pack';
    case 'git-receive-pack':
      return 'receive-pack';
    default:
      return null;
  }
}
