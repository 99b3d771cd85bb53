/** What request headers can select: an API version and a media type. */

import { type Answer, failedAnswer } from './reply.ts';

const versions = ['2022-11-28', '2026-03-10'];
const defaultVersion = '2022-11-28';

/** The API version of the answer (docs.github.com/rest: API versions). */
export function selectedVersion(headers: Headers): string {
  const wanted = headers.get('x-github-api-version');
  return wanted !== null && versions.includes(wanted) ? wanted : defaultVersion;
}

/**
 * 400 for an unknown version, 415 for an `Accept` without JSON (docs.github.com/rest: media types), and 501 for
 * rendered HTML, which the playground does not produce. Null: the request is accepted. `hasBytes`: the route serves raw
 * files.
 */
export function refuseHeaders(headers: Headers, hasBytes: boolean): Answer | null {
  const version = headers.get('x-github-api-version');
  if (version !== null && !versions.includes(version))
    return failedAnswer(400, `"${version}" is not a supported API version. Supported: ${versions.join(', ')}.`);
  const accept = headers.get('accept') ?? '';
  const [form] = /(?<=application\/vnd\.github\.(?:v3\.)?)(?:html|text|full|object)\b/.exec(accept) ?? [];
  if (form !== undefined)
    return failedAnswer(501, `THE PLAYGROUND RENDERS NO TEXT: it has no answer in the media type \`${form}\``);
  const media = accept.split(',').map((one) => one.split(';', 1)[0]?.trim() ?? '');
  if (accept.trim() === '' || media.some(isServed)) return null;
  if (hasBytes && media.includes('application/octet-stream')) return null;
  return failedAnswer(415, `Unsupported 'Accept' header: '${accept}'. Must accept 'application/json'.`);
}

function isServed(media: string): boolean {
  return media === '*/*' || /^application\/(?:\*|json|vnd\.github[\w.-]*(?:\+json)?)$/.test(media);
}
