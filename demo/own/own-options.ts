/** Options of `ferrybot playground`. */

import { resolve } from 'node:path';
import type * as z from 'zod';
import {
  flag,
  type ParsedOptions,
  portOption,
  readArguments,
  switchOption,
  textOption,
} from '../read-arguments.ts';

export const OWN_USAGE = `ferrybot playground [--repo DIR] [--port N]

serves the commits of a checkout on a GitHub of this machine, with ferrybot installed; DIR is only read
  --help            says this
  --repo DIR        the lab's checkout (default: the one that you are in)
  --port N          port of the page and the API (default: 4610; 0: any free one)
  --branch NAME     its default branch (default: the one that is checked out)
  --keep DIR        keep the rehearsal in DIR, and go on from there
  --actions DIR     actions of other people: DIR/OWNER/NAME or DIR/OWNER/NAME@REF, each with its action.yml
  --server on|off   the App's server answers, or the workflows alone
  --json            one JSON value on standard output as soon as the page is there

Exit 0 = ended by you, 1 = it could not start or broke (the JSON says why), 2 = used wrongly.
`;

const SHAPE = {
  /** The lab's checkout, or null: the one around the current folder. */
  repo: textOption('repo', 'a value'),
  port: portOption().default(4610),
  /** Null: the branch that is checked out. */
  branch: textOption('branch', 'a value'),
  /** Folder that keeps the rehearsal, or null for a new temporary one. */
  keep: textOption('keep', 'a value'),
  /** Folder with third-party actions, or null. */
  actions: textOption('actions', 'a value'),
  server: switchOption('server'),
  json: flag,
};

/** All folders are absolute. */
export type OwnOptions = Readonly<Omit<z.output<z.ZodObject<typeof SHAPE>>, 'repo'>> & {
  readonly repo: string;
};

/** Parses the arguments; relative folders start at `cwd`. */
export function readOwnOptions(args: readonly string[], cwd: string): ParsedOptions<OwnOptions> {
  const absolute = (folder: string | null): string | null => (folder === null ? null : resolve(cwd, folder));
  return readArguments(args, SHAPE, ({ repo, keep, actions, ...read }) => ({
    ...read,
    repo: resolve(cwd, repo ?? '.'),
    keep: absolute(keep),
    actions: absolute(actions),
  }));
}
