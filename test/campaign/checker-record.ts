// What the checker reads of the record's bytes: the manifest that has a digest, and the order of a job.

import { createHash } from 'node:crypto';
import type { Start } from './witness.ts';

type Manifest = {
  readonly trees?: Readonly<Record<string, string>>;
  readonly envelope?: { readonly restarts?: number; readonly reductions?: readonly string[] };
};

/** The digest that the engine was given, and the manifest of the record that has it; null where none has. */
export function manifestOf(start: Start): { readonly digest: string; readonly manifest: Manifest | null } {
  const digest = start.spec.metadata.manifest.replace('sha256:', '');
  for (const line of start.record.split('\n')) {
    const event = parsed(line);
    const manifest = event?.data?.['manifest'];
    if (event?.type === 'gated' && manifest !== undefined && sha256(canonical(manifest)) === digest)
      return { digest, manifest: manifest as Manifest };
  }
  return { digest, manifest: null };
}

/** The commit that the order of this attempt names. */
export function commitOf(start: Start): string | null {
  const orders = start.record
    .split('\n')
    .map(parsed)
    .filter((event) => event?.type === 'ordered')
    .map((event) => event?.data?.['order'] as { readonly submissionId?: string; readonly commit?: string });
  return orders.findLast((order) => order.submissionId === start.spec.submissionId)?.commit ?? null;
}

/** When the run of this job was proposed, as the record says. */
export function proposedAtMs(start: Start): number {
  const { run } = start.spec.metadata;
  const proposed = start.record
    .split('\n')
    .map(parsed)
    .find((event) => event?.type === 'proposed' && event.run === run);
  return Date.parse(proposed?.at ?? '1970-01-01T00:00:00Z');
}

type Parsed = {
  readonly type?: string;
  readonly run?: string;
  readonly at?: string;
  readonly data?: Readonly<Record<string, unknown>>;
} | null;

/** An entry as its line says it. */
export function parsed(line: string): Parsed {
  try {
    return JSON.parse(line) as Parsed;
  } catch {
    // Lines that somebody pushed need not be JSON; they are no manifest and no order.
    return null;
  }
}

/** In hex. */
export function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** RFC 8785 for what a manifest may hold: strings, integers, lists and objects. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
}
