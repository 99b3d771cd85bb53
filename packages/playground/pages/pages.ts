/** The playground's web page: answers a browser's request, or declines it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRouter } from '../http/router.ts';
import { speakerCookie } from './acts/speak.ts';
import { createApi } from './api/api.ts';
import { conditionalFetch } from './api/conditional-fetch.ts';
import { readAsset } from './assets/read-asset.ts';
import { pageLimits } from './page-limits.ts';
import { type PageRequest, readForm, readPageRequest } from './page-request.ts';
import { findSpeaker, readPeople } from './people.ts';
import { previewMarkup } from './preview.ts';
import { type Reply, sendReply } from './reply.ts';
import { actRoutes, screenRoutes } from './route-table.ts';
import { showFailure, showMissing, showScreen } from './show.ts';
import type { Outcome, PagesOptions, Visit } from './visit.ts';

export type Pages = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;

/**
 * Answers `GET` of the addresses in `route-table.ts`, `POST` of their forms, and the assets. False (nothing was
 * written): the request is for the API, for git, or for the playground's control.
 */
export function createPages(settings: PagesOptions): Pages {
  const options = { ...settings, fetch: conditionalFetch(settings.fetch, pageLimits.answersKeptMax) };
  return async (incoming, response) => {
    const request = readPageRequest(incoming);
    if (!isPageRequest(request)) return false;
    await sendReply(response, await buildReply(options, request, incoming));
    return true;
  };
}

const ownControl = ['/_playground/speaker', '/_playground/preview'];
const panelAddress = '/_playground/world';

function isPageRequest({ path, segments }: PageRequest): boolean {
  if (/^\/_playground\/(?:assets|avatars)\//.test(path) || ownControl.includes(path)) return true;
  if (path === panelAddress || path.startsWith(`${panelAddress}/`)) return true;
  return segments[0] !== '_playground' && segments[0] !== 'api' && !(segments[1] ?? '').endsWith('.git');
}

async function buildReply(options: PagesOptions, request: PageRequest, incoming: IncomingMessage): Promise<Reply> {
  const reading = request.method === 'GET' || request.method === 'HEAD';
  if (request.segments[0] === '_playground' && reading && request.path !== panelAddress)
    return readAsset(request.segments.slice(1));
  const visit = await openVisit(options, request);
  if (reading) return renderScreen(visit, options);
  if (request.method !== 'POST') return showFailure(visit, 405, 'This page knows GET and POST only.');
  const form = await readForm(incoming);
  if (form === 'too-large') return showFailure(visit, 413, 'That is more than a comment can hold.');
  if (request.path === '/_playground/preview') return previewMarkup(form);
  return performAct(visit, form);
}

async function openVisit(options: PagesOptions, request: PageRequest): Promise<Visit> {
  const people = await readPeople(createApi(options.fetch, options.baseUrl, null));
  const speaker = findSpeaker(people, request.cookies.get(speakerCookie) ?? null);
  return {
    request,
    people,
    speaker,
    api: createApi(options.fetch, options.baseUrl, speaker.token),
    baseUrl: options.baseUrl,
    jobSummary: options.jobSummary ?? (() => null),
    jobLog: options.jobLog ?? (() => null),
    stepOffsets: options.stepOffsets ?? (() => []),
    jobStages: options.jobStages ?? (() => new Map()),
    checkButtons: options.checkButtons ?? (() => []),
    glance: options.glance ?? (() => null),
    pressButton: options.pressButton ?? (async () => 'unknown'),
    dispatchInputs: options.dispatchInputs ?? (() => null),
    startOwnJob: options.startOwnJob ?? null,
    panel: options.panel ?? null,
    labConfig: options.labConfig ?? (async () => null),
    exampleFiles: options.exampleFiles ?? (async () => ({})),
    tries: options.tries ?? [],
  };
}

const findScreen = createRouter(screenRoutes.map((route) => ({ ...route, method: 'GET' })));
const findAct = createRouter(actRoutes.map((route) => ({ ...route, method: 'POST' })));

/** The path without empty segments; a path that cannot be decoded has no page. */
function visitedAddress({ segments }: PageRequest): string {
  return `/${segments.map(encodeURIComponent).join('/')}`;
}

async function renderScreen(visit: Visit, { homeRepository }: PagesOptions): Promise<Reply> {
  if (visit.request.segments.length === 0 && homeRepository !== undefined) {
    return { status: 302, headers: { location: `/${homeRepository}` }, body: '' };
  }
  const match = findScreen('GET', visitedAddress(visit.request));
  if (match === null) return showFailure(visit, 404, 'There is no such page here.');
  const screen = await match.route.handler(visit, match.params);
  switch (screen.kind) {
    case 'moved':
      return { status: 302, headers: { location: screen.to }, body: '' };
    case 'text':
      return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: screen.text };
    case 'missing':
      return showMissing(visit, screen.message);
    case 'page': {
      // If an update could read only some of the data, keep what the page already shows.
      const isPartialUpdate = visit.request.knownEarlier !== null && visit.api.unread().length > 0;
      return isPartialUpdate ? showMissing(visit, '') : showScreen(visit, screen, 200);
    }
  }
}

async function performAct(visit: Visit, form: URLSearchParams): Promise<Reply> {
  const match = findAct('POST', visitedAddress(visit.request));
  if (match === null) return showFailure(visit, 404, 'There is nothing to do at this address.');
  const outcome = await match.route.handler(visit, match.params, form);
  const headers = cookieHeaders(visit, outcome, form);
  if (visit.request.wantsJson) {
    const status = outcome.kind === 'done' ? 200 : outcome.status;
    return { status, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(outcome) };
  }
  if (outcome.kind === 'refused') return showFailure(visit, outcome.status, outcome.message);
  return { status: 303, headers: { ...headers, location: outcome.to }, body: '' };
}

/** Only choosing a speaker sets the cookie; it is a session cookie. */
function cookieHeaders(visit: Visit, outcome: Outcome, form: URLSearchParams): Record<string, string> {
  if (visit.request.path !== '/_playground/speaker' || outcome.kind !== 'done') return {};
  const login = encodeURIComponent(form.get('speaker') ?? '');
  return { 'set-cookie': `${speakerCookie}=${login}; Path=/; HttpOnly; SameSite=Strict` };
}
