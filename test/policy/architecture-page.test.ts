/**
 * docs/architecture.md, CONTRIBUTING.md and packages/playground/README.md match the source tree: paths, tables of
 * rooms, and the walk.
 */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ROOT, RULES_FILE } from './cruise.ts';

const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
const WALK_FILES_MAX = 20;
/** From one file of the walk to the next, directly or through one file between them, such as a registry. */
const IMPORTS_MAX = 2;
/** The entry points of server, action and watch, and the place where the config chooses an engine. */
const ENTRIES = ['src/app/server/serve.ts', 'src/app/action/full.ts', 'src/app/watch/tick.ts', 'src/app/engines.ts'];

function section(title: string): string {
  const [, after = ''] = page.split(`\n## ${title}`);
  return after.split('\n## ')[0] ?? '';
}

const rows = [...section('The rooms').matchAll(/^\| `([a-z/-]+)`( \(core\))? \| .+ \| (.+) \|$/gm)].map(
  ([, room = '', core, may = '']) => ({ room, isCore: core !== undefined, may }),
);
const core = rows.filter(({ isCore }) => isCore).map(({ room }) => room);
const walk = [...section('One walk').matchAll(/^\d+\. `([^`]+)`/gm)].map((match) => match[1] ?? '');

function named(text: string): readonly string[] {
  return [...text.matchAll(/`([a-z/-]+)`/g)].map((match) => match[1] ?? '');
}

/** Resolves "`domain`, core above without `render`" to the rooms that it means. */
function roomsOf(may: string, room: string): readonly string[] {
  const [inside = '', without = ''] = may.split(' without ');
  const words = inside.split(', ');
  const above = words.includes('core above') ? core.slice(0, core.indexOf(room)) : [];
  const left = words.includes('core') ? core : above;
  return [...named(inside), ...left.filter((room) => !named(without).includes(room))];
}

const place = z.object({ path: z.string().optional(), pathNot: z.string().optional() });
const rules = z
  .object({ forbidden: z.array(z.object({ name: z.string(), from: place, to: place.catchall(z.unknown()) })) })
  .parse(createRequire(import.meta.url)(RULES_FILE))
  .forbidden.filter(({ to }) => Object.keys(to).every((key) => key === 'path' || key === 'pathNot'));

function isAt({ path, pathNot }: z.infer<typeof place>, file: string): boolean {
  return (
    (path === undefined || new RegExp(path).test(file)) && (pathNot === undefined || !new RegExp(pathNot).test(file))
  );
}

/** The rooms that the rules allow this room's files to import. */
function allowedFrom(room: string): readonly string[] {
  const file = (one: string): string => `src/${one}/some-file.ts`;
  return rows
    .map((row) => row.room)
    .filter((to) => to !== room)
    .filter((to) => !rules.some((rule) => isAt(rule.from, file(room)) && isAt(rule.to, file(to))));
}

function foldersIn(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}

function importsOf(file: string): readonly string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return [...text.matchAll(/(?:from|import\()\s*'(\.[^']+\.ts)'/g)].map((match) => join(dirname(file), match[1] ?? ''));
}

/** True if at most IMPORTS_MAX imports lead from one of these files to the target. */
function isNear(from: readonly string[], to: string): boolean {
  let reached = new Set(from);
  for (let step = 0; step < IMPORTS_MAX && !reached.has(to); step += 1)
    reached = new Set([...reached, ...[...reached].flatMap(importsOf)]);
  return reached.has(to);
}

describe('docs/architecture.md', () => {
  it('names only existing files and folders', () => {
    const paths = [...page.matchAll(/`((?:src|test|docs|scripts|playground|fixtures)\/[^`\s]+|\.[a-z-]+\.cjs)`/g)].map(
      (match) => match[1] ?? '',
    );
    expect(paths.length).toBeGreaterThan(WALK_FILES_MAX);
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('lists every folder of src as a room, and no other', () => {
    const folders = foldersIn('src');
    const rooms = rows.map(({ room }) => room);
    expect(rooms.filter((room) => !room.includes('/')).toSorted()).toEqual(folders.toSorted());
    expect(rooms.filter((room) => !existsSync(join(ROOT, 'src', room)))).toEqual([]);
  });

  it.each(rows)('lists for $room the imports that the rules of npm run arrows allow', ({ room, may }) => {
    const said = roomsOf(may, room).filter((one) => one !== room);
    expect(said.toSorted()).toEqual(allowedFrom(room).toSorted());
  });

  it('describes a walk of at most twenty files', () => {
    expect(walk.length).toBeGreaterThan(10);
    expect(walk.length).toBeLessThanOrEqual(WALK_FILES_MAX);
    expect(new Set(walk).size).toBe(walk.length);
  });

  it('reaches each file of the walk from earlier files or entry points over few imports', () => {
    const lost = walk.filter((file, index) => !isNear([...ENTRIES, ...walk.slice(0, index)], file));
    expect(lost).toEqual([]);
  });
});

describe('CONTRIBUTING.md', () => {
  const guide = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  const listed = [...guide.matchAll(/^\| `([^`]+)` \|/gm)].map((match) => match[1] ?? '');

  it('lists every room of src and every package, and no other', () => {
    const there = ['src', 'packages'].flatMap((root) => foldersIn(root).map((name) => `${root}/${name}`));
    expect(listed.filter((path) => path.includes('/')).toSorted()).toEqual(there.toSorted());
  });

  it('names only existing files and folders', () => {
    const named = [...guide.matchAll(/`((?:src|test|docs|scripts|packages|fixtures)\/[^`\s]+|\.[a-z-]+\.cjs)`/g)].map(
      (match) => match[1] ?? '',
    );
    expect([...listed, ...named].filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});

describe('packages/playground/README.md', () => {
  it('lists every room of the playground, and no other', () => {
    const text = readFileSync(join(ROOT, 'packages/playground/README.md'), 'utf8');
    const [, after = ''] = text.split('\n## Where things are');
    const rooms = [...(after.split('\n## ')[0] ?? '').matchAll(/^\| (`.+?\/`) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([^`]+)\/`/g)].map((match) => match[1] ?? ''),
    );
    const there = foldersIn('packages/playground').filter(
      (name) => !['test', 'fixtures', 'node_modules'].includes(name),
    );
    expect(rooms.toSorted()).toEqual(there.toSorted());
  });
});
