/**
 * Validates a workflow file or an action's manifest with GitHub's own schema: keys, values, needs, and the contexts
 * that each expression may use.
 */

import { readFileSync } from 'node:fs';
import { convertJobs } from '@actions/workflow-parser/model/converter/jobs';
import { JSONObjectReader } from '@actions/workflow-parser/templates/json-object-reader';
import { TemplateSchema } from '@actions/workflow-parser/templates/schema/template-schema';
import { TemplateContext, TemplateValidationErrors } from '@actions/workflow-parser/templates/template-context';
import { readTemplate } from '@actions/workflow-parser/templates/template-reader';
import { isMapping } from '@actions/workflow-parser/templates/tokens/type-guards';
import { NoOperationTraceWriter } from '@actions/workflow-parser/templates/trace-writer';
import { YamlObjectReader } from '@actions/workflow-parser/workflows/yaml-object-reader';
import { parseDocument } from 'yaml';

export type ReadYaml =
  | { readonly ok: true; readonly value: unknown; readonly problems: readonly string[] }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * The values in a text, and one line for each error that GitHub would report: `FILE (Line: 2, Col: 5): …`. Not `ok` if
 * the text is not YAML.
 */
export function readBySchema(kind: keyof typeof schemas, file: string, source: string): ReadYaml {
  const document = parseDocument(source, { uniqueKeys: false });
  const [syntax] = document.errors;
  if (syntax !== undefined) return { ok: false, problems: [`${file}: ${syntax.message}`] };
  try {
    // Check this first: a text with multiplying aliases would keep the schema reader below busy forever.
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    return { ok: true, value, problems: listProblems(kind, file, source) };
  } catch (error) {
    if (error instanceof ReferenceError) return { ok: false, problems: [`${file}: ${error.message}`] };
    throw error;
  }
}

function listProblems(kind: keyof typeof schemas, file: string, source: string): readonly string[] {
  const context = new TemplateContext(new TemplateValidationErrors(), schemas[kind], new NoOperationTraceWriter());
  const id = context.getFileId(file);
  const root = readTemplate(context, roots[kind], new YamlObjectReader(id, source), id);
  if (kind === 'workflow' && root !== undefined && isMapping(root))
    for (const { key, value } of root) if (`${key}` === 'jobs') convertJobs(context, value);
  return context.errors.getErrors().map(({ message }) => message);
}

/** Actions are checked only as strictly as the runner checks them: a description may be missing. */
const roots = { workflow: 'workflow-root-strict', action: 'action-root' };

// Read from disk, because the package imports its JSON schemas without an import attribute, which Node rejects.
const schemas = { workflow: readSchema('workflow-v1.0.min.json'), action: readSchema('action-v1.0.min.json') };

function readSchema(name: string): TemplateSchema {
  const file = new URL(name, import.meta.resolve('@actions/workflow-parser'));
  return TemplateSchema.load(new JSONObjectReader(undefined, readFileSync(file, 'utf8')));
}
