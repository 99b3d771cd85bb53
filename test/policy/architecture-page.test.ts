/** docs/architecture.md, CONTRIBUTING.md and docs/playground.md are true of the source tree: their paths, their tables of rooms, the walk. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ROOT, RULES_FILE } from './cruise.ts';

const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
const WALK_FILES_MAX = 20;
/** From a file of the walk to the next directly, or through one between them: a registry, a list. */
const IMPORTS_MAX = 2;
/** Where the server, the action and a watch begin, and where the config chooses an engine. */
const ENTRIES = [
  'src/app/server/serve.ts',
  'src/app/action/full.ts',
  'src/app/watch/tick.ts',
  'src/app/engines.ts',
];

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

/** "`domain`, core above without `render`" as the rooms that it means. */
function roomsOf(may: string, room: string): readonly string[] {
  const [inside = '', without = ''] = may.split(' without ');
  const words = inside.split(', ');
  const above = words.includes('core above') ? core.slice(0, core.indexOf(room)) : [];
  const left = words.includes('core') ? core : above;
  return [...named(inside), ...left.filter((room) => !named(without).includes(room))];
}

const place = z.object({ path: z.string().optional(), pathNot: z.string().optional() });
const rules = z
  .object({
    forbidden: z.array(z.object({ name: z.string(), from: place, to: place.catchall(z.unknown()) })),
  })
  .parse(createRequire(import.meta.url)(RULES_FILE))
  .forbidden.filter(({ to }) => Object.keys(to).every((key) => key === 'path' || key === 'pathNot'));

function isAt({ path, pathNot }: z.infer<typeof place>, file: string): boolean {
  return (
    (path === undefined || new RegExp(path).test(file)) &&
    (pathNot === undefined || !new RegExp(pathNot).test(file))
  );
}

/** What the rules let a file of this room import. */
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
  return [...text.matchAll(/(?:from|import\()\s*'(\.[^']+\.ts)'/g)].map((match) =>
    join(dirname(file), match[1] ?? ''),
  );
}

/** Whether so few imports lead from one of these files to that one. */
function isNear(from: readonly string[], to: string): boolean {
  let reached = new Set(from);
  for (let step = 0; step < IMPORTS_MAX && !reached.has(to); step += 1)
    reached = new Set([...reached, ...[...reached].flatMap(importsOf)]);
  return reached.has(to);
}

describe('docs/architecture.md', () => {
  it('names files and folders that are there', () => {
    const paths = [
      ...page.matchAll(/`((?:src|test|docs|scripts|playground|fixtures)\/[^`\s]+|\.[a-z-]+\.cjs)`/g),
    ].map((match) => match[1] ?? '');
    expect(paths.length).toBeGreaterThan(WALK_FILES_MAX);
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('has every folder of src as a room, and no other', () => {
    const folders = foldersIn('src');
    const rooms = rows.map(({ room }) => room);
    expect(rooms.filter((room) => !room.includes('/')).toSorted()).toEqual(folders.toSorted());
    expect(rooms.filter((room) => !existsSync(join(ROOT, 'src', room)))).toEqual([]);
  });

  it.each(rows)('lets $room import what the rules of npm run arrows let it', ({ room, may }) => {
    const said = roomsOf(may, room).filter((one) => one !== room);
    expect(said.toSorted()).toEqual(allowedFrom(room).toSorted());
  });

  it('walks through at most twenty files', () => {
    expect(walk.length).toBeGreaterThan(10);
    expect(walk.length).toBeLessThanOrEqual(WALK_FILES_MAX);
    expect(new Set(walk).size).toBe(walk.length);
  });

  it('walks to each file from those before it, or from where a process begins, over few imports', () => {
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

  it('names files and folders that are there', () => {
    const named = [
      ...guide.matchAll(/`((?:src|test|docs|scripts|packages|fixtures)\/[^`\s]+|\.[a-z-]+\.cjs)`/g),
    ].map((match) => match[1] ?? '');
    expect([...listed, ...named].filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});

describe('docs/playground.md', () => {
  it('lists every room of the playground, and no other', () => {
    const text = readFileSync(join(ROOT, 'docs/playground.md'), 'utf8');
    const [, after = ''] = text.split('\n## Where things are');
    const rooms = [...(after.split('\n## ')[0] ?? '').matchAll(/^\| (`.+?\/`) \|/gm)].flatMap(
      ([, cell = '']) => [...cell.matchAll(/`([^`]+)\/`/g)].map((match) => match[1] ?? ''),
    );
    const there = foldersIn('packages/playground').filter(
      (name) => !['test', 'fixtures', 'node_modules'].includes(name),
    );
    expect(rooms.toSorted()).toEqual(there.toSorted());
  });
});
