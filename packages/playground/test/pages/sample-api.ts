/**
 * A small fake of the API for the page's tests: answers from `sample-data.ts`, stores comments, records the callers.
 */
import { type Bus, createBus } from '../../world/bus.ts';
import * as sample from './sample-data.ts';

export type SampleApi = {
  readonly fetch: (request: Request) => Promise<Response>;
  /** Emits every change, for the server's event stream. */
  readonly bus: Bus;
  /** Posted bodies with the token that posted them. */
  readonly posted: { readonly path: string; readonly token: string; readonly body: unknown }[];
  /** Another person comments in another browser. */
  readonly comment: (login: string, body: string) => Promise<void>;
};

/** `hostileText` is used wherever the data has hostile text: '' makes a lab of polite people, for pictures. */
export function createSampleApi(hostileText: string = sample.hostile): SampleApi {
  const bus = createBus();
  const posted: { path: string; token: string; body: unknown }[] = [];
  const comments: unknown[] = [sample.comment];
  const comment = async (login: string, body: string): Promise<void> => {
    const id = 100 + comments.length;
    comments.push({
      ...sample.comment,
      id,
      body,
      user: { login, id: 50, type: 'User' },
      performed_via_github_app: null,
      reactions: null,
      created_at: '2026-11-21T06:20:00Z',
    });
    const at = { repoId: 1, senderId: 1, runId: null, atMs: 0 };
    await bus.emit({ type: 'issue_comment', action: 'created', byTokenKind: 'user', payload: {}, ...at });
  };
  const answer = async (request: Request): Promise<Response> => {
    const url = new URL(request.url);
    const token = (request.headers.get('authorization') ?? '').replace('Bearer ', '');
    const login = sample.people.find((person) => person.token === token)?.login ?? 'nobody';
    const path = decodeURIComponent(url.pathname.replace('/api/v3', ''));
    if (request.method !== 'GET' && path !== '/api/graphql') {
      const body: unknown = await request.json();
      posted.push({ path, token, body });
      const text = typeof body === 'object' && body !== null ? String(Reflect.get(body, 'body')) : '';
      if (text.includes('refuse me')) return Response.json({ message: 'Validation Failed <b>' }, { status: 422 });
      if (path.endsWith('/issues/4/comments')) await comment(login, text);
      return Response.json({ number: 5 }, { status: 201 });
    }
    const raw = (request.headers.get('accept') ?? '').includes('raw');
    const found = raw ? `# Marin\n\nThe lab's *repository*. ${sample.hostile}` : read(path, url, login, comments);
    if (found === undefined) return Response.json({ message: 'Not Found' }, { status: 404 });
    if (typeof found === 'string') return new Response(found.replaceAll(sample.hostile, hostileText));
    const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);
    return new Response(JSON.stringify(found).replaceAll(inJson(sample.hostile), inJson(hostileText)));
  };
  return { fetch: answer, bus, posted, comment };
}

function read(path: string, url: URL, login: string, comments: readonly unknown[]): unknown {
  const write = login === 'mira' || login === 'ada';
  const edited = {
    databaseId: 77,
    lastEditedAt: '2026-11-21T06:06:00Z',
    editor: { login: 'ferrybot[bot]' },
    isMinimized: false,
  };
  const answers: Readonly<Record<string, unknown>> = {
    '/_playground/people': sample.people,
    '/api/graphql': {
      data: { repository: { issueOrPullRequest: { lastEditedAt: null, comments: { nodes: [edited] } } } },
    },
    '/repos/lab/marin': {
      ...sample.repo,
      permissions: { pull: true, triage: write, push: write, admin: login === 'mira' },
    },
    '/repos/lab/marin/pulls': [sample.pull],
    '/repos/lab/marin/issues': url.searchParams.get('state') === 'closed' ? [] : [sample.hostileIssue, sample.issue],
    '/repos/lab/marin/labels': sample.labels,
    '/repos/lab/marin/issues/4': { ...sample.issue, comments: comments.length },
    '/repos/lab/marin/issues/5': sample.hostileIssue,
    '/repos/lab/marin/issues/4/comments': comments,
    '/repos/lab/marin/issues/5/comments': [],
    '/repos/lab/marin/pulls/4': sample.pull,
    '/repos/lab/marin/pulls/4/commits': [sample.commit],
    '/repos/lab/marin/pulls/4/reviews': [],
    '/repos/lab/marin/pulls/4/comments': [],
    '/repos/lab/marin/pulls/4/files': sample.files,
    '/repos/lab/marin/check-runs/31/annotations': [sample.annotation],
    '/repos/lab/marin/contents/': sample.contents,
    '/repos/lab/marin/contents/README.md': sample.contents[1],
    '/repos/lab/marin/branches': [{ name: 'main', commit: { sha: sample.sha } }],
    '/repos/lab/marin/commits': [sample.commit],
    '/repos/lab/marin/actions/workflows': { workflows: [sample.workflow] },
    '/repos/lab/marin/actions/runs': { workflow_runs: [sample.run] },
    '/repos/lab/marin/actions/runs/501': sample.run,
    '/repos/lab/marin/actions/runs/501/jobs': { jobs: [sample.job] },
    [`/repos/lab/marin/commits/${sample.sha}`]: { ...sample.commit, files: sample.files },
    [`/repos/lab/marin/commits/${sample.sha}/check-runs`]: { check_runs: [sample.tests, sample.checkRun] },
  };
  return answers[path];
}
