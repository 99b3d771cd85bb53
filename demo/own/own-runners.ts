/** The machines of a rehearsal: GitHub's own, and one for each set of labels that the lab's workflows require. */

import { parseDocument } from 'yaml';
import * as z from 'zod';
import type { Runner } from '../../packages/playground/actions/runner/runner-types.ts';

const HOSTED = ['ubuntu-latest', 'ubuntu-24.04', 'ubuntu-22.04'];
const OURS = [
  ['self-hosted', 'ferrybot-launch'],
  ['self-hosted', 'ferrybot-watch'],
  ['self-hosted', 'ferrybot-stop'],
];
const jobs = z.object({ jobs: z.record(z.string(), z.looseObject({ 'runs-on': z.unknown().optional() })) });
const labels = z.union([z.string().transform((label) => [label]), z.array(z.string())]);

/**
 * This machine plays the lab's self-hosted machines. Labels from an expression are known only when a job starts. A file
 * that cannot be parsed is reported by its run.
 */
export function ownRunners(workflows: readonly string[]): readonly Runner[] {
  const requested = workflows.flatMap(selfHosted);
  const sets = new Map([...OURS, ...requested].map((set) => [set.toSorted().join(' '), set]));
  return [
    { name: 'hosted-1', labels: HOSTED },
    { name: 'hosted-2', labels: HOSTED },
    ...[...sets.values()].map((set, index) => ({ name: `machine-${index + 1}`, labels: set })),
  ];
}

function selfHosted(text: string): readonly (readonly string[])[] {
  const document = parseDocument(text);
  const parsed = jobs.safeParse(document.errors.length > 0 ? null : document.toJS({ maxAliasCount: 100 }));
  if (!parsed.success) return [];
  return Object.values(parsed.data.jobs).flatMap((job) => {
    const set = labels.safeParse(job['runs-on']);
    return set.success && !set.data.some((label) => label.includes('${{') || HOSTED.includes(label)) ? [set.data] : [];
  });
}
