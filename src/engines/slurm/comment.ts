/** Whose job it is, as the comment of a Slurm job: readable in `squeue`, and without a sign that anybody splits at. */

import type { JobMetadata } from '../../domain/engine.ts';
import { jobMetadata } from '../file-records.ts';

const FIELD = /^(run|attempt|manifest|proof)=(.*)$/;

/** `ferrybot run=… attempt=… manifest=…`, each value percent-encoded. */
export function commentOf({ run, attempt, manifest, proof }: JobMetadata): string {
  const fields = { run, attempt: String(attempt), manifest, ...(proof === undefined ? {} : { proof }) };
  return [
    'ferrybot',
    ...Object.entries(fields).map(([name, value]) => `${name}=${encodeURIComponent(value)}`),
  ].join(' ');
}

/** Null where the comment is none of ours. */
export function metadataOf(comment: string): JobMetadata | null {
  const [word, ...fields] = comment.split(' ');
  if (word !== 'ferrybot') return null;
  const said: Record<string, string | number> = {};
  for (const field of fields) {
    const [, name = '', value = ''] = FIELD.exec(field) ?? [];
    if (name === '' || Object.hasOwn(said, name) || !/^(?:[\w.!~*'()-]|%[0-9A-F]{2})*$/.test(value))
      return null;
    const text = decoded(value);
    if (text === null) return null;
    said[name] = name === 'attempt' && /^\d{1,9}$/.test(text) ? Number(text) : text;
  }
  return jobMetadata.safeParse(said).data ?? null;
}

function decoded(value: string): string | null {
  try {
    return decodeURIComponent(value);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}
