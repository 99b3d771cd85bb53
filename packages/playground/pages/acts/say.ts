/** Writing in a thread: comment, review, close and reopen, edit, new issue. */
import * as z from 'zod';
import { fillIssueForm, readIssueForm } from '../forms/issue-form.ts';
import { repoApiPath, repoPath } from '../place.ts';
import type { ActHandler, Outcome, Params, Visit } from '../visit.ts';
import { refuseAct, toOutcome } from './outcome.ts';

/** `verdict` makes it a review; `state` closes or reopens after the comment, like GitHub's second button. */
export const postComment: ActHandler = async (visit, params, form) => {
  const number = params['number'] ?? '';
  const thread = `${repoApiPath(params)}/issues/${number}`;
  const to = `${repoPath(params)}/issues/${number}`;
  const [body, verdict, state] = [formText(form, 'body'), formText(form, 'verdict'), formText(form, 'state')];
  const words = body.trim() !== '';
  if (!words && verdict === '' && state === '') return refuseAct('Write something first.');
  if (verdict !== '') {
    const review = { event: verdict, ...(words ? { body } : {}) };
    const answer = await visit.api.send('POST', `${repoApiPath(params)}/pulls/${number}/reviews`, review);
    if (answer.kind === 'refused') return toOutcome(answer, to);
  } else if (words) {
    const answer = await visit.api.send('POST', `${thread}/comments`, { body });
    if (answer.kind === 'refused') return toOutcome(answer, to);
  }
  if (state === '') return { kind: 'done', to };
  return toOutcome(await visit.api.send('PATCH', thread, { state: state === 'open' ? 'open' : 'closed' }), to);
};

export const editThread: ActHandler = async (visit, params, form) => {
  const number = params['number'] ?? '';
  const answer = await visit.api.send('PATCH', `${repoApiPath(params)}/issues/${number}`, {
    body: formText(form, 'body'),
  });
  return toOutcome(answer, `${repoPath(params)}/issues/${number}`);
};

export const editComment: ActHandler = async (visit, params, form) => {
  const path = `${repoApiPath(params)}/issues/comments/${params['comment'] ?? ''}`;
  const to = `${repoPath(params)}/issues/${params['number'] ?? ''}#issuecomment-${params['comment'] ?? ''}`;
  return toOutcome(await visit.api.send('PATCH', path, { body: formText(form, 'body') }), to);
};

/** `template` selects an issue form, with a form field `field:ID` for each of its fields. */
export const openIssue: ActHandler = async (visit, params, form): Promise<Outcome> => {
  const issue = await readIssueFields(visit, params, form);
  if (typeof issue === 'string') return refuseAct(issue);
  const answer = await visit.api.send('POST', `${repoApiPath(params)}/issues`, issue);
  if (answer.kind === 'refused') return toOutcome(answer, '');
  const { number } = z.object({ number: z.number() }).parse(answer.data);
  return { kind: 'done', to: `${repoPath(params)}/issues/${number}` };
};

/** The issue to open, or why none can be opened. */
async function readIssueFields(
  visit: Visit,
  params: Params,
  form: URLSearchParams,
): Promise<string | Readonly<Record<string, unknown>>> {
  const title = formText(form, 'title');
  const template = formText(form, 'template');
  if (template === '') return { title, body: formText(form, 'body') };
  const fields = await readIssueForm(visit, params, template);
  if (fields === null) return 'This repository has no such issue form.';
  const filled = fillIssueForm(fields, (id) => formText(form, `field:${id}`));
  return filled.ok ? { title, body: filled.body, labels: fields.labels } : filled.message;
}

/** Browsers send line breaks as CRLF. GitHub stores them unchanged, but the bot parses lines, so convert them. */
function formText(form: URLSearchParams, name: string): string {
  return (form.get(name) ?? '').replace(/\r\n/g, '\n');
}
