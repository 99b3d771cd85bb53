/** Options of `ferrybot playground`, read strictly: an unknown one is an error that says what there is. */

import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

export type OwnOptions = {
  /** Absolute folder of the lab's checkout. */
  readonly repo: string;
  readonly port: number;
  /** Null: the branch that is checked out. */
  readonly branch: string | null;
  /** Folder that keeps the rehearsal, or null for a new temporary one. */
  readonly keep: string | null;
  /** Absolute folder with actions of other people, or null. */
  readonly actions: string | null;
  readonly server: boolean;
  readonly json: boolean;
};

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

export type ParsedOwnOptions =
  | { readonly kind: 'options'; readonly options: OwnOptions }
  | { readonly kind: 'help' }
  | { readonly kind: 'misused'; readonly message: string; readonly json: boolean };

/** Reads the arguments; relative folders start at `cwd`. */
export function readOwnOptions(args: readonly string[], cwd: string): ParsedOwnOptions {
  const json = args.includes('--json');
  const misused = (message: string): ParsedOwnOptions => ({ kind: 'misused', message, json });
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        repo: { type: 'string', default: '.' },
        port: { type: 'string', default: '4610' },
        branch: { type: 'string' },
        keep: { type: 'string' },
        actions: { type: 'string' },
        server: { type: 'string', default: 'on' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
      strict: true,
    });
    if (values.help) return { kind: 'help' };
    const port = /^\d{1,5}$/.test(values.port) ? Number(values.port) : Number.NaN;
    if (!(port <= 65_535)) return misused(`--port ${values.port} is no port`);
    if (values.server !== 'on' && values.server !== 'off')
      return misused(`--server is on or off, not ${values.server}`);
    for (const name of ['repo', 'keep', 'branch', 'actions'] as const)
      if (values[name] === '') return misused(`--${name} needs a value`);
    return {
      kind: 'options',
      options: {
        repo: resolve(cwd, values.repo),
        port,
        branch: values.branch ?? null,
        keep: values.keep === undefined ? null : resolve(cwd, values.keep),
        actions: values.actions === undefined ? null : resolve(cwd, values.actions),
        server: values.server === 'on',
        json,
      },
    };
  } catch (error) {
    // parseArgs says what it does not know by throwing a TypeError.
    if (error instanceof TypeError) return misused(error.message);
    throw error;
  }
}
