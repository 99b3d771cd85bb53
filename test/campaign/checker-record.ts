// What the checker reads from the record's bytes: the manifest with a digest, and the order of a job.

import { createHash } from 'node:crypto';
import type { Start } from './witness.ts';

type Manifest = {
  readonly trees?: Readonly<Record<string, string>>;
  readonly envelope?: {
    readonly restarts?: number;
    readonly preemptions?: number;
    readonly reductions?: readonly string[];
  };
};

/** The digest that the engine received, and the recorded manifest with it; null if there is none. */
export function parseManifest(start: Start): { readonly digest: string; readonly manifest: Manifest | null } {
  const digest = start.spec.metadata.manifest.replace('sha256:', '');
  for (const line of start.record.split('\n')) {
    const event = parseEntry(line);
    const manifest = event?.data?.['manifest'];
    if (event?.type === 'gated' && manifest !== undefined && sha256(canonical(manifest)) === digest)
      return { digest, manifest: manifest as Manifest };
  }
  return { digest, manifest: null };
}

/** The commit in the order of this attempt. */
export function startCommit(start: Start): string | null {
  const orders = start.record
    .split('\n')
    .map(parseEntry)
    .filter((event) => event?.type === 'ordered')
    .map((event) => event?.data?.['order'] as { readonly submissionId?: string; readonly commit?: string });
  return orders.findLast((order) => order.submissionId === start.spec.submissionId)?.commit ?? null;
}

/** When this job's run was proposed, according to the record. */
export function proposedAtMs(start: Start): number {
  const { run } = start.spec.metadata;
  const proposed = start.record
    .split('\n')
    .map(parseEntry)
    .find((event) => event?.type === 'proposed' && event.run === run);
  return Date.parse(proposed?.at ?? '1970-01-01T00:00:00Z');
}

type Parsed = {
  readonly type?: string;
  readonly run?: string;
  readonly at?: string;
  readonly data?: Readonly<Record<string, unknown>>;
} | null;

/** An entry of the record, without verification. */
export function parseEntry(line: string): Parsed {
  try {
    return JSON.parse(line) as Parsed;
  } catch {
    // Pushed lines need not be JSON; they are neither a manifest nor an order.
    return null;
  }
}

/** In hex. */
export function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** RFC 8785 for the values of a manifest: strings, integers, lists and objects. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
}
