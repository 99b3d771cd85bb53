/**
 * A lab on virtual time with pages for a browser: actions there reach the bot, and the test advances the
 * clock.
 */

import { listen } from '../../../packages/playground/http/server.ts';
import { pagesOptionsFromWorld } from '../../../packages/playground/pages/from-world.ts';
import { createPages } from '../../../packages/playground/pages/pages.ts';
import type { PagesOptions } from '../../../packages/playground/pages/visit.ts';
import { openVirtualLab, type VirtualLab, type VirtualLabOptions } from '../../support/virtual-lab.ts';

export type FerrySite = {
  /** The repository's front page. */
  readonly home: string;
  /** The same address as printed at the start: it signs the browser in. */
  readonly printed: string;
  /** The header for requests to pages. */
  readonly headers: { readonly authorization: string };
  readonly lab: VirtualLab;
  /** Requests of the bot that count towards GitHub's limits: all except 304 responses and `/rate_limit`. */
  readonly botRequests: () => number;
  readonly close: () => Promise<void>;
};

/** Throws when closed if the playground had an internal error. */
export async function openFerrySite({
  open = openVirtualLab,
  pages: more = () => ({}),
}: {
  readonly open?: (options: VirtualLabOptions) => Promise<VirtualLab>;
  readonly pages?: (lab: VirtualLab) => Partial<PagesOptions>;
} = {}): Promise<FerrySite> {
  const listening = await listen(0);
  if (!listening.ok) throw new Error(`no port: ${listening.reason}`);
  let botRequests = 0;
  const lab = await open({
    origin: listening.origin,
    network: async (request, github) => {
      const { pathname } = new URL(request.url);
      const response = await github(request);
      if (response.status !== 304 && !pathname.endsWith('/rate_limit')) botRequests += 1;
      return response;
    },
  });
  const bugs: unknown[] = [];
  const pages = createPages({ ...pagesOptionsFromWorld(lab.world, 'lab/ferries'), ...more(lab) });
  listening.serve({ world: lab.world, clock: null, pages, onBug: (error) => bugs.push(error) });
  return {
    home: `${listening.origin}/lab/ferries`,
    printed: listening.signIn('/lab/ferries'),
    headers: { authorization: `Bearer ${listening.secret}` },
    lab,
    botRequests: () => botRequests,
    close: async () => {
      await lab.close();
      await listening.close();
      if (bugs.length > 0) throw new AggregateError(bugs, 'the playground broke');
    },
  };
}
