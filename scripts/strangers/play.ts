/** One stranger, played as its user would against a playground with a repository of its own. */

import { programHome } from './install.ts';
import { playAct } from './play-act.ts';
import { playArtifact, playCache } from './play-actions-kit.ts';
import { playDanger } from './play-danger.ts';
import { playGh } from './play-gh.ts';
import { playProbot } from './play-probot.ts';
import { playReleasePlease, playSemanticRelease } from './play-releases.ts';
import type { Name } from './programs.ts';
import { openSite, type Site } from './site.ts';

export type PlayResult = {
  readonly name: Name;
  /** What it did; where it failed, only why it did is known. */
  readonly did: readonly string[];
  readonly failed: string | null;
  /** What it asked and the playground refused by name. */
  readonly refused: readonly string[];
  readonly durationMs: number;
};

export async function play(name: Name): Promise<PlayResult> {
  const beganMs = performance.now();
  await using site = await openSite();
  const outcome = await playProgram(name, site).then(
    (did) => ({ did, failed: null }),
    (error: unknown) => ({ did: [], failed: error instanceof Error ? error.message : String(error) }),
  );
  const refused = site.lab.world.state.unserved.map(({ method, path }) => `${method} ${path}`);
  return { name, ...outcome, refused: [...new Set(refused)], durationMs: performance.now() - beganMs };
}

function playProgram(name: Name, site: Site): Promise<readonly string[]> {
  const home = programHome({ name });
  switch (name) {
    case 'gh':
      return playGh(site);
    case 'danger':
      return playDanger(site, home);
    case 'probot':
      return playProbot(site, home);
    case 'semantic-release':
      return playSemanticRelease(site, home);
    case 'release-please':
      return playReleasePlease(site, home);
    case 'actions-cache':
      return playCache(site, home);
    case 'actions-artifact':
      return playArtifact(site, home);
    case 'act':
      return playAct(site);
  }
}
