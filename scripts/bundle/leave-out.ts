/** Parts of libraries that ferrybot never reaches and that would be a third of the bundle. */

import type { Plugin } from 'esbuild';

type LeftOut = { readonly file: RegExp; readonly contents: string; readonly why: string };

/** Each is replaced by the least that its importers need; a call would say so loudly. */
const LEFT_OUT: readonly LeftOut[] = [
  {
    file: /[/\\]@actions[/\\]core[/\\]lib[/\\]oidc-utils\.js$/,
    contents: `export class OidcClient {
  static async getIDToken() { throw new Error('this bundle was made without OpenID Connect'); }
}`,
    why: 'undici, 555 KB, for an identity token that we never ask for',
  },
  {
    file: /[/\\]zod[/\\]v4[/\\]locales[/\\]index\.js$/,
    contents: 'export {};',
    why: '300 KB of messages in other languages; English comes from a file of its own',
  },
  {
    file: /[/\\]figures[/\\]index\.js$/,
    contents: 'export default {};',
    why: '7 KB of signs for the verbose mode of execa, which nothing here switches on',
  },
];

/** The plugin. `found` reports which were met, so that a library's new layout is noticed and not paid for. */
export function createLeaveOutPlugin(found: Set<string>): Plugin {
  return {
    name: 'leave-out',
    setup: (build) => {
      for (const { file, contents, why } of LEFT_OUT) {
        build.onLoad({ filter: file }, () => {
          found.add(why);
          return { contents, loader: 'js' };
        });
      }
    },
  };
}

/** What should have been left out and was not met. */
export function listMissed(found: ReadonlySet<string>): readonly string[] {
  return LEFT_OUT.filter(({ why }) => !found.has(why)).map(({ file, why }) => `${file.source}: ${why}`);
}
