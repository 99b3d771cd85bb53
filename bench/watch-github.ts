/** GitHub as far as a watch asks it, in the process that measures: the threads that it holds are none of the watch's memory. */

/** One request of the watch, at its time. */
export type Asked = {
  readonly route: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly nowMs: number;
};

/** What a write said, and when. */
export type Write = { readonly atMs: number; readonly thread: number; readonly body: string; readonly isEdit: boolean };

type Comment = {
  readonly id: number;
  readonly thread: number;
  body: string;
  readonly createdAt: string;
  updatedAt: string;
};

export type BenchGitHub = {
  readonly answer: (asked: Asked) => { readonly status: number; readonly data: unknown };
  readonly writes: readonly Write[];
};

const PAGE = { hasPreviousPage: false, startCursor: null, hasNextPage: false, endCursor: null };
const BOT = { __typename: 'Bot', login: 'github-actions', databaseId: 41_898_282 };

/** Threads that are empty in the beginning. */
export function benchGitHub(): BenchGitHub {
  const comments = new Map<number, Comment>();
  const writes: Write[] = [];
  let last = 5_000;
  const write = (comment: Comment, body: string, nowMs: number, isEdit: boolean) => {
    comment.body = body;
    comment.updatedAt = new Date(nowMs).toISOString();
    writes.push({ atMs: nowMs, thread: comment.thread, body, isEdit });
    const { id, updatedAt } = comment;
    return { id, body, updated_at: updatedAt, user: { type: 'Bot' } };
  };
  return {
    writes,
    answer: ({ route, parameters, nowMs }) => {
      if (route.includes('graphql')) return { status: 200, data: threadOf(parameters, comments) };
      if (route.startsWith('POST') && route.includes('/comments')) {
        last += 1;
        const at = new Date(nowMs).toISOString();
        const thread = Number(parameters['issue_number']);
        const comment: Comment = { id: last, thread, body: '', createdAt: at, updatedAt: at };
        comments.set(last, comment);
        return { status: 201, data: write(comment, String(parameters['body']), nowMs, false) };
      }
      if (route.startsWith('PATCH') && route.includes('/comments/')) {
        const comment = comments.get(Number(parameters['comment_id']));
        if (comment === undefined) return { status: 404, data: {} };
        return { status: 200, data: write(comment, String(parameters['body']), nowMs, true) };
      }
      if (route.startsWith('GET') && route.includes('/comments')) {
        const found = [...comments.values()].filter(({ thread }) => thread === Number(parameters['issue_number']));
        return { status: 200, data: found.map(({ id, body }) => ({ id, body, user: { type: 'Bot' } })) };
      }
      if (route.includes('/check-runs')) return { status: 200, data: { id: last, total_count: 0, check_runs: [] } };
      return { status: 200, data: {} };
    },
  };
}

function threadOf({ variables }: Asked['parameters'], comments: ReadonlyMap<number, Comment>): unknown {
  const number = Number((variables as Readonly<Record<string, unknown>> | undefined)?.['issue']);
  const at = '2026-11-21T08:00:00Z';
  const nodes = [...comments.values()]
    .filter(({ thread }) => thread === number)
    .map(({ id, body, createdAt, updatedAt }) => {
      const lastEditedAt = updatedAt === createdAt ? null : updatedAt;
      const node = { id: `IC_${id}`, databaseId: id, body, createdAt, updatedAt, lastEditedAt };
      return { ...node, viewerDidAuthor: true, author: BOT, isMinimized: false };
    });
  const issue = {
    ...{ id: `I_${number}`, number, title: 'a run', body: 'a proposal', state: 'OPEN', author: BOT },
    ...{ createdAt: at, updatedAt: at, lastEditedAt: null, labels: { nodes: [] } },
    ...{ includesCreatedEdit: false, userContentEdits: { nodes: [], pageInfo: PAGE } },
    comments: { nodes, pageInfo: PAGE },
  };
  const target = { oid: 'c0ffee'.padEnd(40, '0') };
  return { data: { repository: { nameWithOwner: 'lab/models', issue, target, checked: null } } };
}
