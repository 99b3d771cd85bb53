/** What GitHub's own schema says of a workflow file or of an action's manifest: keys, values, needs, and what each expression may use where it stands. */

import { readFileSync } from 'node:fs';
import { convertJobs } from '@actions/workflow-parser/model/converter/jobs';
import { JSONObjectReader } from '@actions/workflow-parser/templates/json-object-reader';
import { TemplateSchema } from '@actions/workflow-parser/templates/schema/template-schema';
import {
  TemplateContext,
  TemplateValidationErrors,
} from '@actions/workflow-parser/templates/template-context';
import { readTemplate } from '@actions/workflow-parser/templates/template-reader';
import { isMapping } from '@actions/workflow-parser/templates/tokens/type-guards';
import { NoOperationTraceWriter } from '@actions/workflow-parser/templates/trace-writer';
import { YamlObjectReader } from '@actions/workflow-parser/workflows/yaml-object-reader';
import { parseDocument } from 'yaml';

export type ReadYaml =
  | { readonly ok: true; readonly value: unknown; readonly problems: readonly string[] }
  | { readonly ok: false; readonly problems: readonly string[] };

/** The values in a text, and one line for each thing that GitHub would refuse: `FILE (Line: 2, Col: 5): …`. Not `ok` where it is no YAML. */
export function readBySchema(kind: keyof typeof schemas, file: string, source: string): ReadYaml {
  const document = parseDocument(source, { uniqueKeys: false });
  const [syntax] = document.errors;
  if (syntax !== undefined) return { ok: false, problems: [`${file}: ${syntax.message}`] };
  try {
    // First of all: a text whose aliases multiply would keep the reader below busy for good.
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    return { ok: true, value, problems: problemsOf(kind, file, source) };
  } catch (error) {
    if (error instanceof ReferenceError) return { ok: false, problems: [`${file}: ${error.message}`] };
    throw error;
  }
}

function problemsOf(kind: keyof typeof schemas, file: string, source: string): readonly string[] {
  const context = new TemplateContext(
    new TemplateValidationErrors(),
    schemas[kind],
    new NoOperationTraceWriter(),
  );
  const id = context.getFileId(file);
  const root = readTemplate(context, roots[kind], new YamlObjectReader(id, source), id);
  if (kind === 'workflow' && root !== undefined && isMapping(root))
    for (const { key, value } of root) if (`${key}` === 'jobs') convertJobs(context, value);
  return context.errors.getErrors().map(({ message }) => message);
}

/** Of an action no more is asked than its runner asks: a description may be missing. */
const roots = { workflow: 'workflow-root-strict', action: 'action-root' };

// Read here, because the package's own door imports its schemas without saying that they are JSON, which Node refuses.
const schemas = { workflow: schemaIn('workflow-v1.0.min.json'), action: schemaIn('action-v1.0.min.json') };

function schemaIn(name: string): TemplateSchema {
  const file = new URL(name, import.meta.resolve('@actions/workflow-parser'));
  return TemplateSchema.load(new JSONObjectReader(undefined, readFileSync(file, 'utf8')));
}
