/** Edits and hidden comments, read by GraphQL because REST does not return them. */
import * as z from 'zod';
import type { Params, Visit } from '../visit.ts';

export type Edit = {
  readonly lastEditedAt: string | null;
  readonly editor: string | null;
  /** Newest first. */
  readonly history: readonly { readonly at: string; readonly editor: string | null }[];
  readonly minimizedReason: string | null;
};

/** By `body` for the thread's own text and by the numeric id of a comment or review. */
export type Edits = ReadonlyMap<string, Edit>;

const actor = z.object({ login: z.string() }).nullish();
const edited = z.object({
  databaseId: z.number().nullish(),
  lastEditedAt: z.string().nullish(),
  editor: actor,
  isMinimized: z.boolean().nullish(),
  minimizedReason: z.string().nullish(),
  userContentEdits: z.object({ nodes: z.array(z.object({ editedAt: z.string(), editor: actor })) }).nullish(),
});
const list = z.object({ nodes: z.array(edited) }).nullish();
const answerShape = z.object({
  data: z
    .object({
      repository: z
        .object({ issueOrPullRequest: edited.extend({ comments: list, reviews: list }).nullish() })
        .nullish(),
    })
    .nullish(),
});

const fields = 'lastEditedAt editor { login } userContentEdits(first: 20) { nodes { editedAt editor { login } } }';
const comments = `comments(last: 100) { nodes { databaseId isMinimized minimizedReason ${fields} } }`;
const query = `query ($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) { issueOrPullRequest(number: $number) {
    ... on Issue { ${fields} ${comments} }
    ... on PullRequest { ${fields} ${comments} reviews(last: 100) { nodes { databaseId ${fields} } } }
  } } }`;

/** An empty map when GraphQL refuses: then the page makes no statement about edits. */
export async function readEdits(visit: Visit, params: Params): Promise<Edits> {
  const variables = { owner: params['owner'], name: params['repo'], number: Number(params['number']) };
  const answer = await visit.api.graphql(query, variables, answerShape);
  const thread = answer.kind === 'found' ? answer.data.data?.repository?.issueOrPullRequest : null;
  if (thread === null || thread === undefined) return new Map();
  const texts = [...(thread.comments?.nodes ?? []), ...(thread.reviews?.nodes ?? [])];
  return new Map([['body', toEdit(thread)], ...texts.map((node) => [String(node.databaseId), toEdit(node)] as const)]);
}

function toEdit(node: z.output<typeof edited>): Edit {
  return {
    lastEditedAt: node.lastEditedAt ?? null,
    editor: node.editor?.login ?? null,
    history: (node.userContentEdits?.nodes ?? []).map((edit) => ({
      at: edit.editedAt,
      editor: edit.editor?.login ?? null,
    })),
    minimizedReason: node.isMinimized === true ? (node.minimizedReason ?? 'hidden') : null,
  };
}
