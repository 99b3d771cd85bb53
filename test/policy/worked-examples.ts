/**
 * The worked examples of docs/extending.md. Each section `## A new …` has code blocks with a file name after
 * the language: a `diff` block edits that file, any other block is the whole file. Each section has a test.
 */

import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from './cruise.ts';

export type WorkedExample = {
  readonly title: string;
  readonly blocks: readonly { readonly isEdit: boolean; readonly path: string; readonly text: string }[];
};

/** Folders that examples change, or that import what they change; the rest of the tree is linked. */
const COPIED: readonly string[] = ['src', 'test', 'packages', 'demo', 'scripts', 'bench', 'docs'];
const BLOCK = /^```(\w+) (\S+)\n([\s\S]*?)^```$/gm;

/** The sections of the page in order. */
export function readWorkedExamples(page: string): readonly WorkedExample[] {
  return page
    .split(/^## (?=A new )/m)
    .slice(1)
    .map((section) => ({
      title: section.slice(0, section.indexOf('\n')),
      blocks: [...section.matchAll(BLOCK)].map(([, language, path = '', text = '']) => ({
        isEdit: language === 'diff',
        path,
        text,
      })),
    }));
}

/** Existing files that an example edits, with the number of changed lines in each. */
export function countEdits({ blocks }: WorkedExample): Readonly<Record<string, number>> {
  const edits = blocks.filter(({ isEdit }) => isEdit);
  return Object.fromEntries(edits.map(({ path, text }) => [path, (text.match(/^[+-]/gm) ?? []).length]));
}

/** A folder with a copy of this tree that contains these examples. */
export function createTreeWith(examples: readonly WorkedExample[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'ferrybot-extending-'));
  for (const name of readdirSync(ROOT)) {
    if (COPIED.includes(name)) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
    else if (name !== '.git') symlinkSync(join(ROOT, name), join(folder, name));
  }
  for (const { isEdit, path, text } of examples.flatMap(({ blocks }) => blocks)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, isEdit ? applyDiff(path, readFileSync(file, 'utf8'), text) : text);
  }
  return folder;
}

/** Each hunk of a `diff` block contains the lines around its change, which occur once in the file. */
function applyDiff(path: string, before: string, diff: string): string {
  return diff.split(/^@@.*\n/m).reduce((text, hunk) => {
    const lines = hunk.split('\n').slice(0, -1);
    const without = (sign: string): string =>
      lines.flatMap((line) => (line.startsWith(sign) ? [] : [`${line.slice(1)}\n`])).join('');
    const parts = text.split(without('+'));
    if (parts.length !== 2) throw new Error(`${parts.length - 1} places in ${path} look like\n${hunk}`);
    return parts.join(without('-'));
  }, before);
}
