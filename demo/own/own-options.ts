/** Options of `ferrybot playground`. */

import { resolve } from 'node:path';
import type * as z from 'zod';
import { flag, type ParsedOptions, portOption, readArguments, switchOption, textOption } from '../read-arguments.ts';

export const OWN_USAGE = `ferrybot playground [--repo DIR] [--port N]

Serves the commits of a checkout on a local GitHub with ferrybot installed. DIR is only read.
  --help            shows this help
  --repo DIR        the lab's checkout (default: the current folder)
  --port N          port of the page and the API (default: 4610; 0: any free port)
  --branch NAME     its default branch (default: the checked-out branch)
  --keep DIR        keeps the rehearsal in DIR and continues from it
  --actions DIR     third-party actions: DIR/OWNER/NAME or DIR/OWNER/NAME@REF, each with its action.yml
  --server on|off   whether the App's server answers, or only the workflows
  --json            prints one JSON value as soon as the page is up

Exit codes: 0 stopped by you, 1 could not start or failed (the JSON has the reason), 2 usage error.
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
export type OwnOptions = Readonly<Omit<z.output<z.ZodObject<typeof SHAPE>>, 'repo'>> & { readonly repo: string };

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
