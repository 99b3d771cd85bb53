/**
 * The instructions of docs/adopt.md, read from its text: files, commands, tables and labels.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/adopt.md'), 'utf8');

/** The numbered steps of the section, from the first. */
function stepsOf(text: string): readonly string[] {
  const [, section] = /\n## Set up\n([\s\S]*)/.exec(text) ?? [];
  const steps = (section ?? '').split(/\n(?=\d+\. )/).slice(1);
  if (steps.length === 0) throw new Error('docs/adopt.md has no steps');
  return steps;
}

/** The step with this title, such as `Keys`. */
export function step(title: string): string {
  const found = stepsOf(page).find((one) => one.includes(`**${title}.**`));
  if (found === undefined) throw new Error(`docs/adopt.md has no step ${title}`);
  return found;
}

/** The files and folders of this repository to copy in the first step. */
export function copied(): readonly string[] {
  return [...step('Files').matchAll(/\]\(\.\.\/(fixtures\/lab\/[^)]+)\)/g)].flatMap(([, path]) => path ?? []);
}

/** The commands that make a key pair and print its public half. */
export function keyCommands(): string {
  const [, commands] = /```bash\n([\s\S]*?)```/.exec(step('Keys')) ?? [];
  if (commands === undefined) throw new Error('docs/adopt.md has no command for a key pair');
  return commands;
}

/** Each environment with its keys. */
export function keyPlaces(): ReadonlyMap<string, readonly string[]> {
  const rows = step('Secrets').matchAll(/^ *\| environment `([\w-]+)`[^|]*\| (.*) \|$/gm);
  return new Map(
    [...rows].map(([, environment = '', cell = '']) => [
      environment,
      [...cell.matchAll(/`(FERRYBOT_\w+_KEY)`/g)].flatMap(([, name]) => name ?? []),
    ]),
  );
}

/** The labels of the lab's own runners. */
export function labels(): readonly string[] {
  return [...new Set([...step('Runners').matchAll(/`(ferrybot-[\w-]+)`/g)].flatMap(([, label]) => label ?? []))];
}
