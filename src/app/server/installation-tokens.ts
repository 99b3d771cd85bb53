/** Installation tokens by GitHub's clock: a machine that slept, or whose clock is wrong, would keep using a dead one. */

import type { Probot } from 'probot';
import { z } from 'zod';

/** An installation token is replaced so long before its hour is over. */
const TOKEN_SLACK_MS = 5 * 60 * 1_000;

const minted = z.object({ token: z.string().min(1), expires_at: z.string() });

export type InstallationTokens = {
  readonly current: (nowMs: number) => Promise<string>;
  /** A token keeps the permissions that it was minted with: after a change of them the next one is minted anew. */
  readonly forget: () => void;
};

/** What asks GitHub as the App itself. */
export type AppAuth = { readonly auth: () => Promise<Pick<Awaited<ReturnType<Probot['auth']>>, 'request'>> };

/** Tokens of one installation. GitHub gives them an hour; a new one is minted some minutes before. */
export function installationTokens(app: AppAuth, installationId: number): InstallationTokens {
  let held: { readonly token: string; readonly expiresAtMs: number } | null = null;
  let changes = 0;
  return {
    current: async (nowMs) => {
      if (held !== null && held.expiresAtMs - nowMs > TOKEN_SLACK_MS) return held.token;
      const asked = changes;
      const { data } = await (await app.auth()).request(
        'POST /app/installations/{installation_id}/access_tokens',
        { installation_id: installationId },
      );
      const { token, expires_at: expiresAt } = minted.parse(data);
      // One that was on its way while the permissions changed may have the old ones: it is used once, and not kept.
      if (asked === changes) held = { token, expiresAtMs: Date.parse(expiresAt) };
      return token;
    },
    forget: () => {
      changes += 1;
      held = null;
    },
  };
}
