/** Writing in a thread: comment, review, close and reopen, edit, new issue. */
import * as z from 'zod';
import { fillIssueForm, readIssueForm } from '../forms/issue-form.ts';
import { apiOf, pathOf } from '../place.ts';
import type { ActHandler, Outcome, Params, Visit } from '../visit.ts';
import { outcomeOf, refuse } from './outcome.ts';

/** `verdict` makes it a review; `state` closes or reopens after the comment, like GitHub's second button. */
export const postComment: ActHandler = async (visit, params, form) => {
  const number = params['number'] ?? '';
  const thread = `${apiOf(params)}/issues/${number}`;
  const to = `${pathOf(params)}/issues/${number}`;
  const [body, verdict, state] = [textOf(form, 'body'), textOf(form, 'verdict'), textOf(form, 'state')];
  const words = body.trim() !== '';
  if (!words && verdict === '' && state === '') return refuse('Write something first.');
  if (verdict !== '') {
    const review = { event: verdict, ...(words ? { body } : {}) };
    const answer = await visit.api.send('POST', `${apiOf(params)}/pulls/${number}/reviews`, review);
    if (answer.kind === 'refused') return outcomeOf(answer, to);
  } else if (words) {
    const answer = await visit.api.send('POST', `${thread}/comments`, { body });
    if (answer.kind === 'refused') return outcomeOf(answer, to);
  }
  if (state === '') return { kind: 'done', to };
  return outcomeOf(await visit.api.send('PATCH', thread, { state: state === 'open' ? 'open' : 'closed' }), to);
};

export const editThread: ActHandler = async (visit, params, form) => {
  const number = params['number'] ?? '';
  const answer = await visit.api.send('PATCH', `${apiOf(params)}/issues/${number}`, {
    body: textOf(form, 'body'),
  });
  return outcomeOf(answer, `${pathOf(params)}/issues/${number}`);
};

export const editComment: ActHandler = async (visit, params, form) => {
  const path = `${apiOf(params)}/issues/comments/${params['comment'] ?? ''}`;
  const to = `${pathOf(params)}/issues/${params['number'] ?? ''}#issuecomment-${params['comment'] ?? ''}`;
  return outcomeOf(await visit.api.send('PATCH', path, { body: textOf(form, 'body') }), to);
};

/** `template` selects an issue form, with a form field `field:ID` for each of its fields. */
export const openIssue: ActHandler = async (visit, params, form): Promise<Outcome> => {
  const issue = await issueOf(visit, params, form);
  if (typeof issue === 'string') return refuse(issue);
  const answer = await visit.api.send('POST', `${apiOf(params)}/issues`, issue);
  if (answer.kind === 'refused') return outcomeOf(answer, '');
  const { number } = z.object({ number: z.number() }).parse(answer.data);
  return { kind: 'done', to: `${pathOf(params)}/issues/${number}` };
};

/** The issue to open, or why none can be opened. */
async function issueOf(
  visit: Visit,
  params: Params,
  form: URLSearchParams,
): Promise<string | Readonly<Record<string, unknown>>> {
  const title = textOf(form, 'title');
  const template = textOf(form, 'template');
  if (template === '') return { title, body: textOf(form, 'body') };
  const fields = await readIssueForm(visit, params, template);
  if (fields === null) return 'This repository has no such issue form.';
  const filled = fillIssueForm(fields, (id) => textOf(form, `field:${id}`));
  return filled.ok ? { title, body: filled.body, labels: fields.labels } : filled.message;
}

/** Browsers send line breaks as CRLF. GitHub stores them unchanged, but the bot parses lines, so convert them. */
function textOf(form: URLSearchParams, name: string): string {
  return (form.get(name) ?? '').replace(/\r\n/g, '\n');
}
