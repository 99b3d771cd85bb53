/** docs/dependencies.md names every package that we depend on, with its licence and its purpose. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

type Locked = { readonly license?: string };

const text = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const manifest = JSON.parse(text('package.json')) as Readonly<
  Record<'dependencies' | 'devDependencies', Readonly<Record<string, string>>>
>;
const playground = JSON.parse(text('packages/playground/package.json')) as typeof manifest;
const checks = JSON.parse(text('checks/package.json')) as typeof manifest;
const own: Readonly<Record<string, string>> = { ...playground.dependencies, ...playground.devDependencies };
const ofRoot: Readonly<Record<string, string>> = { ...manifest.dependencies, ...manifest.devDependencies };
const locked: Readonly<Record<string, Locked>> = {
  ...JSON.parse(text('checks/package-lock.json')).packages,
  ...JSON.parse(text('package-lock.json')).packages,
};
const [, shipped = '', development = '', ofChecks = '', ofPlayground = ''] =
  text('docs/dependencies.md').split(/^## /m);

/** Licences under which we may ship and use third-party packages. */
const LICENCES = ['MIT', 'ISC', 'Apache-2.0', 'MIT-0', 'BSD-3-Clause', 'MIT OR Apache-2.0'];
/** For packages that are used but not shipped: changes to their files would have to be published. */
const LICENCES_OF_TOOLS = [...LICENCES, 'MPL-2.0'];

function rowsOf(section: string): readonly (readonly string[])[] {
  const lines = section.split('\n').filter((line) => line.startsWith('| `'));
  return lines.map((line) => {
    const [name = '', licence = '', reason = ''] = line.slice(2, -2).split(' | ');
    return [name.slice(1, -1), licence, reason];
  });
}

describe.each([
  ['dependencies', Object.keys(manifest.dependencies), shipped, LICENCES],
  ['devDependencies', Object.keys(manifest.devDependencies), development, LICENCES_OF_TOOLS],
  ['the checks', Object.keys(checks.devDependencies), ofChecks, LICENCES_OF_TOOLS],
  ['the playground', Object.keys(own).filter((name) => !(name in ofRoot)), ofPlayground, LICENCES_OF_TOOLS],
] as const)('the table of %s', (_, names, section, licences) => {
  const rows = rowsOf(section);

  it('has one row per package and no other, in order', () => {
    expect(rows.map(([name]) => name)).toEqual(names.toSorted());
  });

  it.each(rows)('has %s with its licence %s and a purpose', (name, licence = '', reason = '') => {
    expect(locked[`node_modules/${name}`]?.license).toBe(licence);
    expect(licences).toContain(licence);
    expect(reason.length).toBeGreaterThan(10);
  });
});

describe('the packages that the playground shares with the rest', () => {
  it('have one version', () => {
    const shared = Object.entries(own).filter(([name]) => name in ofRoot);
    expect(shared.length).toBeGreaterThan(5);
    expect(shared.filter(([name, version]) => ofRoot[name] !== version)).toEqual([]);
  });
});
