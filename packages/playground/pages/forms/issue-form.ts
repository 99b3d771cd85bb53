/**
 * A repository's issue form: the file below `.github/ISSUE_TEMPLATE`, its fields, and the text of the resulting issue
 * (docs.github.com/communities/using-templates-to-encourage-useful-issues-and-pull-requests/syntax-for-githubs-form-schema).
 */
import { parse } from 'yaml';
import * as z from 'zod';
import { repoApiPath } from '../place.ts';
import type { Params, Visit } from '../visit.ts';

const FOLDER = '.github/ISSUE_TEMPLATE';

const attributes = z.object({
  label: z.string(),
  description: z.string().default(''),
  value: z.string().default(''),
  render: z.string().optional(),
  options: z.array(z.string()).default([]),
});
const field = z.object({
  type: z.enum(['input', 'textarea', 'dropdown']),
  id: z.string(),
  attributes,
  validations: z.object({ required: z.boolean().default(false) }).prefault({}),
});
export type FormField = z.output<typeof field>;

const formShape = z.object({
  name: z.string(),
  description: z.string(),
  title: z.string().default(''),
  labels: z.array(z.string()).default([]),
  body: z.array(field),
});
export type IssueForm = z.output<typeof formShape>;

/** Null when there is no such file, or it is not a form with supported fields. */
export async function readIssueForm(visit: Visit, params: Params, template: string): Promise<IssueForm | null> {
  if (!/^[\w-]{1,100}\.ya?ml$/.test(template)) return null;
  const file = await visit.api.text(
    `${repoApiPath(params)}/contents/${FOLDER}/${template}`,
    'application/vnd.github.raw+json',
  );
  return file.kind === 'found' ? parseIssueForm(file.data) : null;
}

export function parseIssueForm(text: string): IssueForm | null {
  try {
    const form = formShape.safeParse(parse(text));
    return form.success ? form.data : null;
  } catch (error) {
    // The library throws on invalid YAML.
    if (error instanceof Error && error.name === 'YAMLParseError') return null;
    throw error;
  }
}

export type FilledForm =
  | { readonly ok: true; readonly body: string }
  | { readonly ok: false; readonly message: string };

/** GitHub's format: a heading for each field, and `_No response_` for an empty answer. */
export function fillIssueForm(form: IssueForm, answer: (id: string) => string): FilledForm {
  const parts: string[] = [];
  for (const { type, id, attributes: about, validations } of form.body) {
    const answerText = answer(id).trim();
    if (answerText === '' && validations.required) return { ok: false, message: `${about.label} is required.` };
    if (answerText !== '' && type === 'dropdown' && !about.options.includes(answerText))
      return { ok: false, message: `${about.label} is one of ${about.options.join(', ')}.` };
    parts.push(`### ${about.label}\n\n${answerText === '' ? '_No response_' : renderAnswer(answerText, about.render)}`);
  }
  return { ok: true, body: parts.join('\n\n') };
}

function renderAnswer(answerText: string, language: string | undefined): string {
  return language === undefined ? answerText : `\`\`\`${language}\n${answerText}\n\`\`\``;
}
