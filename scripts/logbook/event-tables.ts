/** What docs/logbook.md and docs/verify_logbook.py say of events, from their definitions. */

import * as z from 'zod';
import { DEFINITIONS, EVENT_TYPES, WRITERS } from '../../src/domain/logbook/fold.ts';
import { ROLES } from '../../src/domain/logbook/parts.ts';

/** The page with its two generated tables: what each role may write, and what each type means. */
export function logbookPage(page: string): string {
  return replaceBetween(page, '<!-- events -->', '<!-- /events -->', `\n${writersTable()}\n\n${eventsTable()}\n`);
}

/** The Python verifier with the writers of each type. */
export function pythonVerifier(source: string): string {
  const rows = EVENT_TYPES.map((type) => `    "${type}": "${WRITERS[type].join(' ')}",\n`);
  return replaceBetween(source, '\nWRITERS = {\n', '}\n', rows.join(''));
}

function writersTable(): string {
  const rows = ROLES.map((role) => {
    const types = EVENT_TYPES.filter((type) => WRITERS[type].includes(role));
    return `| ${role} | ${types.join(', ')} |`;
  });
  return ['| role | may write |', '|---|---|', ...rows].join('\n');
}

function eventsTable(): string {
  const rows = EVENT_TYPES.map((type) => {
    const { meaning, isByPerson, isInJournal, data } = DEFINITIONS[type];
    const notes = [
      ...(isByPerson ? ['Names the person who acted.'] : []),
      ...(isInJournal === true ? ['May be in the journal.'] : []),
    ];
    return `| ${type} | ${[meaning, ...notes].join(' ')} | ${listFields(data).join('; ')} |`;
  });
  return ['| type | meaning | fields of `data` |', '|---|---|---|', ...rows].join('\n');
}

type Shape = {
  readonly properties?: Readonly<Record<string, { readonly description?: string }>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly Shape[];
};

/** Each field once, with its description; a field that may be missing says so. */
function listFields(data: z.ZodType): readonly string[] {
  const shapes = listAlternatives(z.toJSONSchema(data, { unrepresentable: 'any', reused: 'inline' }) as Shape);
  const names = [...new Set(shapes.flatMap(({ properties }) => Object.keys(properties ?? {})))];
  return names.map((name) => {
    const isRequired = shapes.every(({ required }) => required?.includes(name) === true);
    const about = shapes.flatMap(({ properties }) => properties?.[name]?.description ?? []).at(0);
    const notes = [...(isRequired ? [] : ['optional']), ...(about === undefined ? [] : [about])];
    return `\`${name}\`${notes.length === 0 ? '' : ` (${notes.join(': ').replaceAll('|', '\\|')})`}`;
  });
}

function listAlternatives(shape: Shape): readonly Shape[] {
  const options = shape.anyOf ?? shape.oneOf;
  return options === undefined ? [shape] : options.flatMap(listAlternatives);
}

function replaceBetween(text: string, start: string, end: string, block: string): string {
  const from = text.indexOf(start);
  const to = text.indexOf(end, from + start.length);
  if (from < 0 || to < 0) throw new Error(`no place for generated text between ${start} and ${end}`);
  return text.slice(0, from + start.length) + block + text.slice(to);
}
