/**
 * A person's actions on the page, done by a program: comments and merges through the API with the person's own token.
 */

import { speakerCookie } from '../packages/playground/pages/acts/speak.ts';
import type { Try } from '../packages/playground/pages/visit.ts';
import type { World } from '../packages/playground/world/world.ts';
import type { OpenedLab } from './open-lab.ts';
import { REPOSITORY } from './seed-lab.ts';

/** One request as the maintainer; throws on any failure. */
export function asMaintainer(world: World, method: string, path: string, body?: object): Promise<unknown> {
  return asPerson(world, 'mira', { method, path, ...(body === undefined ? {} : { body }) });
}

type PersonsRequest = { readonly method: string; readonly path: string; readonly body?: object };

async function asPerson(world: World, login: string, { method, path, body }: PersonsRequest): Promise<unknown> {
  const token = userToken(world, login);
  const url = `${world.baseUrl}/api/v3/repos/${REPOSITORY.owner}/${REPOSITORY.name}${path}`;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'user-agent': 'npm-start' };
  const response = await world.fetch(
    new Request(url, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }),
  );
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.status === 204 ? null : response.json();
}

/** Writes a comment in a thread. */
export async function commentAs(world: World, thread: number, body: string, login: Speaker = 'mira'): Promise<void> {
  await asPerson(world, login, { method: 'POST', path: `/issues/${thread}/comments`, body: { body } });
}

/** Opens an issue; its number. */
export async function openIssue(
  world: World,
  login: Speaker,
  issue: { readonly title: string; readonly body: string; readonly labels?: readonly string[] },
): Promise<number> {
  const made = await asPerson(world, login, { method: 'POST', path: '/issues', body: issue });
  return (made as { readonly number: number }).number;
}

/**
 * The requester of a ferry cannot approve it: ada states its purpose, and mira approves; if it needs two approvals,
 * ravi too.
 */
export async function fillForm(
  { origin, secret, world }: Pick<OpenedLab, 'origin' | 'secret' | 'world'>,
  login: Speaker,
  { template, answers, commitField }: Try['form'],
): Promise<number> {
  const branch = (await asMaintainer(world, 'GET', '/branches/main')) as { readonly commit: { readonly sha: string } };
  const { title = '', ...said } = answers;
  const fields = Object.entries({ ...said, [commitField]: branch.commit.sha });
  const response = await fetch(`${origin}/${REPOSITORY.owner}/${REPOSITORY.name}/issues`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, accept: 'application/json', cookie: `${speakerCookie}=${login}` },
    body: new URLSearchParams([
      ['template', template],
      ['title', title],
      ...fields.map(([id, text]) => [`field:${id}`, text] as [string, string]),
    ]),
  });
  const outcome = (await response.json()) as { readonly to?: string };
  const number = Number(outcome.to?.split('/').at(-1));
  if (!response.ok || !Number.isInteger(number)) throw new Error(`the form was refused: ${JSON.stringify(outcome)}`);
  return number;
}

/** Whether this exact comment is already in the thread, so that a restart does not post it again. */
export type Speaker = 'mira' | 'ada' | 'ravi';

/** The approval line in the newest of the bot's comments in the thread; null if none requests an approval. */
export async function hasCommented(
  world: World,
  thread: number,
  body: string,
  login: Speaker = 'mira',
): Promise<boolean> {
  const comments = (await asMaintainer(world, 'GET', `/issues/${thread}/comments?per_page=100`)) as readonly {
    readonly body: string;
    readonly user: { readonly login: string };
  }[];
  return comments.some((one) => one.user.login === login && one.body === body);
}

/** The line that the newest of the bot's comments in the thread asks to copy for an approval; null where none asks for one. */
export async function shownApprovalLine(world: World, thread: number): Promise<string | null> {
  const comments = (await asMaintainer(world, 'GET', `/issues/${thread}/comments?per_page=100`)) as readonly {
    readonly body: string;
    readonly user: { readonly type: string };
  }[];
  const botComments = comments.filter(({ user }) => user.type === 'Bot').map(({ body }) => body);
  return botComments.flatMap((body) => /\/approve-launch [0-9a-f]{32,64}/.exec(body)?.[0] ?? []).at(-1) ?? null;
}

function userToken(world: World, login: string): string {
  for (const [token, row] of Object.entries(world.state.tokens)) {
    if (row.kind === 'user' && world.state.users[row.userId]?.login === login) return token;
  }
  throw new Error(`nobody here is called ${login}`);
}
