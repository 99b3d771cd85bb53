/** The lock file: packages for every platform, exact versions, and no unlisted install script. */

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

type Locked = {
  readonly version?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly hasInstallScript?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
};

const read = (name: string): Readonly<Record<string, unknown>> =>
  JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'));
const lockedIn = (name: string) => read(name)['packages'] as Readonly<Record<string, Locked>>;
const checks = read('checks/package.json') as typeof manifest;
/** By their path below the root. Both locks have an entry for their own folder, which is no package. */
const packages = { ...lockedIn('checks/package-lock.json'), ...lockedIn('package-lock.json') };
const manifest = read('package.json') as {
  readonly [kind in 'dependencies' | 'devDependencies' | 'allowScripts']: Readonly<Record<string, string | boolean>>;
};
const playground = read('packages/playground/package.json') as typeof manifest;
const allOf = ({ dependencies = {}, devDependencies = {} }: typeof manifest) =>
  Object.entries({ ...dependencies, ...devDependencies });

describe('the lock file', () => {
  it('lists every install script that may run, and no other may run', () => {
    const scripts = Object.entries(packages).flatMap(([path, locked]) =>
      locked.hasInstallScript === true ? [path.replace(/^.*node_modules\//, '')] : [],
    );
    const decided = Object.keys(manifest.allowScripts).map((name) => name.replace(/(.)@.*$/, '$1'));
    expect(scripts.filter((name) => ![...decided, 'fsevents'].includes(name))).toEqual([]);
  });

  it('has a checksum for every package, except two development tools for other systems', () => {
    const without = Object.entries(packages).filter(
      ([path, { integrity, link }]) => path.includes('node_modules/') && integrity === undefined && link !== true,
    );
    const wrong = without.filter(
      ([path, { dev, optional, os }]) =>
        !(dev === true && optional === true && os !== undefined) ||
        !/^node_modules\/@(biomejs\/cli|oxc-parser\/binding)-/.test(path),
    );
    expect(wrong).toEqual([]);
  });

  it('pins exact versions', () => {
    const loose = [manifest, playground, checks]
      .flatMap(allOf)
      .filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(String(version)));
    expect(loose).toEqual([]);
  });

  it('links only to our own packages', () => {
    const linked = Object.entries(packages).filter(([, { link }]) => link === true);
    expect(linked.map(([path]) => path)).toEqual(['node_modules/ferrybot-playground']);
  });

  it('installs at most 420 MB before the first `npm start`', () => {
    const folder = fileURLToPath(new URL('../../node_modules/', import.meta.url));
    // Tests keep their caches in hidden folders.
    const installed = readdirSync(folder).filter((name) => !name.startsWith('.'));
    const sizes = execFileSync('du', ['-scm', ...installed], { cwd: folder, encoding: 'utf8' });
    const megabytes = sizes.match(/^(\d+)\ttotal$/m)?.[1];
    expect(Number(megabytes)).toBeLessThanOrEqual(420);
  });
});
