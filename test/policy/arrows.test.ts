/** The import arrows hold in our tree; and a tree that breaks each of them is refused by the name of the rule. */

import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Cruise, cruise, ROOT, RULES_FILE } from './cruise.ts';

/** The rooms of the core from below to above. */
const ORDER = [
  'logbook',
  'settings',
  'detectors',
  'diagnosis',
  'delta',
  'rental',
  'watch',
  'config',
  'care',
  'checkpoints',
  'gates',
  'commands',
  'contracts',
  'render',
  'run',
  'actions',
  'kinds',
];

/** From → to, and the rule that must say no. A `to` that begins with a dot or letter and has no slash is a package. */
const BROKEN: readonly (readonly [rule: string, from: string, to: string])[] = [
  ['domain-imports-nothing', 'src/domain/a.ts', 'src/config/target.ts'],
  ['domain-imports-nothing', 'src/domain/b.ts', 'zod'],
  ['core-is-pure', 'src/domain/c.ts', 'node:crypto'],
  ['core-is-pure', 'src/gates/a.ts', 'node:fs'],
  ['core-is-pure', 'src/logbook/a.ts', 'node:fs'],
  ['core-knows-no-outside', 'src/run/a.ts', 'src/github/target.ts'],
  ['core-knows-no-outside', 'src/watch/a.ts', 'src/host/target.ts'],
  ['core-knows-no-outside', 'src/logbook/b.ts', 'src/logbook/store/target.ts'],
  ['core-knows-no-outside', 'src/kinds/hero/a.ts', 'src/handlers/target.ts'],
  ['decisions-have-no-prose', 'src/commands/a.ts', 'src/render/target.ts'],
  ['decisions-have-no-prose', 'src/gates/b.ts', 'src/render/target.ts'],
  ['prose-decides-nothing', 'src/render/a.ts', 'src/gates/target.ts'],
  ['kinds-are-registered', 'src/gates/d.ts', 'src/kinds/target.ts'],
  ['kinds-are-registered', 'src/app/h.ts', 'src/kinds/hero/target.ts'],
  ['kinds-stand-alone', 'src/kinds/hero/b.ts', 'src/kinds/ferry/target.ts'],
  ['adapters-know-domain-and-host', 'src/github/a.ts', 'src/run/target.ts'],
  ['engines-know-settings-too', 'src/engines/c.ts', 'src/config/target.ts'],
  ['adapter-github-stands-alone', 'src/github/b.ts', 'src/engines/target.ts'],
  ['adapter-engines-stands-alone', 'src/engines/a.ts', 'src/trackers/target.ts'],
  ['adapter-clouds-stands-alone', 'src/clouds/a.ts', 'src/engines/target.ts'],
  ['adapter-trackers-stands-alone', 'src/trackers/a.ts', 'src/logbook/store/target.ts'],
  ['adapter-stores-stands-alone', 'src/stores/a.ts', 'src/notify/target.ts'],
  ['adapter-notify-stands-alone', 'src/notify/a.ts', 'src/github/target.ts'],
  ['store-knows-logbook-and-git', 'src/logbook/store/a.ts', 'src/github/target.ts'],
  ['host-knows-domain', 'src/host/a.ts', 'src/config/target.ts'],
  ['handlers-wake', 'src/handlers/a.ts', 'src/github/target.ts'],
  ['nothing-imports-app', 'src/handlers/b.ts', 'src/app/target.ts'],
  ['src-stands-alone', 'src/app/a.ts', 'packages/playground/target.ts'],
  ['src-stands-alone', 'src/app/b.ts', 'test/target.ts'],
  ['playground-shares-nothing', 'packages/playground/a.ts', 'src/domain/target.ts'],
  ['playground-names-its-packages', 'packages/playground/b.ts', 'vitest'],
  ['playground-names-its-packages', 'packages/playground/c.ts', 'probot'],
  ['stores-know-no-github', 'packages/playground/git/store/a.ts', 'packages/playground/world/target.ts'],
  ['one-place-mints-capabilities', 'src/engines/b.ts', 'src/domain/actions/capability-seal.ts'],
  ['only-executors-mint-capabilities', 'src/run/c.ts', 'src/actions/mint.ts'],
  ['actions-know-no-kind', 'src/actions/a.ts', 'src/kinds/target.ts'],
  ['actions-know-no-kind', 'src/actions/b.ts', 'src/render/target.ts'],
  ['core-knows-no-outside', 'src/actions/c.ts', 'src/engines/target.ts'],
  ...ORDER.slice(0, -1).map((room, index): [string, string, string] => [
    `${room}-knows-nothing-above`,
    `src/${room}/below.ts`,
    `src/${ORDER[index + 1]}/target.ts`,
  ]),
  ['no-circles', 'src/run/circle.ts', 'src/run/circle-back.ts'],
  ['found', 'src/app/c.ts', 'src/app/nowhere.ts'],
  ['shipped-packages-are-dependencies', 'src/app/d.ts', 'vitest'],
  ['package-actions/core-has-its-rooms', 'src/app/e.ts', '@actions/core'],
  ['package-octokit/core-has-its-rooms', 'src/handlers/c.ts', '@octokit/core'],
  ['package-probot-has-its-rooms', 'src/github/c.ts', 'probot'],
  ['package-execa-has-its-rooms', 'src/app/f.ts', 'execa'],
  ['package-ws-has-its-rooms', 'src/github/f.ts', 'ws'],
  ['package-fflate-has-its-rooms', 'src/engines/ray/rest/g.ts', 'fflate'],
  ['package-ignore-has-its-rooms', 'src/domain/launch/b.ts', 'ignore'],
  ['package-yaml-has-its-rooms', 'src/github/d.ts', 'yaml'],
  ['package-mdast-has-its-rooms', 'src/run/b.ts', 'mdast-util-from-markdown'],
  ['package-leven-has-its-rooms', 'src/render/b.ts', 'leven'],
  ['package-canonicalize-has-its-rooms', 'src/run/y.ts', 'canonicalize'],
  ['package-aws4fetch-has-its-rooms', 'src/app/z.ts', 'aws4fetch'],
  ['package-nodemailer-has-its-rooms', 'src/app/y.ts', 'nodemailer'],
  ['package-p-limit-has-its-rooms', 'src/run/z.ts', 'p-limit'],
  ['package-commander-js/extra-typings-has-its-rooms', 'src/commands/z.ts', '@commander-js/extra-typings'],
  ['package-zod-has-its-rooms', 'src/gates/c.ts', 'zod'],
  ['package-is-on-the-list', 'src/app/g.ts', 'fast-check'],
];
/** Arrows that point downwards: none may be refused. */
const ALLOWED: readonly (readonly [from: string, to: string])[] = [
  ['src/app/ok.ts', 'src/github/target.ts'],
  ['src/github/ok.ts', 'src/host/target.ts'],
  ['src/gates/ok.ts', 'src/domain/target.ts'],
  ['src/logbook/store/ok.ts', 'src/logbook/target.ts'],
  ['src/config/ok.ts', 'zod'],
  ['src/host/ok.ts', 'node:fs'],
  ['packages/playground/ok.ts', 'packages/playground/target.ts'],
  ['packages/playground/croner-ok.ts', 'croner'],
  ['src/actions/mint.ts', 'src/domain/actions/capability-seal.ts'],
  ['src/app/care/ok.ts', 'src/actions/mint.ts'],
];

let tree = '';
let found: Cruise;

beforeAll(async () => {
  tree = await mkdtemp(join(tmpdir(), 'ferrybot-arrows-'));
  await symlink(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
  await mkdir(join(tree, 'packages/playground'), { recursive: true });
  await mkdir(join(tree, 'demo'));
  for (const file of ['package.json', 'packages/playground/package.json', 'tsconfig.json'])
    await copyFile(join(ROOT, file), join(tree, file));
  const pairs = [...BROKEN.map(([, from, to]) => [from, to] as const), ...ALLOWED];
  const targets = pairs.map(([, to]) => to).filter((to) => /\/(target|capability-seal)\.ts$/.test(to));
  for (const file of new Set(targets)) await put(file, 'export const target = 1;\n');
  for (const [from, to] of pairs)
    await put(from, `import * as it from '${specifier(from, to)}';\nconsole.log(it);\n`);
  await put('src/run/circle-back.ts', "import * as it from './circle.ts';\nconsole.log(it);\n");
  found = await cruise(tree);
});
afterAll(() => rm(tree, { recursive: true, force: true }));

describe('a tree that breaks arrows', () => {
  it.each(BROKEN)('%s refuses %s → %s', (rule, from) => {
    // A circle is told once, from either of its ends.
    const told = found.broken.filter((one) => one.from === from || one.to === from);
    expect(told.map((one) => one.rule)).toContain(rule);
  });

  it.each(ALLOWED)('nothing refuses %s → %s', (from) => {
    expect(found.broken.filter((one) => one.from === from)).toEqual([]);
  });

  it('makes the command fail', async () => {
    const { exitCode } = await execa(
      join(ROOT, 'node_modules/.bin/depcruise'),
      ['--config', RULES_FILE, 'src', 'packages', 'demo'],
      { cwd: tree, reject: false },
    );
    expect(exitCode).toBeGreaterThan(0);
  });
});

describe('the rules', () => {
  it('are each broken by one of the cases above', () => {
    const rules = z
      .object({ forbidden: z.array(z.object({ name: z.string(), severity: z.literal('error') })) })
      .parse(createRequire(import.meta.url)(RULES_FILE));
    expect(new Set(rules.forbidden.map(({ name }) => name))).toEqual(new Set(BROKEN.map(([rule]) => rule)));
  });
});

describe('our own tree', () => {
  it('is really read, and breaks no arrow', async () => {
    const own = await cruise(ROOT);
    expect(own.broken).toEqual([]);
    // With a compiler that it does not understand, dependency-cruiser finds nothing at all and is content.
    expect(own.modules).toBeGreaterThan(300);
  });
});

async function put(file: string, text: string): Promise<void> {
  await mkdir(dirname(join(tree, file)), { recursive: true });
  await writeFile(join(tree, file), text);
}

function specifier(from: string, to: string): string {
  return to.endsWith('.ts') ? `${'../'.repeat(from.split('/').length - 1)}${to}` : to;
}
