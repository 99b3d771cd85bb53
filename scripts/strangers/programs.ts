/** The programs that nobody here wrote, by the registry that has them and at the versions that are tried. */

export type Program = {
  readonly name: string;
  readonly version: string;
  /** npm's package; null for a program that `setup:tools` or the machine brings. */
  readonly packageName: string | null;
  readonly from: string;
  /** Played by `npm run test:playground` too. */
  readonly isQuick: boolean;
};

export const PROGRAMS = [
  { name: 'gh', version: '2.23.0', packageName: null, from: 'Debian', isQuick: true },
  { name: 'danger', version: '14.0.7', packageName: 'danger', from: 'npm', isQuick: true },
  { name: 'probot', version: '14.3.2', packageName: 'probot', from: 'npm', isQuick: true },
  { name: 'semantic-release', version: '25.0.9', packageName: 'semantic-release', from: 'npm', isQuick: false },
  { name: 'release-please', version: '17.11.2', packageName: 'release-please', from: 'npm', isQuick: false },
  { name: 'actions-cache', version: '6.3.0', packageName: '@actions/cache', from: 'npm', isQuick: true },
  { name: 'actions-artifact', version: '6.2.1', packageName: '@actions/artifact', from: 'npm', isQuick: true },
  { name: 'act', version: '0.2.89', packageName: null, from: 'setup:tools', isQuick: false },
] as const satisfies readonly Program[];

export type Name = (typeof PROGRAMS)[number]['name'];

/** Dependencies of the programs are those of this day: a program's own version alone names less than runs. */
export const AS_OF = '2026-11-22';
